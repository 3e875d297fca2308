import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { useGateway, useTenant } from '../../harness/fixtures.ts';
import { encodeMultipart, type Part } from '../../harness/multipart.ts';
import { type Answer, call, createTenant } from '../../harness/tenant.ts';
import { makeMovie, SAMPLES } from '../../support/media-samples.ts';

const PNG = SAMPLES['image/png'];
const FORM_TYPE = { 'content-type': 'application/x-www-form-urlencoded' };

describe('POST /v1/media/upload', () => {
  const gateway = useGateway();
  const tenant = useTenant(gateway);
  const other = useTenant(gateway);

  const upload = (parts: readonly Part[]) => call(gateway, tenant, 'POST', '/v1/media/upload', encodeMultipart(parts));
  const uploadForm = (body: string) => call(gateway, tenant, 'POST', '/v1/media/upload', { body, headers: FORM_TYPE });
  const number = (): Part => ({ name: 'phone_number', value: tenant.phoneNumber });
  const png = (): Part => ({ name: 'file', value: PNG, fileName: 'a.png', contentType: 'image/png' });

  async function stored(answer: Answer): Promise<{ node: Answer['json']; bytes: Buffer }> {
    assert.equal(answer.status, 200, answer.text);
    const node = await call(gateway, tenant, 'GET', `/v1/${answer.json.media_id}`);
    assert.equal(node.status, 200, node.text);
    const file = await fetch(node.json.url, { headers: { authorization: `Bearer ${tenant.apiKey}` } });
    return { node: node.json, bytes: Buffer.from(await file.arrayBuffer()) };
  }

  function refused(answer: Answer, status: number, code: string): void {
    assert.equal(answer.status, status, answer.text);
    assert.equal(answer.json.code, code, answer.text);
    assert.ok(answer.json.message);
  }

  it('uploads a file and returns its id, type and size', async () => {
    const answer = await upload([number(), png()]);
    assert.deepEqual(Object.keys(answer.json), ['media_id', 'mime_type', 'bytes']);
    assert.equal(answer.json.mime_type, 'image/png');
    assert.equal(answer.json.bytes, PNG.length);
    const { node, bytes } = await stored(answer);
    assert.deepEqual(bytes, PNG);
    assert.equal(node.sha256, createHash('sha256').update(PNG).digest('hex'));
  });

  it('accepts the fields in any order', async () => {
    const filename = { name: 'filename', value: 'x.png' };
    for (const parts of [
      [png(), number(), filename],
      [filename, png(), number()],
      [png(), filename, number()],
    ]) {
      assert.equal((await upload(parts)).status, 200);
    }
  });

  it('accepts a data URI as a value of a multipart form', async () => {
    const answer = await upload([number(), { name: 'file', value: `data:image/png;base64,${PNG.toString('base64')}` }]);
    assert.deepEqual((await stored(answer)).bytes, PNG);
  });

  it('accepts a data URI in an urlencoded form, with plus signs encoded or as spaces', async () => {
    const contents = Buffer.concat([PNG, Buffer.from('fbefbefbffff', 'hex').subarray(0, 5)]);
    const base64 = contents.toString('base64');
    assert.match(base64, /\+.*\//);
    for (const payload of [base64, encodeURIComponent(base64), encodeURIComponent(encodeURIComponent(base64))]) {
      for (const body of [
        `phone_number=${tenant.phoneNumber}&file=data:image/png;base64,${payload}`,
        `file=data%3Aimage%2Fpng%3Bbase64%2C${payload}&x=y&phone_number=${tenant.phoneNumber}`,
      ]) {
        assert.deepEqual((await stored(await uploadForm(body))).bytes, contents);
      }
    }
  });

  it('takes the type of an undeclared file from its name, then from its contents', async () => {
    const pdf = SAMPLES['application/pdf'];
    const byName = await upload([number(), { name: 'file', value: pdf, fileName: 'a.pdf' }]);
    assert.equal(byName.json.mime_type, 'application/pdf', byName.text);
    const byContents = await upload([number(), { name: 'file', value: pdf, fileName: 'a' }]);
    assert.equal(byContents.json.mime_type, 'application/pdf', byContents.text);
    const byField = await upload([
      { name: 'file', value: SAMPLES['audio/ogg'], fileName: 'blob' },
      { name: 'filename', value: 'voice.opus' },
      number(),
    ]);
    assert.equal(byField.json.mime_type, 'audio/ogg', byField.text);
  });

  it('strips parameters of the type and replaces its aliases', async () => {
    const voice = { name: 'file', value: SAMPLES['audio/ogg'], fileName: 'v', contentType: 'audio/ogg; codecs=opus' };
    assert.equal((await upload([number(), voice])).json.mime_type, 'audio/ogg');
    const photo = { name: 'file', value: SAMPLES['image/jpeg'], fileName: 'p', contentType: 'image/jpg' };
    assert.equal((await upload([number(), photo])).json.mime_type, 'image/jpeg');
  });

  it('uploads Opus as a type that messages can use, under any of its names', async () => {
    const value = SAMPLES['audio/ogg'];
    for (const file of [
      { value, fileName: 'voice.ogg', contentType: 'audio/opus' },
      { value, fileName: 'voice.opus' },
      { value, fileName: 'voice.opus', contentType: 'application/octet-stream' },
      { value: `data:audio/opus;base64,${value.toString('base64')}` },
    ]) {
      const answer = await upload([number(), { name: 'file', ...file }]);
      assert.equal((await stored(answer)).node.mime_type, 'audio/ogg');
    }
  });

  it('finds the audio marker of a file, at its end as well', async () => {
    const voice = makeMovie('3gp4', [['soun', 90]], { isAtEnd: true });
    for (const file of [
      { fileName: 'voice.m4a' },
      { fileName: 'voice.3gp' },
      { fileName: 'voice' },
      { fileName: 'v', contentType: 'audio/x-m4a' },
    ]) {
      const answer = await upload([number(), { name: 'file', value: voice, ...file }]);
      assert.equal(answer.json.mime_type, 'audio/mp4', answer.text);
    }
  });

  it('accepts a data URI with commas in the parameters of its type', async () => {
    const film = SAMPLES['video/mp4'];
    const uri = `data:video/mp4;codecs=vp9,opus;base64,${film.toString('base64')}`;
    for (const answer of [
      await upload([number(), { name: 'file', value: uri }]),
      await uploadForm(`phone_number=${tenant.phoneNumber}&file=${encodeURIComponent(uri)}`),
    ]) {
      const { node, bytes } = await stored(answer);
      assert.equal(node.mime_type, 'video/mp4');
      assert.deepEqual(bytes, film);
    }
  });

  it('refuses a missing phone_number with MISSING_PHONE_NUMBER', async () => {
    refused(await upload([png()]), 400, 'MISSING_PHONE_NUMBER');
    refused(await upload([png(), { name: 'phone_number', value: '' }]), 400, 'MISSING_PHONE_NUMBER');
    refused(await upload([]), 400, 'MISSING_PHONE_NUMBER');
    refused(await uploadForm('file=x'), 400, 'MISSING_PHONE_NUMBER');
    refused(await uploadForm(''), 400, 'MISSING_PHONE_NUMBER');
  });

  it('refuses a missing file, and a value that is not a data URI, with MISSING_FILE', async () => {
    refused(await upload([number()]), 400, 'MISSING_FILE');
    refused(await upload([number(), { ...png(), name: 'document' }]), 400, 'MISSING_FILE');
    refused(await upload([number(), { name: 'file', value: '', fileName: '' }]), 400, 'MISSING_FILE');
    for (const value of ['', 'hello', 'https://example.com/a.png', 'data:image/png,x', 'data:image/png;base64,!']) {
      refused(await upload([number(), { name: 'file', value }]), 400, 'MISSING_FILE');
      refused(
        await uploadForm(`phone_number=${tenant.phoneNumber}&file=${encodeURIComponent(value)}`),
        400,
        'MISSING_FILE',
      );
    }
  });

  it('refuses a body that is not a form with MISSING_FILE', async () => {
    const path = '/v1/media/upload';
    for (const [contentType, body] of [
      ['application/json', JSON.stringify({ phone_number: tenant.phoneNumber, file: 'data:image/png;base64,QQ==' })],
      ['text/plain', 'x'],
      ['multipart/form-data', 'x'],
      ['multipart/form-data; boundary=', 'x'],
      ['multipart/mixed; boundary=x', '--x--'],
    ] as const) {
      refused(
        await call(gateway, tenant, 'POST', path, { body, headers: { 'content-type': contentType } }),
        400,
        'MISSING_FILE',
      );
    }
  });

  it('refuses unsupported, empty, contradictory and duplicate files with INVALID_MEDIA', async () => {
    const file = (value: Buffer, contentType: string): Part => ({ name: 'file', value, fileName: 'a', contentType });
    refused(await upload([number(), file(Buffer.from('GIF89a'), 'image/gif')]), 400, 'INVALID_MEDIA');
    refused(await upload([number(), file(Buffer.alloc(0), 'image/png')]), 400, 'INVALID_MEDIA');
    refused(await upload([number(), file(PNG, 'application/pdf')]), 400, 'INVALID_MEDIA');
    refused(await upload([number(), file(PNG, 'text/plain')]), 400, 'INVALID_MEDIA');
    refused(await upload([number(), png(), png()]), 400, 'INVALID_MEDIA');
    refused(await upload([number(), { name: 'file', value: 'data:image/png;base64,' }]), 400, 'INVALID_MEDIA');
  });

  it('refuses a missing or wrong key with UNAUTHORIZED before it reads the body', async () => {
    const form = encodeMultipart([number(), png()]);
    refused(await call(gateway, undefined, 'POST', '/v1/media/upload', form), 401, 'UNAUTHORIZED');
    refused(await call(gateway, { apiKey: 'fw_live_x' }, 'POST', '/v1/media/upload', form), 401, 'UNAUTHORIZED');
  });

  it('answers ACCOUNT_NOT_FOUND alike for unknown, foreign and misspelled numbers', async () => {
    const bodies = new Set<string>();
    for (const value of [other.phoneNumber, '15550000000', `+${tenant.phoneNumber}`, 'x\u0000', '1'.repeat(300)]) {
      const answer = await upload([{ name: 'phone_number', value }, png()]);
      refused(answer, 404, 'ACCOUNT_NOT_FOUND');
      bodies.add(answer.json.message);
      refused(await upload([{ name: 'phone_number', value }]), 400, 'MISSING_FILE');
    }
    assert.equal(bodies.size, 1);
    assert.match([...bodies].join(), /with country code and without "\+"/);
  });

  it('lets the upstream decide if an unregistered number may upload', async () => {
    const unregistered = await createTenant(gateway, { number: { status: 'PENDING' } });
    const number = { name: 'phone_number', value: unregistered.phoneNumber };
    const ask = () => call(gateway, unregistered, 'POST', '/v1/media/upload', encodeMultipart([number, png()]));
    assert.equal((await ask()).status, 200);
    const scope = { endpoint: 'media', phoneNumberId: unregistered.phoneNumberId } as const;
    gateway.simulator.world.addFault({ fault: { kind: 'error', code: 133010 }, scope, times: 1 });
    const answer = await ask();
    refused(answer, 400, 'UPLOAD_REJECTED');
    assert.equal(answer.json.provider_error.code, 133010);
  });

  it("passes on the upstream's refusal with its status and words", async () => {
    const scope = { endpoint: 'media', phoneNumberId: tenant.phoneNumberId } as const;
    const { world } = gateway.simulator;
    world.addFault({ fault: { kind: 'error', code: 100, details: 'The file is cursed.' }, scope, times: 1 });
    const rejected = await upload([number(), png()]);
    refused(rejected, 400, 'UPLOAD_REJECTED');
    assert.equal(rejected.json.message, 'The file is cursed.');
    assert.equal(rejected.json.provider_error.code, 100);
    assert.equal(rejected.json.error.code, 100);

    world.addFault({ fault: { kind: 'error', code: 131031 }, scope, times: 1 });
    refused(await upload([number(), png()]), 403, 'UPLOAD_REJECTED');
    world.addFault({ fault: { kind: 'error', code: 190 }, scope, times: 1 });
    refused(await upload([number(), png()]), 502, 'UPLOAD_REJECTED');
    world.addFault({ fault: { kind: 'error', code: 100, subcode: 33 }, scope, times: 1 });
    refused(await upload([number(), png()]), 502, 'UPLOAD_REJECTED');
  });

  it('answers UPLOAD_FAILED for transient upstream errors', async () => {
    const scope = { endpoint: 'media', phoneNumberId: tenant.phoneNumberId } as const;
    for (const fault of [
      { kind: 'error', code: 2 },
      { kind: 'error', code: 131016 },
      { kind: 'http', httpStatus: 502, body: '<html>', contentType: 'text/html' },
      { kind: 'reset_before' },
      { kind: 'reset_after' },
      { kind: 'reply_cut' },
    ] as const) {
      gateway.simulator.world.addFault({ fault, scope, times: 1 });
      const answer = await upload([number(), png()]);
      refused(answer, 500, 'UPLOAD_FAILED');
      assert.equal(answer.headers.get('retry-after'), '1');
    }
    for (const code of [4, 80007]) {
      gateway.simulator.world.addFault({ fault: { kind: 'error', code }, scope, times: 1 });
      const answer = await upload([number(), png()]);
      refused(answer, 500, 'UPLOAD_FAILED');
      assert.equal(answer.headers.get('retry-after'), '60', 'too many calls, and nothing says for how long');
    }
    assert.equal((await upload([number(), png()])).status, 200);
  });

  it('returns the file name, made safe, in downloads', async () => {
    const { json } = await upload([
      number(),
      { ...png(), fileName: 'upload.png' },
      { name: 'filename', value: '../März\u202e "1"\r\n.png' },
    ]);
    const file = await fetch(`${gateway.baseUrl}/v1/media/${json.media_id}/download`, {
      headers: { authorization: `Bearer ${tenant.apiKey}` },
    });
    await file.arrayBuffer();
    assert.equal(
      file.headers.get('content-disposition'),
      `attachment; filename="M_rz _1_.png"; filename*=UTF-8''M%C3%A4rz%20_1_.png`,
    );
  });

  describe('in the spelling of the Cloud API', () => {
    const post = (path: string, parts: readonly Part[]) => call(gateway, tenant, 'POST', path, encodeMultipart(parts));

    it('uploads under the number in the path and returns only the id', async () => {
      for (const version of ['v1', 'v24.0', 'v19.0']) {
        const answer = await post(`/${version}/${tenant.phoneNumberId}/media`, [
          { name: 'messaging_product', value: 'whatsapp' },
          { name: 'type', value: 'image/png' },
          { name: 'file', value: PNG, fileName: 'a', contentType: 'application/octet-stream' },
        ]);
        assert.equal(answer.status, 200, answer.text);
        assert.deepEqual(Object.keys(answer.json), ['id']);
        const node = await call(gateway, tenant, 'GET', `/${version}/${answer.json.id}`);
        assert.equal(node.json.mime_type, 'image/png');
      }
    });

    it("uses the file part's type if the declared one is missing or impossible", async () => {
      const uploadAs = (type: string, contentType: string, contents: Buffer) =>
        post(`/v1/${tenant.phoneNumberId}/media`, [
          { name: 'messaging_product', value: 'whatsapp' },
          { name: 'file', value: contents, fileName: 'blob', contentType },
          { name: 'type', value: type },
        ]);
      const text = Buffer.from('a;b\n1;2\n');
      for (const [type, contentType, contents] of [
        ['image/jpeg', 'image/png', PNG],
        ['text/csv', 'text/plain', text],
        // Most files with such contents are videos.
        ['audio', 'audio/mp4', SAMPLES['video/mp4']],
      ] as const) {
        const answer = await uploadAs(type, contentType, contents);
        assert.equal(answer.status, 200, answer.text);
        const node = await call(gateway, tenant, 'GET', `/v1/${answer.json.id}`);
        assert.equal(node.json.mime_type, contentType);
      }
      for (const contentType of ['application/pdf', 'application/octet-stream']) {
        const neither = await uploadAs('image/jpeg', contentType, PNG);
        refused(neither, 400, 'INVALID_MEDIA');
        assert.match(neither.json.message, /image\/jpeg/);
      }
    });

    it('refuses another product, a foreign number and a missing file', async () => {
      const file = png();
      const product = { name: 'messaging_product', value: 'telegram' };
      refused(await post(`/v1/${tenant.phoneNumberId}/media`, [product, file]), 400, 'VALIDATION_ERROR');
      refused(await post(`/v1/${tenant.phoneNumberId}/media`, []), 400, 'MISSING_FILE');
      const foreign = await post(`/v1/${other.phoneNumberId}/media`, [file]);
      refused(foreign, 404, 'ACCOUNT_NOT_FOUND');
      const absent = await post('/v1/1234567890/media', [file]);
      refused(absent, 404, 'ACCOUNT_NOT_FOUND');
      assert.equal(foreign.json.message, absent.json.message);
    });
  });
});
