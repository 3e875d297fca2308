import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { systemClock } from '../../../src/core/time/clock.ts';
import { assertError, textWithoutRequestId } from '../../harness/assert-error.ts';
import { fill, useFurtherNode, useGateway, useTenant } from '../../harness/fixtures.ts';
import {
  admin,
  askAdmin,
  call,
  freshRecipient,
  issueKey,
  type KeyLimits,
  send,
  sendNow,
  type Tenant,
  templateTo,
  until,
  writtenRecipient,
} from '../../harness/tenant.ts';
import { createTickingClock } from '../../harness/ticking-clock.ts';

describe('limits of API keys', () => {
  const gateway = useGateway();
  const tenant = useTenant(gateway);
  const other = useTenant(gateway);
  /** Another number of the tenant. */
  const second = fill(async () => {
    const phoneNumberId = `${tenant.phoneNumberId}9`;
    gateway.simulator.world.addNumber(tenant.wabaId, { id: phoneNumberId, displayPhoneNumber: '+1 555 010 0199' });
    await admin(gateway, 'POST', `/wabas/${tenant.wabaId}/sync`);
    return { phoneNumberId };
  });

  const issue = async (limits: KeyLimits): Promise<Tenant> => ({
    ...tenant,
    apiKey: (await issueKey(gateway, tenant, limits)).key,
  });
  const get = (caller: { apiKey: string }, path: string) => call(gateway, caller, 'GET', `/v1${path}`);

  it('a key without limits: may do everything, and is shown without any', async () => {
    assert.equal((await send(gateway, tenant, templateTo(freshRecipient()))).status, 202);
    const { json } = await askAdmin(gateway, 'GET', `/organizations/${tenant.organizationId}/api-keys`);
    const { scopes, phone_number_ids, source_ranges, expires_at, previous_until } = json.data.at(-1);
    assert.deepEqual(
      [scopes, phone_number_ids, source_ranges, expires_at, previous_until],
      [null, null, null, null, null],
    );
  });

  it('scopes: a node that is a number, an account or a flow → needs the scope of numbers', async () => {
    const writer = await issue({ scopes: ['templates:write', 'media'] });
    const flow = { name: 'scoped', categories: ['OTHER'] };
    const { id } = (await call(gateway, tenant, 'POST', `/v1/${tenant.wabaId}/flows`, { body: flow })).json;
    const attempts = [
      call(gateway, writer, 'POST', `/v1/${tenant.phoneNumberId}`, { body: { new_display_name: 'Other' } }),
      call(gateway, writer, 'POST', `/v1/${tenant.wabaId}`, { body: { name: 'Other' } }),
      call(gateway, writer, 'DELETE', `/v1/${id}`),
    ];
    for (const refused of await Promise.all(attempts)) {
      assertError(refused, 403, 'FORBIDDEN', 10);
      assert.match(refused.json.message, /lacks the scope "number:manage"/);
    }
    assert.ok(gateway.simulator.world.edges.flows.has(id));
  });

  it('scopes: 403 names the missing one; the API of the operator stays closed', async () => {
    const caller = await issue({ scopes: ['messages:read', 'events:read'] });
    const refused = await send(gateway, caller, templateTo(freshRecipient()));
    assertError(refused, 403, 'FORBIDDEN', 10);
    assert.match(refused.json.message, /lacks the scope "messages:send"/);
    assert.equal((await get(caller, '/messages')).status, 200);
    const own = await askAdmin(gateway, 'GET', `/organizations/${tenant.organizationId}/api-keys`);
    const widen = await call(gateway, caller, 'PATCH', `/admin/v1/api-keys/${own.json.data[0].id}`, {
      body: { scopes: null },
    });
    assertError(widen, 401, 'UNAUTHORIZED');
  });

  it('numbers: other numbers of the organization 403, foreign ones as unknown ones', async () => {
    const caller = await issue({ phone_number_ids: [tenant.phoneNumberId] });
    assert.equal((await send(gateway, caller, templateTo(freshRecipient()))).status, 202);
    const own = await send(gateway, { ...caller, ...second }, templateTo(freshRecipient()));
    assertError(own, 403, 'FORBIDDEN', 10);
    assert.ok(own.json.message.includes(second.phoneNumberId));
    for (const key of [tenant.apiKey, caller.apiKey]) {
      const [foreign, absent] = [other.phoneNumberId, '999000111'].map((phoneNumberId) =>
        send(gateway, { ...tenant, apiKey: key, phoneNumberId }, templateTo(freshRecipient())),
      );
      assertError(await foreign!, 404, 'ACCOUNT_NOT_FOUND', 33);
      assert.equal(textWithoutRequestId(await foreign!), textWithoutRequestId(await absent!));
    }
    for (const [path, status] of [
      [second.phoneNumberId, 403],
      [other.phoneNumberId, 404],
    ] as const) {
      assert.equal((await get(caller, `/${path}/windows/+15551230001`)).status, status);
    }
  });

  it('numbers: messages, events, timelines and cancelling show the own number only', async () => {
    const { id: mine } = await sendNow(gateway, tenant);
    const { id: theirs, wamid } = await sendNow(gateway, { ...tenant, ...second });
    const { id: foreign } = await sendNow(gateway, other);
    const caller = await issue({ phone_number_ids: [tenant.phoneNumberId] });
    const list = await get(caller, '/messages?limit=100');
    assert.ok(list.text.includes(mine) && !list.text.includes(theirs) && !list.text.includes(foreign), list.text);
    const all = await get(tenant, '/messages?limit=100');
    assert.ok(all.text.includes(mine) && all.text.includes(theirs) && !all.text.includes(foreign));
    const events = await get(caller, '/events?limit=500');
    assert.ok(events.text.includes(mine) && !events.text.includes(theirs) && !events.text.includes(foreign));
    for (const list of ['/messages', '/events']) {
      assertError(await get(caller, `${list}?number=${second.phoneNumberId}`), 403, 'FORBIDDEN');
      assertError(await get(caller, `${list}?number=${other.phoneNumberId}`), 404, 'ACCOUNT_NOT_FOUND');
      assert.equal((await get(caller, `${list}?number=${tenant.phoneNumberId}`)).status, 200);
    }
    assert.deepEqual((await get(caller, `/messages?message_id=${wamid}`)).json?.data ?? [], []);
    for (const rest of ['', '/timeline']) {
      assert.equal((await get(caller, `/messages/${mine}${rest}`)).status, 200);
      assertError(await get(caller, `/messages/${theirs}${rest}`), 403, 'FORBIDDEN');
      assertError(await get(caller, `/messages/${foreign}${rest}`), 404, 'NOT_FOUND');
      assertError(await get(caller, `/messages/abc${rest}`), 400, 'INVALID_ID');
    }
    for (const [id, status] of [
      [theirs, 403],
      [foreign, 404],
      [mine, 409],
    ] as const) {
      assert.equal((await call(gateway, caller, 'POST', `/v1/messages/${id}/cancel`)).status, status);
    }
  });

  it("numbers: a body that refers to another number's message → 403, without its wamid", async () => {
    const caller = await issue({ phone_number_ids: [tenant.phoneNumberId] });
    const to = await writtenRecipient(gateway, tenant);
    const { id: theirs, wamid } = await sendNow(gateway, { ...tenant, ...second });
    const { id: mine } = await sendNow(gateway, tenant, to);
    const text = { to, type: 'text', text: { body: 'hi' } };
    for (const body of [
      { ...text, context: { message_id: theirs } },
      { to, type: 'reaction', reaction: { message_id: theirs, emoji: '' } },
      { status: 'read', message_id: theirs },
    ]) {
      const answer = await send(gateway, caller, body);
      assertError(answer, 403, 'FORBIDDEN');
      assert.ok(!answer.text.includes(wamid), answer.text);
    }
    assert.equal((await send(gateway, caller, { ...text, context: { message_id: mine } })).status, 202);
  });

  it('numbers: an operation that is not about one number is refused', async () => {
    const caller = await issue({ phone_number_ids: [tenant.phoneNumberId] });
    for (const path of ['/webhooks', '/templates', `/${tenant.wabaId}/phone_numbers`, `/${tenant.phoneNumberId}`]) {
      const answer = await get(caller, path);
      assertError(answer, 403, 'FORBIDDEN');
      assert.match(answer.json.message, /limited to numbers/);
    }
  });

  it('source addresses: 403 names the address that the gateway sees', async () => {
    const caller = await issue({ source_ranges: ['192.0.2.0/24', '2001:db8::/32'] });
    const refused = await get(caller, '/messages');
    assertError(refused, 403, 'FORBIDDEN');
    assert.match(refused.json.message, /127\.0\.0\.1/);
    const headers = { 'x-forwarded-for': '192.0.2.7' };
    assert.equal((await call(gateway, caller, 'GET', '/v1/messages', { headers })).status, 403);
    assert.equal((await get(await issue({ source_ranges: ['127.0.0.0/8'] }), '/messages')).status, 200);
  });

  it('rotation: both keys work during the overlap, with one id; the key before them does not', async () => {
    const first = await issueKey(gateway, tenant, { scopes: ['messages:read'] });
    const rotate = (body?: unknown) =>
      admin<{ id: string; key: string; previous_until: string; scopes: string[] }>(
        gateway,
        'POST',
        `/api-keys/${first.id}/rotate`,
        body,
      );
    const second = await rotate();
    assert.deepEqual([second.id, second.scopes], [first.id, ['messages:read']]);
    assert.ok(Math.abs(Date.parse(second.previous_until) - Date.now() - 86_400_000) < 60_000);
    const third = await rotate({ overlap_seconds: 60 });
    const statuses = [first, second, third].map(async ({ key }) => (await get({ apiKey: key }, '/messages')).status);
    assert.deepEqual(await Promise.all(statuses), [401, 200, 200]);
    await admin(gateway, 'DELETE', `/api-keys/${first.id}`);
    for (const { key } of [second, third]) assertError(await get({ apiKey: key }, '/messages'), 401, 'UNAUTHORIZED');
    assertError(await askAdmin(gateway, 'POST', `/api-keys/${first.id}/rotate`), 404, 'NOT_FOUND');
  });

  it('changed limits: in force at once, null lifts one', async () => {
    const { id, key } = await issueKey(gateway, tenant, { scopes: ['media'], source_ranges: ['192.0.2.0/24'] });
    const change = (body: unknown) => askAdmin(gateway, 'PATCH', `/api-keys/${id}`, body);
    const changed = await change({ scopes: ['messages:read'], source_ranges: null });
    assert.deepEqual([changed.json.scopes, changed.json.source_ranges], [['messages:read'], null]);
    assert.equal((await get({ apiKey: key }, '/messages')).status, 200);
    await change({ scopes: ['media'] });
    assertError(await get({ apiKey: key }, '/messages'), 403, 'FORBIDDEN');
  });

  it('limits that no key can have → 400', async () => {
    const wrong: [KeyLimits, RegExp][] = [
      [{ scopes: ['everything'] }, /scopes/],
      [{ scopes: [] }, /scopes/],
      [{ phone_number_ids: [other.phoneNumberId] }, /has no number/],
      [{ source_ranges: ['192.0.2.1'] }, /source_ranges/],
      [{ source_ranges: ['192.0.2.0/33'] }, /source_ranges/],
      [{ expires_at: '2020-01-01T00:00:00Z' }, /expires_at/],
      [{ expires_at: 'soon' }, /expires_at/],
    ];
    for (const [limits, words] of wrong) {
      const answer = await askAdmin(gateway, 'POST', `/organizations/${tenant.organizationId}/api-keys`, limits);
      assertError(answer, 400, 'VALIDATION_ERROR');
      assert.match(answer.json.message, words);
    }
  });
});

