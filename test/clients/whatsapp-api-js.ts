import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { startCallbackReceiver } from '../api/webhooks/callback-receiver.ts';
import { useGateway, useTenant } from '../harness/fixtures.ts';
import { call, sendsTo, until, writtenRecipient } from '../harness/tenant.ts';
import { SAMPLES } from '../support/media-samples.ts';
import { atGateway, loadClient } from './load-client.ts';

// biome-ignore lint/suspicious/noExplicitAny: the client's types are not installed where this is checked
type Anything = any;
type Library = { WhatsAppAPI: new (options: object) => Anything };
type Messages = Record<
  'Text' | 'Image' | 'Template' | 'Language' | 'Interactive' | 'ActionButtons' | 'Button' | 'Body',
  new (
    ...parts: Anything[]
  ) => Anything
>;

describe('whatsapp-api-js, with a fetch that asks the gateway, and an API key', () => {
  const gateway = useGateway({ fetchAllowCidrs: ['127.0.0.0/8'] });
  const tenant = useTenant(gateway);
  let client: Anything;
  let make: Messages;
  let to: string;
  before(async () => {
    const { WhatsAppAPI } = await loadClient<Library>('whatsapp-api-js');
    make = await loadClient<Messages>('whatsapp-api-js/messages');
    const request = (url: string | URL, init?: RequestInit) => fetch(atGateway(String(url), gateway.baseUrl), init);
    const { apiKey } = tenant;
    client = new WhatsAppAPI({
      token: apiKey,
      appSecret: apiKey,
      webhookVerifyToken: 'own',
      v: 'v24.0',
      ponyfill: { fetch: request },
    });
    to = await writtenRecipient(gateway, tenant);
  });
  const sent = (text: string) =>
    until(`${text} is at the platform`, () => sendsTo(gateway, to).find((one) => one.body.includes(text)));

  it('text, template and buttons: an id as the answer, the body at the platform', async () => {
    const { phoneNumberId } = tenant;
    const buttons = new make.Interactive(
      new make.ActionButtons(new make.Button('yes', 'Yes')),
      new make.Body('Coming?'),
    );
    for (const [message, text] of [
      [new make.Text('Your table is ready.'), 'Your table is ready.'],
      [new make.Template('greeting', new make.Language('en_US')), 'greeting'],
      [buttons, 'Coming?'],
    ] as const) {
      const answer = await client.sendMessage(phoneNumberId, to, message, undefined, 'tracker');
      assert.ok(answer.messages?.[0].id, JSON.stringify(answer));
      assert.equal(JSON.parse((await sent(text)).body.toString()).biz_opaque_callback_data, 'tracker');
    }
  });

  it('media: uploaded, read, fetched, sent, deleted', async () => {
    const { phoneNumberId } = tenant;
    const form = new FormData();
    form.set('file', new Blob([SAMPLES['image/png']], { type: 'image/png' }), 'a.png');
    const { id } = await client.uploadMedia(phoneNumberId, form);
    const { url, mime_type } = await client.retrieveMedia(id, phoneNumberId);
    assert.equal(mime_type, 'image/png');
    const file = await client.fetchMedia(url);
    assert.deepEqual(Buffer.from(await file.arrayBuffer()), Buffer.from(SAMPLES['image/png']));
    await client.sendMessage(phoneNumberId, to, new make.Image(id, true));
    await sent(id);
    assert.deepEqual(await client.deleteMedia(id), { success: true });
  });

  it('people blocked and let in again, without a version in the path', async () => {
    const { phoneNumberId } = tenant;
    const blocked = await client.blockUser(phoneNumberId, '12025550123');
    assert.equal(blocked.block_users.added_users[0].wa_id, '12025550123');
    assert.deepEqual([...gateway.simulator.world.edges.blockedBy(phoneNumberId)], ['12025550123']);
    await client.unblockUser(phoneNumberId, '12025550123');
    assert.equal(gateway.simulator.world.edges.blockedBy(phoneNumberId).size, 0);
  });

  it('QR codes: made, read, listed, changed, deleted', async () => {
    const { phoneNumberId } = tenant;
    const { code, qr_image_url } = await client.createQR(phoneNumberId, 'Hello there', 'svg');
    assert.ok(qr_image_url);
    assert.equal((await client.retrieveQR(phoneNumberId, code)).data[0].prefilled_message, 'Hello there');
    assert.equal((await client.retrieveQR(phoneNumberId)).data.length, 1);
    assert.equal((await client.updateQR(phoneNumberId, code, 'Hello again')).prefilled_message, 'Hello again');
    assert.deepEqual(await client.deleteQR(phoneNumberId, code), { success: true });
  });

  it('a call: initiated and ended', async () => {
    const { calls } = await client.initiateCall(tenant.phoneNumberId, '12025550123', 'v=0');
    assert.partialDeepStrictEqual(await client.terminateCall(tenant.phoneNumberId, calls[0].id), { success: true });
  });

  it('the webhook: handshake answered, deliveries verified and given to its functions', async () => {
    const { 'hub.challenge': challenge, ...others } = {
      'hub.mode': 'subscribe',
      'hub.verify_token': 'own',
      'hub.challenge': '42',
    };
    assert.equal(client.get({ ...others, 'hub.challenge': challenge }), '42');
    await using receiver = await startCallbackReceiver('own');
    const { status } = await call(gateway, tenant, 'POST', `/v24.0/${tenant.wabaId}/subscribed_apps`, {
      body: { override_callback_uri: receiver.url, verify_token: 'own' },
    });
    assert.equal(status, 200);
    const seen: Anything[] = [];
    client.on.message = (args: Anything) => seen.push(args);
    client.on.status = (args: Anything) => seen.push(args);
    const { wamid } = await gateway.simulator.world.inbound({ phoneNumberId: tenant.phoneNumberId, from: to });
    await client.sendMessage(tenant.phoneNumberId, to, new make.Text('Thanks.'));
    await until('the message and a status arrive', () => receiver.received.length >= 2 || undefined);
    for (const { body, json, headers } of receiver.received) {
      await client.post(json, body, headers['x-hub-signature-256']);
    }
    const message = seen.find((args) => args.message?.id === wamid);
    assert.equal(message.phoneID, tenant.phoneNumberId);
    assert.ok(seen.some(({ status: reported }) => reported === 'sent'));
    assert.deepEqual(await message.received(), { success: true });
    await assert.rejects(client.post({}, '{}', 'sha256=00'));
  });
});
