import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import pino from 'pino';
import { askAsPage, signIn } from '../../harness/console.ts';
import { endBefore, fill, useGateway, useTenant } from '../../harness/fixtures.ts';
import { UPSTREAM_APP } from '../../harness/gateway.ts';
import { createOperator } from '../../harness/operator.ts';
import { type Answer, admin, call, freshRecipient, issueKey, send, until } from '../../harness/tenant.ts';
import { postWebhook, sign } from '../../harness/upstream-webhook.ts';
import { startReceiver } from '../webhooks/receiver.ts';

const lines: string[] = [];
const log = pino({ level: 'trace' }, { write: (line) => void lines.push(line) });
/** Fewest kinds of secrets that the test plants. */
const KINDS = 30;

/** Returns a text that occurs nowhere else. */
const made = (kind: string) => `${kind}-${randomBytes(12).toString('hex')}`;

describe('planted secrets', () => {
  const oldAppSecret = made('app-secret');
  const gateway = useGateway({
    settings: () => ({ log }),
    moreAppSecrets: [oldAppSecret],
    fetchAllowCidrs: ['127.0.0.0/8'],
  });
  const tenant = useTenant(gateway);
  const receiver = fill(() =>
    // An endpoint that repeats the headers of its request.
    startReceiver(({ headers }, response) => {
      response.writeHead(500).end(String(headers['webhook-signature']));
    }),
  );
  endBefore(gateway, async () => {
    await receiver[Symbol.asyncDispose]();
  });

  it('in requests, errors, webhooks and actions → in no log, audit row or other answer', async () => {
    const secrets = new Map<string, string>();
    const plant = (kind: string, secret = made(kind.replaceAll(/\W+/g, '-'))) => {
      assert.ok(secret.length >= 16, kind);
      secrets.set(kind, secret);
      return secret;
    };
    const answers: string[] = [];
    const ask = async (...request: Parameters<typeof call>): Promise<Answer> => {
      const answer = await call(...request);
      answers.push(answer.text, JSON.stringify([...answer.headers]));
      return answer;
    };
    const own = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
      ask(gateway, tenant, method, path, { headers, ...(body !== undefined && { body }) });
    const asAdmin = (method: string, path: string, body?: unknown) =>
      ask(gateway, { apiKey: gateway.adminToken }, method, `/admin/v1${path}`, body === undefined ? {} : { body });
    const without = (method: string, path: string, headers: Record<string, string>, body?: unknown) =>
      ask(gateway, undefined, method, path, { headers, ...(body !== undefined && { body }) });
    const { organizationId, wabaId, phoneNumberId } = tenant;

    // Credentials of callers. The answer that shows a new one is not searched.
    plant('ADMIN_TOKEN', gateway.adminToken);
    plant('API key', tenant.apiKey);
    const extra = await issueKey(gateway, tenant);
    plant('replaced API key', extra.key);
    const renewed = await admin<{ key: string }>(gateway, 'POST', `/api-keys/${extra.id}/rotate`, {});
    plant('new API key', renewed.key);
    const operator = await createOperator(gateway, 'operator');
    plant('token of an operator', operator.token);
    const rotated = await admin<{ token: string }>(gateway, 'POST', `/operators/${operator.id}/rotate`, {});
    plant('new token of an operator', rotated.token);
    const page = await signIn(gateway, { token: rotated.token });
    plant('session', page.cookie.split('=')[1]);
    answers.push((await askAsPage(gateway, page, 'GET', '/console/session')).text);
    const [, link = ''] = gateway.app.consoleLink().split('#link=');
    answers.push((await signIn(gateway, { link: plant('one-time link', link) })).signedIn.text);
    await without('POST', '/console/session', { 'fairway-console': '1' }, { token: plant('wrong token of a sign-in') });
    await without('GET', '/v1/messages', { authorization: `Bearer ${plant('wrong API key')}` });
    await without('GET', '/admin/v1/organizations', { authorization: `Bearer ${plant('wrong ADMIN_TOKEN')}` });
    await without('GET', '/v1/messages', { authorization: `OAuth ${plant('OAuth token')}` });
    await without('GET', '/v1/messages', { authorization: `Basic ${plant('password')}` });
    await without('GET', '/v1/messages', { cookie: `fairway_session=${plant('foreign cookie')}` });
    await without('GET', `/v24.0/${phoneNumberId}?access_token=${plant('access_token of the query')}`, {});
    await without('GET', `/nowhere/at/all?token=${plant('token of an unknown path')}`, {});
    await own('POST', `/v1/${phoneNumberId}/messages`, `{"access_token":"${plant('access_token of a body')}"}`);
    await own('POST', `/v1/${phoneNumberId}/messages`, `{"to": ${plant('malformed JSON')}`);

    // Secrets of the platform and of the deployment.
    plant('access token', gateway.simulator.world.accounts.findWaba(wabaId)?.accessToken);
    await asAdmin('POST', `/organizations/${organizationId}/wabas`, {
      waba_id: wabaId,
      access_token: plant('refused access token'),
    });
    plant('app secret', oldAppSecret);
    const payload = JSON.stringify({ object: 'whatsapp_business_account', entry: [] });
    answers.push((await postWebhook(gateway, payload, { secret: oldAppSecret })).text);
    answers.push((await postWebhook(gateway, payload, { signature: `sha256=${plant('wrong signature')}` })).text);
    plant('right signature', sign(UPSTREAM_APP.appSecret, payload));
    await without(
      'GET',
      `/webhooks/upstream?hub.mode=subscribe&hub.challenge=1&hub.verify_token=${plant('verify token')}`,
      {},
    );
    plant('ENCRYPTION_KEY', gateway.encryptionKeys[0]?.toString('base64'));
    const message = `failed for ${secrets.get('access token')}`;
    const fault = { kind: 'http', httpStatus: 500, body: JSON.stringify({ error: { code: 1, message } }) } as const;
    gateway.simulator.world.addFault({ fault, times: 2 });
    await own('GET', `/v24.0/${phoneNumberId}/whatsapp_business_profile`);
    await own('POST', `/v24.0/${phoneNumberId}/register`, {
      messaging_product: 'whatsapp',
      pin: plant('PIN of a number'),
    });
    await own('POST', `/v24.0/${phoneNumberId}/verify_code`, { code: plant('verification code') });

    // Webhooks of the customer. Only the owner sees the URL, so the answers about the endpoint are not searched.
    const url = `${receiver.url}?token=${plant('token of a URL')}`;
    const created = await call(gateway, tenant, 'POST', '/v1/webhooks', { body: { url } });
    assert.equal(created.status, 201, created.text);
    const { id, secret } = created.json as { id: string; secret: string };
    plant('secret of an endpoint', secret);
    const next = await call(gateway, tenant, 'POST', `/v1/webhooks/${id}/rotate-secret`, { body: {} });
    plant('new secret of an endpoint', next.json.secret);
    await own('POST', '/v1/webhooks', { url: `https://user:${plant('password of a URL')}@example.com/hook` });

    // Contents.
    const person = freshRecipient();
    await gateway.simulator.world.inbound({ phoneNumberId, from: person, text: plant('text of a person') });
    const text = { messaging_product: 'whatsapp', to: person, type: 'text', text: { body: plant('text of a send') } };
    await until('the window is open', async () => {
      const answer = await send(gateway, tenant, text, { headers: { 'idempotency-key': plant('Idempotency-Key') } });
      answers.push(answer.text);
      return answer.status === 202 ? true : undefined;
    });
    const parameters = [{ type: 'text', text: plant('one-time password') }];
    const template = { name: 'login_code', language: { code: 'en_US' }, components: [{ type: 'body', parameters }] };
    answers.push((await send(gateway, tenant, { ...text, type: 'template', template })).text);
    await until('the endpoint was tried', () => (receiver.received.length > 2 ? true : undefined));

    await asAdmin('GET', '/organizations');
    await asAdmin('GET', `/organizations/${organizationId}/api-keys`);
    await asAdmin('GET', `/organizations/${organizationId}/wabas`);
    await asAdmin('GET', '/operators');
    await asAdmin('GET', '/doctor');
    await asAdmin('GET', '/audit?limit=100');
    await asAdmin('GET', '/overview');
    await ask(gateway, { apiKey: gateway.adminToken }, 'GET', '/metrics');
    await own('GET', '/v1/audit?limit=100');
    const audit = await gateway.app.db.query<{ row: string }>({ text: 'SELECT a::text AS row FROM audit_entry a' });
    assert.ok(audit.length > 5 && lines.length > 5 && answers.length > 30);
    assert.ok(secrets.size >= KINDS, String(secrets.size));
    const searched = { log: lines, audit: audit.map(({ row }) => row), answers };
    for (const [kind, secret] of secrets) {
      for (const [place, texts] of Object.entries(searched)) {
        assert.equal(
          texts.find((one) => one.includes(secret)),
          undefined,
          `${kind} in the ${place}`,
        );
      }
    }
  });
});
