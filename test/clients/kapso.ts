import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { startCallbackReceiver } from '../api/webhooks/callback-receiver.ts';
import { useGateway, useTenant } from '../harness/fixtures.ts';
import { call, freshRecipient, sendsTo, until, writtenRecipient } from '../harness/tenant.ts';
import { SAMPLES } from '../support/media-samples.ts';
import { loadClient } from './load-client.ts';

// biome-ignore lint/suspicious/noExplicitAny: the client's types are not installed where this is checked
type Anything = any;
type Kapso = { WhatsAppClient: new (options: object) => Anything };
type KapsoServer = { verifySignature(parts: object): boolean; normalizeWebhook(payload: unknown): Anything };

describe('@kapso/whatsapp-cloud-api, with another baseUrl and an API key', () => {
  const gateway = useGateway({ fetchAllowCidrs: ['127.0.0.0/8'] });
  const tenant = useTenant(gateway);
  let client: Anything;
  let to: string;
  before(async () => {
    const { WhatsAppClient } = await loadClient<Kapso>('@kapso/whatsapp-cloud-api');
    client = new WhatsAppClient({ accessToken: tenant.apiKey, baseUrl: gateway.baseUrl, graphVersion: 'v23.0' });
    to = await writtenRecipient(gateway, tenant);
  });
  const from = () => ({ phoneNumberId: tenant.phoneNumberId, to });
  const sent = (type: string) =>
    until(`a message of type ${type} is at the platform`, () =>
      sendsTo(gateway, to).find((one) => one.body.includes(`"${type}"`)),
    );

  it('messages of every kind: an id as the answer, the body at the platform', async () => {
    const { messages } = client;
    const link = 'https://example.com/a.png';
    const sends: [type: string, answer: Promise<Anything>][] = [
      ['text', messages.sendText({ ...from(), body: 'Your table is ready.' })],
      ['image', messages.sendImage({ ...from(), image: { link, caption: 'A table' } })],
      ['location', messages.sendLocation({ ...from(), location: { latitude: 1, longitude: 2, name: 'Here' } })],
      [
        'interactive',
        messages.sendInteractiveButtons({ ...from(), bodyText: 'Coming?', buttons: [{ id: 'yes', title: 'Yes' }] }),
      ],
      ['template', messages.sendTemplate({ ...from(), template: { name: 'greeting', language: { code: 'en_US' } } })],
    ];
    for (const [type, answer] of sends) {
      const { messages: ids, contacts } = await answer;
      assert.ok(ids[0].id, type);
      assert.equal(contacts[0].waId, to.slice(1), type);
      const { body } = await sent(type);
      assert.equal(JSON.parse(body.toString()).type, type);
    }
  });

  it('a refusal: an error of the client with the code and the words of the gateway', async () => {
    await assert.rejects(
      client.messages.sendText({ phoneNumberId: tenant.phoneNumberId, to: '12', body: 'x' }),
      (error: Anything) => {
        assert.deepEqual([error.name, error.httpStatus], ['GraphApiError', 400]);
        assert.match(error.message, /"to"/);
        return true;
      },
    );
  });

  it('an inbound message: verified, parsed, answered, marked as read', async () => {
    await using receiver = await startCallbackReceiver('kapso');
    await call(gateway, tenant, 'POST', `/v23.0/${tenant.wabaId}/subscribed_apps`, {
      body: { override_callback_uri: receiver.url, verify_token: 'kapso' },
    });
    const { verifySignature, normalizeWebhook } = await loadClient<KapsoServer>('@kapso/whatsapp-cloud-api/server');
    const { wamid } = await gateway.simulator.world.inbound({
      ...{ phoneNumberId: tenant.phoneNumberId, from: to, text: 'Ça va? 😀' },
    });
    const delivery = await until('the message arrives', () =>
      receiver.received.find(({ body }) => body.includes(wamid)),
    );
    const signatureHeader = delivery.headers['x-hub-signature-256'];
    assert.ok(verifySignature({ appSecret: tenant.apiKey, rawBody: delivery.body, signatureHeader }));
    assert.ok(!verifySignature({ appSecret: 'another', rawBody: delivery.body, signatureHeader }));
    const { messages, phoneNumberId } = normalizeWebhook(delivery.json);
    assert.equal(phoneNumberId, tenant.phoneNumberId);
    assert.partialDeepStrictEqual(messages[0], { id: wamid, type: 'text', kapso: { direction: 'inbound' } });
    const read = await client.messages.markRead({ phoneNumberId, messageId: wamid, typingIndicator: { type: 'text' } });
    assert.deepEqual(read, { success: true });
  });

  it('media: uploaded, read, downloaded with its key, sent, deleted', async () => {
    const { phoneNumberId } = tenant;
    const { media, messages } = client;
    const file = new Blob([SAMPLES['image/png']], { type: 'image/png' });
    const { id: mediaId } = await media.upload({ phoneNumberId, type: 'image/png', file, fileName: 'a.png' });
    assert.partialDeepStrictEqual(await media.get({ mediaId, phoneNumberId }), { id: mediaId, mimeType: 'image/png' });
    const bytes = await media.download({ mediaId, phoneNumberId, auth: 'always' });
    assert.deepEqual(Buffer.from(bytes), Buffer.from(SAMPLES['image/png']));
    await messages.sendImage({ phoneNumberId, to, image: { id: mediaId } });
    await until('the image is at the platform', () => sendsTo(gateway, to).find((one) => one.body.includes(mediaId)));
    assert.deepEqual(await media.delete({ mediaId, phoneNumberId }), { success: true });
  });

  it('templates: created, listed, deleted', async () => {
    const businessAccountId = tenant.wabaId;
    const components = [{ type: 'BODY', text: 'See you soon.' }];
    const created = await client.templates.create({
      ...{ businessAccountId, name: 'see_you', language: 'en_US', category: 'UTILITY', components },
    });
    assert.deepEqual(Object.keys(created).sort(), ['category', 'id', 'status']);
    const { data } = await client.templates.list({ businessAccountId, name: 'see_you' });
    assert.deepEqual(
      data.map(({ name }: Anything) => name),
      ['see_you'],
    );
    assert.deepEqual(await client.templates.delete({ businessAccountId, name: 'see_you' }), { success: true });
  });

  it('a number: profile, settings, verification, registration', async () => {
    const { phoneNumbers } = client;
    const { phoneNumberId } = tenant;
    const about = 'Open till six';
    assert.deepEqual(await phoneNumbers.businessProfile.update({ phoneNumberId, about }), { success: true });
    const profile = await phoneNumbers.businessProfile.get({ phoneNumberId, fields: 'about' });
    assert.deepEqual(profile, { data: [{ about }] });
    await phoneNumbers.settings.update({ phoneNumberId, calling: { status: 'ENABLED' } });
    assert.equal((await phoneNumbers.settings.get({ phoneNumberId })).calling.status, 'ENABLED');
    await phoneNumbers.requestCode({ phoneNumberId, codeMethod: 'SMS', language: 'en_US' });
    await phoneNumbers.verifyCode({ phoneNumberId, code: '123456' });
    assert.deepEqual(await phoneNumbers.register({ phoneNumberId, pin: '482913' }), { success: true });
  });

  it('a flow: deployed with its JSON, published, read, listed', async () => {
    const wabaId = tenant.wabaId;
    const flowJson = {
      version: '7.0',
      screens: [{ id: 'START', title: 'Book', terminal: true, layout: { type: 'SingleColumnLayout', children: [] } }],
    };
    const { flowId } = await client.flows.deploy(flowJson, { wabaId, name: 'booking', publish: true });
    await client.flows
      .updateAsset({ flowId, json: flowJson })
      .catch((error: Anything) => assert.equal(error.httpStatus, 400));
    assert.partialDeepStrictEqual(await client.flows.get({ flowId }), {
      id: flowId,
      name: 'booking',
      status: 'PUBLISHED',
    });
    assert.equal((await client.flows.list({ wabaId })).data.length, 1);
    assert.deepEqual(await client.flows.deprecate({ flowId }), { success: true });
  });

  it('calls: permission, connected, ended', async () => {
    const { calls } = client;
    const { phoneNumberId } = tenant;
    const { permission } = await calls.permissions.get({ phoneNumberId, userWaId: to.slice(1) });
    assert.equal(permission.status, 'no_permission');
    const session = { sdpType: 'offer', sdp: 'v=0' };
    const connected = await calls.connect({ phoneNumberId, to: freshRecipient().slice(1), session });
    const callId = connected.calls[0].id;
    assert.partialDeepStrictEqual(await calls.terminate({ phoneNumberId, callId }), { success: true });
  });
});
