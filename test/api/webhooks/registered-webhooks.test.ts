import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, it } from 'node:test';
import { useGateway, useTenant } from '../../harness/fixtures.ts';
import type { Gateway } from '../../harness/gateway.ts';
import {
  call,
  freshRecipient,
  issueKey,
  send,
  type Tenant,
  templateTo,
  until,
  untilStatus,
} from '../../harness/tenant.ts';
import { inboundText, nowSeconds, postChange } from '../../harness/upstream-webhook.ts';
import { type CallbackReceiver, startCallbackReceiver } from './callback-receiver.ts';

const APP = '1234567890123456';
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

/** Checks a delivery as clients do that have the API key as their app secret. */
function isSignedWith(key: string, { headers, body }: { headers: Record<string, unknown>; body: string }): boolean {
  return headers['x-hub-signature-256'] === `sha256=${createHmac('sha256', key).update(body).digest('hex')}`;
}

async function postInbound(gateway: Gateway, tenant: Tenant, text: string): Promise<void> {
  const message = inboundText(freshRecipient().slice(1), nowSeconds(), { text: { body: text } });
  await postChange(gateway, tenant, { messages: [message] });
}

function textsOf(receiver: CallbackReceiver): string[] {
  return receiver.received.flatMap(({ json }) =>
    (json.entry[0].changes[0].value.messages ?? []).map((message: { text: { body: string } }) => message.text.body),
  );
}

