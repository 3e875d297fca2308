import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sha256 } from '../../../src/core/digest.ts';
import { makeToken } from '../../../src/http/index.ts';
import { assertError } from '../../harness/assert-error.ts';
import { fill, useGateway, useTenant } from '../../harness/fixtures.ts';
import {
  admin,
  askAdmin,
  call,
  freshRecipient,
  issueKey,
  send,
  sendNow,
  sendTemplate,
  templateTo,
  textTo,
  until,
  untilStatus,
} from '../../harness/tenant.ts';
import { createTestTenant } from '../../harness/test-tenant.ts';

const magic = (digits: string) => `+1555010${digits}`;

describe('test organizations', () => {
  const gateway = useGateway();
  const live = useTenant(gateway);
  const tested = fill(() => createTestTenant(gateway));

  it('creation: marked in every answer, with keys fw_test_ also after a rotation', async () => {
    const { organizationId, apiKey } = tested;
    assert.match(apiKey, /^fw_test_[0-9A-Za-z]{38}$/);
    assert.match(live.apiKey, /^fw_live_/);
    const shown = await admin<{ test: boolean }>(gateway, 'GET', `/organizations/${organizationId}`);
    assert.equal(shown.test, true);
    const { data } = await admin<{ data: { id: string; test: boolean }[] }>(gateway, 'GET', '/organizations');
    assert.deepEqual(
      data.map(({ id, test }) => [id, test]),
      [
        [organizationId, true],
        [live.organizationId, false],
      ].toSorted(([one = ''], [other = '']) => (one > other ? -1 : 1)),
    );
    const { id } = await issueKey(gateway, tested);
    const rotated = await admin<{ key: string; hint: string }>(gateway, 'POST', `/api-keys/${id}/rotate`);
    assert.match(rotated.key, /^fw_test_/);
    assert.equal(rotated.hint, rotated.key.slice(0, 12));
    assert.equal((await call(gateway, { apiKey: rotated.key }, 'GET', '/v1/templates')).status, 200);
  });

  it('change of the kind: refused, in both directions', async () => {
    for (const { organizationId } of [live, tested]) {
      const answer = await askAdmin(gateway, 'PATCH', `/organizations/${organizationId}`, { test: true });
      assertError(answer, 400, 'VALIDATION_ERROR');
    }
  });

  it('the key with the other prefix: refused, even if its hash were stored', async () => {
    const [, rest] = /^fw_test_(.*)$/.exec(tested.apiKey) ?? [];
    assertError(await call(gateway, { apiKey: `fw_live_${rest}` }, 'GET', '/v1/templates'), 401, 'UNAUTHORIZED');
    const forged = makeToken('fw_live_');
    const { id } = await issueKey(gateway, tested);
    const { db } = gateway.app;
    await db.query({ text: 'UPDATE api_key SET key_hash = $1 WHERE id = $2', values: [sha256(forged), id] });
    assertError(await call(gateway, { apiKey: forged }, 'GET', '/v1/templates'), 401, 'UNAUTHORIZED');
  });

  it('accounts of the other kind: refused, nothing is connected', async () => {
    const connect = (organizationId: string, body: object) =>
      askAdmin(gateway, 'POST', `/organizations/${organizationId}/wabas`, body);
    const { wabaId } = live;
    const { accessToken } = gateway.simulator.world.accounts.findWaba(wabaId)!;
    const own = { waba_id: tested.wabaId, access_token: `simulator:${tested.wabaId}` };
    for (const [organizationId, body] of [
      [tested.organizationId, { waba_id: wabaId, access_token: accessToken }],
      [tested.organizationId, { ...own, access_token: accessToken }],
      [tested.organizationId, { ...own, waba_id: wabaId }],
      [live.organizationId, own],
      [live.organizationId, { ...own, access_token: accessToken }],
      [live.organizationId, { ...own, waba_id: wabaId }],
    ] as const) {
      assertError(await connect(organizationId, body), 400, 'VALIDATION_ERROR');
    }
    assert.equal((await connect(tested.organizationId, own)).status, 201);
  });

  it('a database edit that mixes the kinds: refused by PostgreSQL', async () => {
    const { db } = gateway.app;
    for (const text of [
      "UPDATE waba SET platform = 'test simulator' WHERE NOT test",
      "UPDATE waba SET platform = 'graph.facebook.com' WHERE test",
      "UPDATE waba SET test = true, platform = 'test simulator' WHERE NOT test",
      'UPDATE organization SET test = NOT test',
    ]) {
      await assert.rejects(db.query({ text }), /violates/, text);
    }
  });

  it('a person who answers: opens the window, so that free text is delivered', async () => {
    const to = magic('9100');
    assertError(await send(gateway, tested, textTo(to)), 403, 'OUTSIDE_24H_WINDOW');
    await sendTemplate(gateway, tested, to, 'hello_world');
    const id = await until('the person has answered', async () => {
      const answer = await send(gateway, tested, textTo(to));
      return answer.status === 202 ? (answer.json.messages[0].id as string) : undefined;
    });
    await untilStatus(gateway, tested, id, 'read');
  });

  it('a limit of the app at the simulator: messages of live organizations pass', async () => {
    const limited = await createTestTenant(gateway);
    const id = await sendTemplate(gateway, limited, magic('4401'), 'hello_world');
    await until('the limit was reported', async () => {
      const { data } = (await call(gateway, limited, 'GET', `/v1/messages/${id}/timeline`)).json;
      return (
        data.some(({ what, error_code }: Record<string, string>) => what === 'attempt' && error_code === '4') ||
        undefined
      );
    });
    await sendNow(gateway, live);
  });

  it('failures on demand: not counted among the answers of the platform', async () => {
    const answer = await send(gateway, tested, templateTo(magic('1026'), 'hello_world'), { query: '?sync=true' });
    assert.ok(answer.status >= 400, answer.text);
    const metrics = await call(gateway, { apiKey: gateway.adminToken }, 'GET', '/metrics');
    assert.equal(metrics.status, 200);
    assert.match(metrics.text, /code="131026[^\n]* 0$/m);
    assert.doesNotMatch(metrics.text, /code="131026[^\n]* [1-9]\d*$/m);
  });

  it('usage: counted as of any organization', async () => {
    await untilStatus(gateway, tested, await sendTemplate(gateway, tested, freshRecipient(), 'hello_world'), 'read');
    const usage = (await call(gateway, tested, 'GET', '/v1/usage')).json;
    assert.ok(usage.accepted >= 1 && usage.delivered >= 1, JSON.stringify(usage));
  });

  it('creation that fails at the account: leaves no organization', async () => {
    const { db } = gateway.app;
    const countOf = async (name: string) =>
      (await db.query({ text: 'SELECT FROM organization WHERE name = $1', values: [name] })).length;
    const body = { name: 'Half', test: true };
    await db.query({
      text: `CREATE FUNCTION refuse_account() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'not now'; END $$`,
    });
    await db.query({
      text: 'CREATE TRIGGER refuse_account BEFORE INSERT ON waba FOR EACH ROW EXECUTE FUNCTION refuse_account()',
    });
    try {
      assert.ok((await askAdmin(gateway, 'POST', '/organizations', body)).status >= 500);
    } finally {
      await db.query({ text: 'DROP TRIGGER refuse_account ON waba' });
    }
    assert.equal(await countOf(body.name), 0);
    const { id } = await admin<{ id: string }>(gateway, 'POST', '/organizations', body);
    const { data } = await admin<{ data: unknown[] }>(gateway, 'GET', `/organizations/${id}/wabas`);
    assert.equal(data.length, 1);
  });

  it('closing: ends keys and account', async () => {
    const other = await createTestTenant(gateway);
    assert.equal((await askAdmin(gateway, 'DELETE', `/organizations/${other.organizationId}`)).status, 204);
    assertError(await call(gateway, other, 'GET', '/v1/templates'), 401, 'UNAUTHORIZED');
    assertError(await askAdmin(gateway, 'POST', `/wabas/${other.wabaId}/sync`), 404, 'NOT_FOUND');
  });
});
