import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { systemClock } from '../../../src/core/time/clock.ts';
import { assertError } from '../../harness/assert-error.ts';
import { useFurtherNode, useGateway, useTenant } from '../../harness/fixtures.ts';
import { askAs, createOperator, type TestOperator } from '../../harness/operator.ts';
import { admin, askAdmin, call, until } from '../../harness/tenant.ts';
import { createTickingClock } from '../../harness/ticking-clock.ts';

const HOUR_MS = 3_600_000;

describe('operators', () => {
  const gateway = useGateway();
  const tenant = useTenant(gateway);

  it('created: the token once, never again, and only its hash in the database', async () => {
    const created = await askAdmin(gateway, 'POST', '/operators', { name: 'Ada', role: 'support' });
    assert.equal(created.status, 201, created.text);
    assert.equal(created.headers.get('cache-control'), 'no-store');
    const { id, token, ...shown } = created.json;
    assert.match(token, /^fw_op_[0-9A-Za-z]{38}$/);
    assert.equal(shown.hint, token.slice(0, 10));
    const read = await askAdmin(gateway, 'GET', `/operators/${id}`);
    assert.deepEqual(read.json, { id, ...shown });
    const list = await askAdmin(gateway, 'GET', '/operators?limit=100');
    assert.ok(!list.text.includes(token) && list.text.includes(id));
    const rows = await gateway.app.db.query<{ row: string }>({ text: 'SELECT operator::text AS row FROM operator' });
    assert.ok(rows.every(({ row }) => !row.includes(token.slice(10))));
  });

  it('GET /admin/v1/me: the name and role of the caller; ADMIN_TOKEN is the first admin', async () => {
    const operator = await createOperator(gateway, 'operator');
    const me = await askAs(gateway, operator, 'GET', '/me');
    assert.deepEqual(me.json, { id: operator.id, name: 'test operator', role: 'operator', expires_at: null });
    const first = await askAdmin(gateway, 'GET', '/me');
    assert.deepEqual(first.json, { id: null, name: 'ADMIN_TOKEN', role: 'admin', expires_at: null });
  });

  it('a changed role or expiry: in force at once; an operator cannot change itself', async () => {
    const operator = await createOperator(gateway, 'support');
    const raise = await askAs(gateway, operator, 'PATCH', `/operators/${operator.id}`, { role: 'admin' });
    assertError(raise, 403, 'FORBIDDEN', 10);
    assert.match(raise.json.message, /needs the role "admin"; yours is "support"/);
    const changed = await askAdmin(gateway, 'PATCH', `/operators/${operator.id}`, { role: 'admin', name: 'Grace' });
    assert.deepEqual([changed.json.role, changed.json.name], ['admin', 'Grace']);
    const expires_at = new Date(Date.now() + HOUR_MS).toISOString();
    const own = await askAs(gateway, operator, 'PATCH', `/operators/${operator.id}`, { role: 'operator', expires_at });
    assert.deepEqual([own.json.role, own.json.name, own.json.expires_at], ['operator', 'Grace', expires_at]);
    assertError(await askAs(gateway, operator, 'GET', '/operators'), 403, 'FORBIDDEN', 10);
  });

  it('a rotated token: both work during the overlap, the one before them no longer', async () => {
    const operator = await createOperator(gateway, 'support');
    const rotate = (overlap_seconds: number) =>
      admin<TestOperator>(gateway, 'POST', `/operators/${operator.id}/rotate`, { overlap_seconds });
    const second = await rotate(60);
    for (const one of [operator, second]) assert.equal((await askAs(gateway, one, 'GET', '/me')).status, 200);
    const third = await rotate(60);
    const statuses = [operator, second, third].map(async (one) => (await askAs(gateway, one, 'GET', '/me')).status);
    assert.deepEqual(await Promise.all(statuses), [401, 200, 200]);
    const fourth = await rotate(0);
    assertError(await askAs(gateway, third, 'GET', '/me'), 401, 'UNAUTHORIZED', 190);
    assert.equal((await askAs(gateway, fourth, 'GET', '/me')).status, 200);
  });

  it('a revoked operator: refused, listed, and never changed again', async () => {
    const operator = await createOperator(gateway, 'admin');
    for (const status of [204, 204]) {
      assert.equal((await askAdmin(gateway, 'DELETE', `/operators/${operator.id}`)).status, status);
    }
    assertError(await askAs(gateway, operator, 'GET', '/me'), 401, 'UNAUTHORIZED', 190);
    const { json } = await askAdmin(gateway, 'GET', `/operators/${operator.id}`);
    assert.match(json.revoked_at, /^20/);
    for (const [method, path] of [
      ['PATCH', ''],
      ['POST', '/rotate'],
    ] as const) {
      const answer = await askAdmin(gateway, method, `/operators/${operator.id}${path}`, {});
      assertError(answer, 404, 'NOT_FOUND', 100);
    }
  });

  it('a malformed operator → 400; an unknown id → 404', async () => {
    const bodies = [
      { name: 'x', role: 'root' },
      { role: 'admin' },
      { name: 'x', role: 'admin', expires_at: '2020-01-01T00:00:00Z' },
    ];
    for (const body of bodies)
      assertError(await askAdmin(gateway, 'POST', '/operators', body), 400, 'VALIDATION_ERROR');
    for (const id of ['1', '0199c0de-7a3b-7c1d-9e5f-2b8a4d6c1e30']) {
      for (const method of ['GET', 'PATCH', 'DELETE']) {
        assertError(
          await askAdmin(gateway, method, `/operators/${id}`, method === 'GET' ? undefined : {}),
          404,
          'NOT_FOUND',
        );
      }
    }
  });

  it('support: reads numbers masked; an operator reads them whole', async () => {
    const path = `/organizations/${tenant.organizationId}/wabas`;
    const [support, operator] = [await createOperator(gateway, 'support'), await createOperator(gateway, 'operator')];
    const masked = await askAs(gateway, support, 'GET', path);
    assert.ok(!masked.text.includes(tenant.phoneNumber), masked.text);
    assert.equal(masked.json.data[0].numbers[0].phone_number, `•••${tenant.phoneNumber.slice(-2)}`);
    assert.ok((await askAs(gateway, operator, 'GET', path)).text.includes(tenant.phoneNumber));
  });
});

