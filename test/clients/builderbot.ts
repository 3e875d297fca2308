import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { useGateway, useTenant } from '../harness/fixtures.ts';
import { admin, call, sendsTo, until, writtenRecipient } from '../harness/tenant.ts';
import { SAMPLES } from '../support/media-samples.ts';
import { atGateway, loadClient, requireClient } from './load-client.ts';

// biome-ignore lint/suspicious/noExplicitAny: the client's types are not installed where this is checked
type Anything = any;

describe('@builderbot/provider-meta, its axios pointed at the gateway, with the leniency to_without_plus', () => {
  const gateway = useGateway({ fetchAllowCidrs: ['127.0.0.0/8'] });
  const tenant = useTenant(gateway);
  const folder = mkdtempSync(join(tmpdir(), 'builderbot-'));
  after(() => rmSync(folder, { recursive: true }));
  let bot: Anything;
  let to: string;
  before(async () => {
    await admin(gateway, 'PATCH', `/organizations/${tenant.organizationId}`, { to_without_plus: true });
    const axios = requireClient<Anything>('axios');
    axios.interceptors.request.use((config: Anything) => ({ ...config, url: atGateway(config.url, gateway.baseUrl) }));
    const { MetaProvider } = await loadClient<Anything>('@builderbot/provider-meta');
    const { apiKey: jwtToken, phoneNumberId: numberId } = tenant;
    bot = new MetaProvider({ jwtToken, numberId, verifyToken: 'own', version: 'v24.0' });
    to = await writtenRecipient(gateway, tenant);
  });
  const sent = (text: string) =>
    until(`${text} is at the platform`, () => sendsTo(gateway, to).find((one) => one.body.includes(text)));
  const digits = () => to.slice(1);

  it('text, list, buttons, template, location: the body at the platform, an id as the answer', async () => {
    const section = { title: 'Times', rows: [{ id: '18', title: '18:00', description: 'Evening' }] };
    bot.sendText(digits(), 'Your table is ready.');
    bot.sendListComplete(digits(), 'Book', 'When?', 'Fairway', 'Times', [section]);
    bot.sendButtons(digits(), [{ body: 'Yes' }], 'Coming?');
    bot.sendTemplate(digits(), 'greeting', 'en_US');
    bot.sendLocation(digits(), { long_number: '2', lat_number: '1', name: 'Here', address: 'Road 1' });
    for (const text of ['Your table is ready.', 'When?', 'Coming?', 'greeting', 'Road 1']) {
      assert.equal(JSON.parse((await sent(text)).body.toString()).to, digits());
    }
    const body = { messaging_product: 'whatsapp', to: digits(), type: 'text', text: { body: 'At once.' } };
    assert.ok((await bot.sendMessageToApi(body)).messages[0].id);
  });

  it('a file: uploaded, and sent by its id', async () => {
    const path = join(folder, 'table.png');
    writeFileSync(path, SAMPLES['image/png']);
    await bot.sendImage(digits(), path, 'A table');
    assert.match((await sent('A table')).body.toString(), /"id":"\d+"/);
  });

  it('its own webhook server: answers our handshake, gets a message, saves its file', async () => {
    bot.initAll(0, { blacklist: undefined, handleCtx: undefined });
    const server: Anything = await until('the server listens', () => bot.server?.server?.address() ?? undefined);
    after(() => bot.server.server.close());
    const url = `http://127.0.0.1:${server.port}/webhook`;
    const subscribed = await call(gateway, tenant, 'POST', `/v24.0/${tenant.wabaId}/subscribed_apps`, {
      body: { override_callback_uri: url, verify_token: 'own' },
    });
    assert.equal(subscribed.status, 200, subscribed.text);
    const messages: Anything[] = [];
    bot.on('message', (message: Anything) => messages.push(message));
    const media = { bytes: SAMPLES['image/jpeg'], mimeType: 'image/jpeg' };
    const { wamid } = await gateway.simulator.world.inbound({
      ...{ phoneNumberId: tenant.phoneNumberId, from: to, type: 'image', media },
    });
    const message = await until('the message arrives', () => messages.find(({ message_id }) => message_id === wamid));
    assert.partialDeepStrictEqual(message, { from: digits(), type: 'image' });
    assert.deepEqual(readFileSync(await bot.saveFile(message, { path: folder })), SAMPLES['image/jpeg']);
  });
});
