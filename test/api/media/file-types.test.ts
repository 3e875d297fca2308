import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MEDIA_TYPES, type MediaType } from '../../../src/media/file-types/media-type-table.ts';
import { useGateway, useTenant } from '../../harness/fixtures.ts';
import { encodeMultipart } from '../../harness/multipart.ts';
import { type Answer, call } from '../../harness/tenant.ts';
import { SAMPLES } from '../../support/media-samples.ts';

const MIB = 1024 * 1024;
const BYTES_MAX = { image: 5 * MIB, sticker: 100 * 1024, audio: 16 * MIB, video: 16 * MIB, document: 100 * MIB };

describe('the types of uploaded files', () => {
  const gateway = useGateway();
  const tenant = useTenant(gateway);

  const upload = (value: Buffer, contentType: string, fileName: string): Promise<Answer> =>
    call(
      gateway,
      tenant,
      'POST',
      '/v1/media/upload',
      encodeMultipart([
        { name: 'phone_number', value: tenant.phoneNumber },
        { name: 'file', value, contentType, fileName },
      ]),
    );

  function uploaded(answer: Answer, mimeType: string, bytes: number): void {
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual([answer.json.mime_type, answer.json.bytes], [mimeType, bytes]);
  }

  function refused(answer: Answer): void {
    assert.deepEqual([answer.status, answer.json?.code], [400, 'INVALID_MEDIA'], answer.text);
  }

  for (const type of MEDIA_TYPES) {
    const { mimeType, family }: MediaType = type;
    const name = `a.${type.extensions[0]}`;
    const sample = SAMPLES[mimeType];
    const foreign = SAMPLES[mimeType === 'image/png' ? 'application/pdf' : 'image/png'];

    it(`${mimeType}: valid, empty, truncated, misnamed and contradictory files are distinguished`, async () => {
      uploaded(await upload(sample, mimeType, name), mimeType, sample.length);
      refused(await upload(Buffer.alloc(0), mimeType, name));
      const truncated = sample.subarray(0, sample.length - 20);
      uploaded(await upload(truncated, mimeType, name), mimeType, truncated.length);
      const misnamed = family === 'image' ? 'a.pdf' : 'a.png';
      uploaded(await upload(sample, mimeType, misnamed), mimeType, sample.length);
      uploaded(await upload(sample, 'application/octet-stream', name), mimeType, sample.length);
      refused(await upload(foreign, mimeType, name));
      refused(await upload(foreign, 'application/octet-stream', name));
    });

    // Once for each family: its types share their limit, up to a hundred megabytes.
    if (MEDIA_TYPES.find((first) => first.family === family) !== type) continue;
    it(`${mimeType}: a file one byte over its limit is refused`, async () => {
      const bytesMax = BYTES_MAX[family];
      const filler = family === 'document' ? ' ' : '\0';
      const largest = Buffer.concat([sample, Buffer.alloc(bytesMax - sample.length, filler)]);
      uploaded(await upload(largest, mimeType, name), mimeType, bytesMax);
      refused(await upload(Buffer.concat([largest, Buffer.from(filler)]), mimeType, name));
    });
  }
});
