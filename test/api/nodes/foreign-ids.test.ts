import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { before, describe, it } from 'node:test';
import { textWithoutRequestId } from '../../harness/assert-error.ts';
import { useGateway, useTenant } from '../../harness/fixtures.ts';
import type { Gateway } from '../../harness/gateway.ts';
import { encodeMultipart } from '../../harness/multipart.ts';
import { type Answer, call, connectWaba, type Tenant } from '../../harness/tenant.ts';
import { freshWamid, nowSeconds, postChange } from '../../harness/upstream-webhook.ts';

type Way = readonly [method: string, path: (id: string) => string, body?: object];

/** Every path whose id is not scoped by another id. */
const WAYS: readonly Way[] = [
  ['GET', (id) => `/v1/${id}`],
  ['GET', (id) => `/v24.0/${id}?fields=url`],
  ['DELETE', (id) => `/v1/${id}`],
  ['GET', (id) => `/v1/media/${id}/download`],
  ['GET', (id) => `/v1/templates/${id}`],
  ['POST', (id) => `/v1/${id}`, { components: [{ type: 'BODY', text: 'Changed.' }] }],
  ['GET', (id) => `/v1/${id}/phone_numbers`],
  ['GET', (id) => `/v1/${id}/message_templates`],
  ['DELETE', (id) => `/v1/${id}/message_templates?name=order_update`],
  ['POST', (id) => `/v1/${id}/message_templates`, { name: 'x', language: 'en', category: 'UTILITY', components: [{}] }],
  ['POST', (id) => `/v1/${id}/messages`, { to: '+12025550123', type: 'text', text: { body: 'Hi' } }],
];

/** Returns the paths that the process requests from the platform while `work` runs. */
async function recordCalls(gateway: Gateway, work: () => Promise<unknown>): Promise<string[]> {
  const paths: string[] = [];
  const { host } = new URL(gateway.baseUrl);
  const note = (message: unknown) => {
    const { request } = message as { request: { origin: string; path: string } };
    if (!String(request.origin).endsWith(host)) paths.push(request.path);
  };
  subscribe('undici:request:create', note);
  await work().finally(() => unsubscribe('undici:request:create', note));
  return paths;
}

describe('ids of another organization, with one token for both accounts', () => {
  const gateway = useGateway();
  const theirs = useTenant(gateway);
  const mine = useTenant(gateway);
  before(async () => {
    for (const { organizationId, wabaId } of [mine, theirs]) {
      gateway.simulator.world.rotateToken(wabaId, 'EAAshared');
      await connectWaba(gateway, organizationId, wabaId);
    }
  });

  async function upload(as: Tenant): Promise<string> {
    const form = encodeMultipart([
      { name: 'phone_number', value: as.phoneNumber },
      { name: 'file', value: Buffer.from('Thank you'), fileName: 'a.txt', contentType: 'text/plain' },
    ]);
    return (await call(gateway, as, 'POST', '/v1/media/upload', form)).json.media_id;
  }

  async function receive(to: Tenant): Promise<string> {
    const id = `4${Date.now()}`;
    const image = { id, mime_type: 'image/png' };
    const message = { from: '12025550142', id: freshWamid(), timestamp: String(nowSeconds()), type: 'image', image };
    await postChange(gateway, to, { messages: [message] });
    return id;
  }

  const ask = (as: Tenant, [method, path, body]: Way, id: string): Promise<Answer> =>
    call(gateway, as, method, path(id), body === undefined ? {} : { body });

  it('every path and kind of id: the bytes of an absent one, and no call to the platform', async () => {
    const template = (await call(gateway, theirs, 'GET', '/v1/templates')).json.data[0].id;
    const foreign = [theirs.phoneNumberId, theirs.wabaId, template, await upload(theirs), await receive(theirs)];
    for (const way of WAYS) {
      const absent = textWithoutRequestId(await ask(mine, way, '999000999000'));
      for (const id of foreign) {
        let answer: Answer | undefined;
        const calls = await recordCalls(gateway, async () => {
          answer = await ask(mine, way, id);
        });
        const place = `${way[0]} ${way[1](id)}`;
        assert.equal(answer && textWithoutRequestId(answer).replaceAll(id, '999000999000'), absent, place);
        assert.deepEqual(
          calls.filter((path) => path.includes(id)),
          [],
          place,
        );
      }
    }
    assert.equal((await call(gateway, theirs, 'GET', `/v1/${foreign[3]}`)).status, 200);
  });

  it('an id unknown to the gateway: requested from the platform', async () => {
    const calls = await recordCalls(gateway, () => call(gateway, mine, 'GET', '/v1/999000999001'));
    assert.equal(calls.filter((path) => path.includes('/999000999001')).length, 1);
  });
});

describe('a version alone', () => {
  const gateway = useGateway();
  const tenant = useTenant(gateway);

  it('a valid key: 404 of the type for absent objects; another key: 401 of the type for keys', async () => {
    for (const path of ['/v1', '/v1/', '/v24.0', '/v13.0/', '/v13.0/?fields=id']) {
      const valid = await call(gateway, tenant, 'GET', path);
      assert.deepEqual([valid.status, valid.json.error.type], [404, 'GraphMethodException'], path);
      const wrong = await call(gateway, { apiKey: 'fw_live_wrong' }, 'GET', path);
      assert.deepEqual([wrong.status, wrong.json.error.type], [401, 'OAuthException'], path);
    }
  });
});