describe('operators on two nodes', () => {
  const clock = createTickingClock(Date.now());
  const gateway = useGateway({ clock, isOneOfSeveral: true, simulator: { clock: systemClock } });
  const other = useFurtherNode(gateway, { clock });
  after(() => clock.stop());

  it('revoked on one node: refused on the other within a second', async () => {
    const operator = await createOperator(gateway, 'support');
    assert.equal((await askAs(other, operator, 'GET', '/me')).status, 200);
    await admin(gateway, 'DELETE', `/operators/${operator.id}`);
    await withinASecond(async () => (await askAs(other, operator, 'GET', '/me')).status === 401);
  });

  it('a changed role on one node: in force on the other within a second', async () => {
    const operator = await createOperator(gateway, 'admin');
    assert.equal((await askAs(other, operator, 'GET', '/operators')).status, 200);
    await admin(gateway, 'PATCH', `/operators/${operator.id}`, { role: 'support' });
    await withinASecond(async () => (await askAs(other, operator, 'GET', '/operators')).status === 403);
  });

  it('an expired token: refused at its time', async () => {
    const expires_at = new Date(clock.now() + 1_000).toISOString();
    const operator = await createOperator(gateway, 'support', { expires_at });
    const until401 = async () =>
      (await askAs(other, operator, 'GET', '/me')).status === 401 ? clock.now() : undefined;
    assert.ok((await until('the token expires', until401)) >= Date.parse(expires_at));
  });

  it('last use: stored without a write per request, correct to the hour', async () => {
    const operator = await createOperator(gateway, 'support');
    const lastUse = async () =>
      (await admin<{ last_used_at: string | null }>(gateway, 'GET', `/operators/${operator.id}`)).last_used_at;
    await askAs(gateway, operator, 'GET', '/me');
    assert.equal(await lastUse(), null);
    clock.advance(60_000);
    assert.ok(await until('the use is stored', async () => (await lastUse()) ?? undefined));
  });

  /** Probes until it is true; a probe that begins a second from now must be. */
  async function withinASecond(probe: () => Promise<boolean>): Promise<void> {
    const endsAt = clock.now() + 1_000;
    await until('the change', async () => {
      const beganAt = clock.now();
      const isSo = await probe();
      assert.ok(isSo || beganAt < endsAt, 'a second passed');
      return isSo || undefined;
    });
  }
});

describe('failed sign-ins', () => {
  const gateway = useGateway();

  it('too many from one address → 429 with Retry-After; right tokens still pass', async () => {
    const operator = await createOperator(gateway, 'support');
    const guess = () => call(gateway, { apiKey: 'guess' }, 'GET', '/admin/v1/me');
    for (let count = 0; count < 100; count += 1) assert.equal((await guess()).status, 401);
    const refused = await guess();
    assertError(refused, 429, 'RATE_LIMITED');
    assert.ok(Number(refused.headers.get('retry-after')) >= 1);
    assert.equal((await askAdmin(gateway, 'GET', '/me')).status, 200);
    assert.equal((await askAs(gateway, operator, 'GET', '/me')).status, 200);
    assertError(await call(gateway, undefined, 'GET', '/admin/v1/me'), 401, 'UNAUTHORIZED');
  });
});