describe('webhooks registered as at the platform', () => {
  const gateway = useGateway({ fetchAllowCidrs: ['127.0.0.0/8'] });
  const tenant = useTenant(gateway);
  const other = useTenant(gateway);

  const ask = (method: string, path: string, body?: unknown, of: { apiKey: string } = tenant) =>
    call(gateway, of, method, path, body === undefined ? {} : { body });
  const endpoints = async (of: Tenant = tenant) => (await ask('GET', '/v1/webhooks', undefined, of)).json.data;

  it("n8n's trigger: token, list, subscription by form, deliveries signed with the key, deletion", async () => {
    await using receiver = await startCallbackReceiver('n8n node');
    const credentials = { client_id: APP, client_secret: tenant.apiKey, grant_type: 'client_credentials' };
    const form = (values: Record<string, string>) => new URLSearchParams(values).toString();
    const token = await call(gateway, undefined, 'POST', '/v19.0/oauth/access_token', {
      ...{ headers: FORM, body: form(credentials) },
    });
    assert.deepEqual([token.status, token.json.token_type], [200, 'bearer'], token.text);
    const app = { apiKey: token.json.access_token };
    const path = `/v19.0/${APP}/subscriptions`;
    assert.deepEqual((await ask('GET', path, undefined, app)).json, { data: [] });
    const subscription = {
      object: 'whatsapp_business_account',
      callback_url: receiver.url,
      verify_token: 'n8n node',
      fields: JSON.stringify(['messages']),
    };
    const made = await call(gateway, app, 'POST', path, { headers: FORM, body: form(subscription) });
    assert.deepEqual([made.status, made.json], [200, { success: true }], made.text);
    const listed = await ask('GET', path, undefined, app);
    assert.deepEqual(listed.json.data, [
      {
        object: 'whatsapp_business_account',
        callback_url: receiver.url,
        active: true,
        fields: [{ name: 'messages', version: 'v24.0' }],
      },
    ]);
    await postInbound(gateway, tenant, 'for n8n');
    await postInbound(gateway, other, 'of another tenant');
    const sent = await send(gateway, tenant, templateTo(freshRecipient()));
    await until('the message and a status came', () => receiver.received.length >= 4 || undefined);
    for (const delivery of receiver.received) assert.ok(isSignedWith(tenant.apiKey, delivery), delivery.body);
    assert.deepEqual(textsOf(receiver), ['for n8n']);
    const ids = receiver.received.flatMap(({ json }) =>
      (json.entry[0].changes[0].value.statuses ?? []).map(({ id }: { id: string }) => id),
    );
    assert.deepEqual([...new Set(ids)], [sent.json.messages[0].id]);
    const ended = await call(gateway, app, 'DELETE', path, { body: { object: 'whatsapp_business_account' } });
    assert.deepEqual(ended.json, { success: true }, ended.text);
    assert.deepEqual((await ask('GET', path, undefined, app)).json, { data: [] });
    assert.deepEqual(await endpoints(), []);
  });

  it("pywa's set-up: app token, parameters in the query, addresses of account and number", async () => {
    await using receiver = await startCallbackReceiver('pywa word');
    const query = new URLSearchParams({
      ...{ grant_type: 'client_credentials', client_id: APP, client_secret: tenant.apiKey },
    });
    const token = await call(gateway, tenant, 'GET', `/v23.0/oauth/access_token?${query}`);
    assert.equal(token.json.access_token, tenant.apiKey, token.text);
    const parameters = new URLSearchParams({
      ...{ object: 'whatsapp_business_account', callback_url: receiver.url, verify_token: 'pywa word' },
      ...{ fields: 'messages,message_template_status_update', access_token: token.json.access_token },
    });
    const made = await ask('POST', `/v23.0/${APP}/subscriptions?${parameters}`);
    assert.deepEqual(made.json, { success: true }, made.text);
    const override = { override_callback_uri: `${receiver.url}/account`, verify_token: 'pywa word' };
    const ofAccount = await ask('POST', `/v23.0/${tenant.wabaId}/subscribed_apps`, override);
    assert.deepEqual(ofAccount.json, { success: true }, ofAccount.text);
    const webhook_configuration = { override_callback_uri: `${receiver.url}/number`, verify_token: 'pywa word' };
    const ofNumber = await ask('POST', `/v23.0/${tenant.phoneNumberId}/`, { webhook_configuration });
    assert.deepEqual(ofNumber.json, { success: true }, ofNumber.text);

    const expected = {
      application: receiver.url,
      whatsapp_business_account: `${receiver.url}/account`,
      phone_number: `${receiver.url}/number`,
    };
    for (const fields of ['webhook_configuration', 'id,verified_name,webhook_configuration,name_status']) {
      const read = await ask('GET', `/v23.0/${tenant.phoneNumberId}?fields=${fields}`);
      assert.deepEqual([read.status, read.json.webhook_configuration], [200, expected], read.text);
      assert.equal(read.json.id, tenant.phoneNumberId);
    }
    const foreign = await ask('GET', `/v23.0/${other.phoneNumberId}?fields=webhook_configuration`, undefined, other);
    assert.deepEqual(foreign.json.webhook_configuration, {});
    assert.equal((await endpoints()).length, 3);

    const { status } = await ask('POST', `/v23.0/${tenant.phoneNumberId}`, {
      webhook_configuration: { override_callback_uri: '' },
    });
    assert.equal(status, 200);
    const fewer = await ask('DELETE', `/v23.0/${APP}/subscriptions?fields=message_template_status_update`);
    assert.deepEqual(fewer.json, { success: true });
    const { data } = (await ask('GET', `/v23.0/${APP}/subscriptions`)).json;
    assert.deepEqual(data[0].fields, [{ name: 'messages', version: 'v24.0' }]);
    await ask('DELETE', `/v23.0/${APP}/subscriptions`);
    await ask('DELETE', `/v23.0/${tenant.wabaId}/subscribed_apps`);
    assert.deepEqual(await endpoints(), []);
  });

  it("Chatwoot's set-up: subscription, address; a POST replaces it, a DELETE ends it", async () => {
    await using receiver = await startCallbackReceiver('chatwoot word');
    const path = `/v22.0/${tenant.wabaId}/subscribed_apps`;
    assert.deepEqual((await ask('GET', path)).json, { data: [] });
    assert.deepEqual((await ask('POST', path, {})).json, { success: true });
    const [plain] = (await ask('GET', path)).json.data;
    assert.deepEqual([plain.override_callback_uri, plain.whatsapp_business_api_data.id], [undefined, '0']);
    assert.deepEqual(await endpoints(), []);
    for (const place of ['first', 'second']) {
      const override = { override_callback_uri: `${receiver.url}/${place}`, verify_token: 'chatwoot word' };
      assert.deepEqual((await ask('POST', path, override)).json, { success: true });
    }
    const { data } = (await ask('GET', path)).json;
    assert.deepEqual(
      data.map((one: { override_callback_uri: string }) => one.override_callback_uri),
      [`${receiver.url}/second`],
    );
    await postInbound(gateway, tenant, 'for Chatwoot');
    const delivery = await until('the message came', () => receiver.received[0]);
    assert.deepEqual([delivery.path, textsOf(receiver)], ['/hook/second', ['for Chatwoot']]);
    assert.deepEqual((await ask('DELETE', path)).json, { success: true });
    assert.deepEqual((await ask('DELETE', path)).json, { success: true });
    assert.deepEqual((await ask('GET', path)).json, { data: [] });
    assert.deepEqual(await endpoints(), []);
    // The platform still posts to the gateway.
    const sent = await send(gateway, tenant, templateTo(freshRecipient()));
    await untilStatus(gateway, tenant, sent.json.messages[0].id, 'read');
  });

  it('a deleted endpoint: its registration is gone, and can be made again', async () => {
    await using receiver = await startCallbackReceiver('word');
    const path = `/v1/${APP}/subscriptions`;
    const subscription = { object: 'whatsapp_business_account', callback_url: receiver.url, verify_token: 'word' };
    for (const _ of [1, 2]) {
      assert.equal((await ask('POST', path, subscription)).status, 200);
      const [{ id, format }] = await endpoints();
      assert.equal(format, 'cloud_api');
      assert.equal((await ask('DELETE', `/v1/webhooks/${id}`)).status, 204);
      assert.deepEqual((await ask('GET', path)).json, { data: [] });
    }
  });

  it('two tenants with the same app id: each sees and ends its own', async () => {
    await using mine = await startCallbackReceiver('mine');
    await using theirs = await startCallbackReceiver('theirs');
    const path = `/v1/${APP}/subscriptions`;
    const object = 'whatsapp_business_account';
    await ask('POST', path, { object, callback_url: mine.url, verify_token: 'mine', fields: ['messages'] });
    await ask('POST', path, { object, callback_url: theirs.url, verify_token: 'theirs', fields: ['messages'] }, other);
    await ask('DELETE', path);
    assert.deepEqual((await ask('GET', path)).json, { data: [] });
    assert.equal((await ask('GET', path, undefined, other)).json.data[0].callback_url, theirs.url);
    await postInbound(gateway, other, 'for the other');
    await until('the message came', () => theirs.received.length === 1 || undefined);
    assert.equal(mine.received.length, 0);
    for (const [method, at] of [
      ['GET', `/v1/${other.wabaId}/subscribed_apps`],
      ['POST', `/v1/${other.wabaId}/subscribed_apps`],
      ['DELETE', `/v1/${other.wabaId}/subscribed_apps`],
    ] as const) {
      const foreign = await ask(method, at);
      const absent = await ask(method, '/v1/999000999/subscribed_apps');
      assert.deepEqual([foreign.status, foreign.json.message], [404, absent.json.message], foreign.text);
    }
    await ask('DELETE', path, undefined, other);
  });

  it('a failed handshake, a forbidden address, an unknown object → 400, nothing is stored', async () => {
    await using receiver = await startCallbackReceiver('right');
    const path = `/v1/${APP}/subscriptions`;
    const object = 'whatsapp_business_account';
    for (const [body, words] of [
      [{ object, callback_url: receiver.url, verify_token: 'wrong' }, 'status 403'],
      [{ object, callback_url: `${receiver.url}/mute`, verify_token: 'right' }, 'hub.challenge'],
      [
        { object, callback_url: 'https://10.0.0.8/hook', verify_token: 'right' },
        '"callback_url" must not lead to a private',
      ],
      [{ object: 'page', callback_url: receiver.url }, 'whatsapp_business_account'],
      [{ object, callback_url: receiver.url, fields: 'a-b' }, 'webhook fields'],
      [{ object }, 'callback_url'],
    ] as const) {
      const answer = await ask('POST', path, body);
      assert.deepEqual([answer.status, answer.json.code], [400, 'VALIDATION_ERROR'], answer.text);
      assert.ok(answer.json.message.includes(words), answer.text);
    }
    const override = { override_callback_uri: 'https://10.0.0.8/hook', verify_token: 'right' };
    const refused = await ask('POST', `/v1/${tenant.wabaId}/subscribed_apps`, override);
    assert.ok(refused.json.message.startsWith('"override_callback_uri" must not lead'), refused.text);
    const together = { new_display_name: 'Shop', webhook_configuration: { override_callback_uri: receiver.url } };
    assert.equal((await ask('POST', `/v1/${tenant.phoneNumberId}`, together)).status, 400);
    assert.deepEqual(await endpoints(), []);
  });

  it('keys: the scope webhooks is needed; a wrong app secret → 401', async () => {
    const reader = { apiKey: (await issueKey(gateway, tenant, { scopes: ['number:read', 'templates:write'] })).key };
    for (const [method, path] of [
      ['GET', `/v1/${APP}/subscriptions`],
      ['GET', `/v1/${tenant.wabaId}/subscribed_apps`],
      ['GET', `/v1/${tenant.phoneNumberId}?fields=webhook_configuration`],
    ] as const)
      assert.equal((await ask(method, path, undefined, reader)).status, 403, path);
    const change = { webhook_configuration: { override_callback_uri: '' } };
    assert.equal((await ask('POST', `/v1/${tenant.phoneNumberId}`, change, reader)).status, 403);
    const query = `client_id=1&client_secret=fw_live_wrong&grant_type=client_credentials`;
    const answer = await call(gateway, undefined, 'GET', `/oauth/access_token?${query}`);
    assert.deepEqual([answer.status, answer.json.code], [401, 'UNAUTHORIZED']);
  });
});
