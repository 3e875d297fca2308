import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { useGateway, useTenant } from '../harness/fixtures.ts';
import { encodeMultipart } from '../harness/multipart.ts';
import { call, freshRecipient, send, until } from '../harness/tenant.ts';
import { SAMPLES } from '../support/media-samples.ts';

describe('a conversation with pictures', () => {
  const gateway = useGateway();
  const tenant = useTenant(gateway, {
    templates: [
      {
        name: 'parcel_photo',
        language: 'en_US',
        components: [
          { type: 'HEADER', format: 'IMAGE', example: { header_handle: ['4::aW1hZ2U'] } },
          { type: 'BODY', text: 'Your parcel is at the door.' },
        ],
      },
    ],
  });

  async function upload(): Promise<string> {
    const form = encodeMultipart([
      { name: 'file', value: SAMPLES['image/png'], fileName: 'parcel.png', contentType: 'image/png' },
      { name: 'phone_number', value: tenant.phoneNumber },
    ]);
    const answer = await call(gateway, tenant, 'POST', '/v1/media/upload', form);
    assert.equal(answer.status, 200, answer.text);
    return answer.json.media_id;
  }

  const read = (messageId: string) =>
    until('the message is read', async () => {
      const { json } = await call(gateway, tenant, 'GET', `/v1/messages/${messageId}`);
      return json.status === 'read' ? json : undefined;
    });

  it('an uploaded picture is sent in a template, a picture is received, another is sent back', async () => {
    const to = freshRecipient();
    const parcel = await upload();
    const opening = await send(gateway, tenant, {
      to,
      type: 'template',
      template: {
        name: 'parcel_photo',
        language: { code: 'en_US' },
        components: [{ type: 'header', parameters: [{ type: 'image', image: { id: parcel } }] }],
      },
    });
    assert.equal(opening.status, 202, opening.text);
    await read(opening.json.messages[0].id);

    const media = { bytes: SAMPLES['image/jpeg'], mimeType: 'image/jpeg' };
    const inbound = await gateway.simulator.world.inbound({
      phoneNumberId: tenant.phoneNumberId,
      from: to.slice(1),
      type: 'image',
      media,
    });
    assert.equal(inbound.delivery?.httpStatus, 200);
    const payload = JSON.parse(String(inbound.delivery?.body)) as {
      entry: { changes: { value: { messages: { image: { id: string } }[] } }[] }[];
    };
    const receivedId = payload.entry[0]?.changes[0]?.value.messages[0]?.image.id;
    const node = await call(gateway, tenant, 'GET', `/v1/${receivedId}`);
    assert.equal(node.status, 200, node.text);
    const file = await fetch(node.json.url, { headers: { authorization: `Bearer ${tenant.apiKey}` } });
    assert.deepEqual(Buffer.from(await file.arrayBuffer()), SAMPLES['image/jpeg']);

    const reply = await send(gateway, tenant, { to, type: 'image', image: { id: await upload(), caption: 'Thanks!' } });
    assert.equal(reply.status, 202, reply.text);
    await read(reply.json.messages[0].id);
  });
});
