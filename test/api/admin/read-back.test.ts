import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newId } from '../../../src/core/ids.ts';
import { assertError } from '../../harness/assert-error.ts';
import { useGateway, useTenant } from '../../harness/fixtures.ts';
import { UPSTREAM_APP } from '../../harness/gateway.ts';
import { type Answer, admin, call, connectWaba, createTenant } from '../../harness/tenant.ts';

interface Listed {
  id: string;
}

/** Sorts by id, as the lists do: ids of one millisecond are in no order of creation. */
function newestFirst<One extends Listed>(made: One[]): One[] {
  return made.toSorted((one, other) => (one.id < other.id ? 1 : -1));
}

/** A client that lost an answer can read everything again, except the secrets. */
describe('the admin API returns again', () => {
  const gateway = useGateway();
  const tenant = useTenant(gateway);
  const other = useTenant(gateway);

  const ask = (path: string): Promise<Answer> =>
    call(gateway, { apiKey: gateway.adminToken }, 'GET', `/admin/v1${path}`);
  const read = async (path: string): Promise<Answer['json']> => {
    const answer = await ask(path);
    assert.equal(answer.status, 200, answer.text);
    return answer.json;
  };
  const create = (body: object) => admin<Listed>(gateway, 'POST', '/organizations', body);
  const issueKey = (organizationId: string, name?: string) =>
    admin<Listed & { key: string; created_at: string }>(gateway, 'POST', `/organizations/${organizationId}/api-keys`, {
      name,
    });
  const keysOf = async (organizationId: string): Promise<Listed[]> =>
    (await read(`/organizations/${organizationId}/api-keys`)).data;

  it('an organization as creating and changing it answered', async () => {
    const created = await create({ name: 'Read me', weight: 2.5, message_ttl_seconds: 60 });
    assert.deepEqual(await read(`/organizations/${created.id}`), created);
    assert.deepEqual(await read(`/organizations/${created.id.toUpperCase()}`), created);
    const changed = await admin(gateway, 'PATCH', `/organizations/${created.id}`, { unknown_outcome_policy: 'fail' });
    assert.deepEqual(await read(`/organizations/${created.id}`), changed);
  });

  it('every organization once, newest first, in pages of any size, each as read alone', async () => {
    const made: Listed[] = [];
    for (let serial = 0; serial < 5; serial += 1) made.push(await create({ name: `Listed ${serial}` }));
    const everyone = (await read('/organizations')).data as Listed[];
    assert.deepEqual(everyone.slice(0, made.length), newestFirst(made));
    assert.deepEqual(everyone, newestFirst(everyone));
    for (const { id } of everyone)
      assert.deepEqual(
        await read(`/organizations/${id}`),
        everyone.find((one) => one.id === id),
      );

    for (const limit of [1, 2, everyone.length, 100]) {
      const seen: Listed[] = [];
      for (let next: string | null = ''; next !== null; ) {
        const page: { data: Listed[]; next: string | null } = await read(`/organizations?limit=${limit}&after=${next}`);
        assert.ok(page.data.length <= limit);
        seen.push(...page.data);
        next = page.next;
      }
      assert.deepEqual(seen, everyone, `pages of ${limit}`);
    }
  });

  it('pages that a new organization does not disturb', async () => {
    const first = await read('/organizations?limit=2');
    const rest = (await read(`/organizations?after=${first.next}`)).data;
    await create({ name: 'Meanwhile' });
    assert.deepEqual((await read(`/organizations?after=${first.next}`)).data, rest);
    const capitals = await read(`/organizations?after=${String(first.next).toUpperCase()}`);
    assert.deepEqual(capitals.data, rest);
  });

  it('400 for an invalid page', async () => {
    for (const query of [
      'limit=0',
      'limit=101',
      'limit=x',
      'limit=1&limit=2',
      'after=x',
      'after=%00',
      'after=1&after=2',
    ]) {
      assertError(await ask(`/organizations?${query}`), 400, 'VALIDATION_ERROR');
    }
  });

  it("only the organization's own keys, newest first, without secrets, to disable a lost one", async () => {
    const organization = await create({ name: 'Keys' });
    assert.deepEqual(await keysOf(organization.id), []);
    const named = await issueKey(organization.id, 'shop');
    const lost = await issueKey(organization.id);
    const foreign = await issueKey(other.organizationId, 'foreign');

    const answer = await ask(`/organizations/${organization.id}/api-keys`);
    const shown = [
      { ...lost, name: null },
      { ...named, name: 'shop' },
    ].map(({ key, ...rest }) => ({ ...rest, hint: key.slice(0, 12), disabled_at: null }));
    const unlimited = {
      scopes: null,
      phone_number_ids: null,
      source_ranges: null,
      expires_at: null,
      messages_per_minute: null,
    };
    const unused = { previous_until: null, last_used_at: null };
    assert.deepEqual(
      answer.json.data,
      newestFirst(shown).map((key) => ({ ...key, ...unlimited, ...unused })),
    );
    const rows = await gateway.app.db.query<{ hash: string }>({
      text: "SELECT encode(key_hash, 'hex') AS hash FROM api_key",
    });
    for (const secret of [named.key, lost.key, ...rows.map(({ hash }) => hash)]) {
      assert.ok(!answer.text.includes(secret));
    }
    const foreignIds = (await keysOf(other.organizationId)).map(({ id }) => id);
    assert.equal(foreignIds.length, 2);
    assert.equal(foreignIds[0], foreign.id);

    const found = (await keysOf(organization.id)).find(({ id }) => id !== named.id);
    await admin(gateway, 'DELETE', `/api-keys/${found?.id}`);
    assertError(await call(gateway, { apiKey: lost.key }, 'GET', '/v1/messages'), 401, 'UNAUTHORIZED');
    const keys = (await keysOf(organization.id)) as { id: string; disabled_at: string | null }[];
    const disabledAt = new Map(keys.map((key) => [key.id, key.disabled_at]));
    assert.equal(disabledAt.get(named.id), null);
    assert.ok(Date.parse(disabledAt.get(lost.id) ?? '') >= Date.parse(lost.created_at));
  });

  it('a plan as putting it answered, and the unlimited one before', async () => {
    const organization = await create({ name: 'Planned' });
    const path = `/organizations/${organization.id}/plan`;
    const unlimited = await read(path);
    assert.deepEqual(unlimited, {
      name: 'unlimited',
      active: true,
      monthly_message_limit: null,
      message_types: null,
      template_categories: null,
      monthly_budget: null,
      requests_per_second: null,
      key_requests_per_second: null,
      queue_max: null,
      free_service_messages: 1000,
      prices: null,
    });
    const plan = {
      name: 'starter',
      monthly_message_limit: 10,
      message_types: ['text', 'template'],
      template_categories: ['utility'],
      monthly_budget: 1.5,
      prices: { utility: 0.015 },
    };
    const put = await admin(gateway, 'PUT', path, plan);
    assert.deepEqual(await read(path), put);
    assert.notDeepEqual(put, unlimited);
    assert.deepEqual(await read(`/organizations/${other.organizationId}/plan`), unlimited);
    assert.deepEqual(await admin(gateway, 'PUT', `/organizations/${other.organizationId}/plan`, {}), unlimited);
  });

  it("only the organization's own accounts, with their numbers and parking state", async () => {
    const organization = await create({ name: 'No accounts' });
    assert.deepEqual(await read(`/organizations/${organization.id}/wabas`), { data: [], next: null });

    gateway.simulator.world.addNumber(tenant.wabaId, {
      id: `${tenant.phoneNumberId}7`,
      displayPhoneNumber: '+15557770007',
      status: 'PENDING',
    });
    const empty = `6${tenant.wabaId}`;
    gateway.simulator.world.addWaba({ id: empty, accessToken: 'EAAempty', numbers: [], templates: [] });
    await connectWaba(gateway, tenant.organizationId, empty);
    const synced = await admin<{ numbers: object[] }>(gateway, 'POST', `/wabas/${tenant.wabaId}/sync`);
    assert.equal(synced.numbers.length, 2);

    await admin(gateway, 'PATCH', `/numbers/${tenant.phoneNumberId}7`, { paused: true });
    const answer = await ask(`/organizations/${tenant.organizationId}/wabas`);
    const [first, second] = synced.numbers;
    const marketing = { setting: null, in_force: 'auto', onboarding_status: 'ELIGIBLE' };
    assert.deepEqual(answer.json, {
      data: [
        {
          waba_id: empty,
          app_id: UPSTREAM_APP.appId,
          webhooks_subscribed: true,
          marketing_messages: marketing,
          numbers: [],
        },
        {
          waba_id: tenant.wabaId,
          app_id: UPSTREAM_APP.appId,
          webhooks_subscribed: true,
          marketing_messages: marketing,
          numbers: [
            { ...first, paused: false, parked: null },
            { ...second, paused: true, parked: null },
          ],
        },
      ],
      next: null,
    });
    assert.ok(!answer.text.includes('EAA'), 'the token is not shown');
    const [foreign, ...more] = (await read(`/organizations/${other.organizationId}/wabas`)).data;
    assert.deepEqual(more, []);
    assert.equal(foreign.waba_id, other.wabaId);
    assert.deepEqual(
      foreign.numbers.map((number: { account_id: string }) => number.account_id),
      [other.accountId],
    );
  });

  it('the parking code of a number or its account, even if no message waits', async () => {
    const { db } = gateway.app;
    const { organizationId } = await createTenant(gateway);
    const parkedOf = async () => (await read(`/organizations/${organizationId}/wabas`)).data[0].numbers[0].parked;
    const park = async (table: 'waba' | 'sending_number', code: string | null) =>
      db.query({
        text: `UPDATE ${table} SET parked_code = $2, parked_reason = $3, parked_at = now() WHERE organization_id = $1`,
        values: [organizationId, code, code && `${table} is parked`],
      });
    await park('sending_number', '131031');
    assert.deepEqual(await parkedOf(), { code: '131031', reason: 'sending_number is parked' });
    await park('waba', '190');
    assert.deepEqual(await parkedOf(), { code: '190', reason: 'waba is parked' });
    await park('sending_number', null);
    assert.deepEqual(await parkedOf(), { code: '190', reason: 'waba is parked' });
    await park('waba', null);
    assert.equal(await parkedOf(), null);
  });

  it('404 for an unknown organization, in the words of its neighbours', async () => {
    const refusal = await call(
      gateway,
      { apiKey: gateway.adminToken },
      'PUT',
      `/admin/v1/organizations/${newId()}/plan`,
      {
        body: {},
      },
    );
    for (const id of [newId(), 'x', '%00', tenant.wabaId, `${tenant.organizationId}0`]) {
      for (const part of ['', '/api-keys', '/plan', '/wabas']) {
        const answer = await ask(`/organizations/${id}${part}`);
        assertError(answer, 404, 'NOT_FOUND');
        assert.equal(answer.json.message, refusal.json.message);
      }
    }
  });
});