describe('limits of API keys behind a reverse proxy', () => {
  const gateway = useGateway({ settings: () => ({ trustedProxies: ['127.0.0.0/8'] }) });
  const tenant = useTenant(gateway);

  it('source addresses: the nearest address that no trusted proxy has counts', async () => {
    const { key } = await issueKey(gateway, tenant, { source_ranges: ['192.0.2.0/24'] });
    const statusFrom = async (forwarded: string) => {
      const headers = { 'x-forwarded-for': forwarded };
      return (await call(gateway, { apiKey: key }, 'GET', '/v1/messages', { headers })).status;
    };
    assert.equal(await statusFrom('192.0.2.7'), 200);
    assert.equal(await statusFrom('198.51.100.1, 192.0.2.7'), 200);
    assert.equal(await statusFrom('192.0.2.7, 198.51.100.1'), 403);
  });
});

describe('limits of API keys on two nodes', () => {
  const clock = createTickingClock(Date.now());
  const gateway = useGateway({ clock, isOneOfSeveral: true, simulator: { clock: systemClock } });
  const other = useFurtherNode(gateway, { clock });
  const tenant = useTenant(gateway);
  after(() => clock.stop());

  const statusOf = async (apiKey: string) => (await call(other, { apiKey }, 'GET', '/v1/messages')).status;
  const untilStatus = (status: number, apiKey: string) =>
    until(`status ${status}`, async () => ((await statusOf(apiKey)) === status ? clock.now() : undefined));

  it('narrowed on one node: refused on the other within a second', async () => {
    const { id, key } = await issueKey(gateway, tenant);
    assert.equal(await statusOf(key), 200);
    await admin(gateway, 'PATCH', `/api-keys/${id}`, { scopes: ['media'] });
    const answeredAt = clock.now();
    assert.ok((await untilStatus(403, key)) - answeredAt <= 2_000);
  });

  it('expired, or replaced without an overlap: refused', async () => {
    const expires_at = new Date(clock.now() + 1_000).toISOString();
    const expiring = await issueKey(gateway, tenant, { expires_at });
    assert.ok((await untilStatus(401, expiring.key)) >= Date.parse(expires_at));
    const replaced = await issueKey(gateway, tenant);
    assert.equal(await statusOf(replaced.key), 200);
    await admin(gateway, 'POST', `/api-keys/${replaced.id}/rotate`, { overlap_seconds: 0 });
    await untilStatus(401, replaced.key);
  });

  it('last use: stored without a write per request', async () => {
    const { id, key } = await issueKey(gateway, tenant);
    const lastUse = async () => {
      const path = `/organizations/${tenant.organizationId}/api-keys`;
      const { data } = await admin<{ data: { id: string; last_used_at: string | null }[] }>(gateway, 'GET', path);
      return data.find((one) => one.id === id)?.last_used_at;
    };
    assert.equal(await statusOf(key), 200);
    assert.equal(await lastUse(), null);
    clock.advance(60_000);
    assert.ok(await until('the use is stored', async () => (await lastUse()) ?? undefined));
  });
});
