import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { disconnectWaba } from '../../src/accounts/connect/disconnect-waba.ts';
import { type ConnectDeps, connectWaba, syncWaba } from '../../src/accounts/index.ts';
import { systemClock } from '../../src/core/time/clock.ts';
import { banOf, changeOf, openAccountsDatabase } from '../harness/connected-accounts.ts';
import { listTemplateRows, nextUpstreamId, numberNode, templateNode } from '../harness/upstream-waba.ts';

const clock = systemClock;

const { db, changes, connect, tell, keysToldOf } = await openAccountsDatabase({ after });

/** Wraps `deps`: calls `meanwhile` when all templates have been read, before the sync ends. */
function readingSlowly(deps: ConnectDeps, meanwhile: () => Promise<unknown>): ConnectDeps {
  const { upstream } = deps;
  return {
    ...deps,
    upstream: {
      ...upstream,
      async *listTemplates(...args) {
        yield* upstream.listTemplates(...args);
        await meanwhile();
      },
    },
  };
}

/** Wraps `deps`: calls `meanwhile` when the numbers have been listed, before the answer. */
function listingNumbersSlowly(deps: ConnectDeps, meanwhile: () => Promise<unknown>): ConnectDeps {
  const { upstream } = deps;
  return {
    ...deps,
    upstream: {
      ...upstream,
      async listPhoneNumbers(...args) {
        const listed = await upstream.listPhoneNumbers(...args);
        await meanwhile();
        return listed;
      },
    },
  };
}

async function statusesOf(organizationId: string): Promise<[id: string, status: string][]> {
  return (await listTemplateRows(db, organizationId)).map(({ id, status }) => [id, status]);
}

test('a sync: numbers and templates changed, deleted and added upstream → the records follow', async () => {
  const [staying, leaving] = [numberNode(), numberNode()];
  const [kept, gone] = [templateNode({ name: 'kept' }), templateNode({ name: 'gone' })];
  const has = { numbers: [staying, leaving], templates: [[kept, gone]] };
  const { state, deps, wabaId, organizationId } = await connect('sync', has);
  const told = await keysToldOf('template');

  const renewed = templateNode({ name: 'gone' });
  state.numbers = [staying];
  state.templates = [[{ ...kept, status: 'PAUSED', otherFields: '{}' }, renewed]];
  const synced = await syncWaba(deps, wabaId);
  assert.deepEqual(
    synced.numbers.map((number) => [number.phoneNumberId, number.registered]),
    [
      [staying.id, true],
      [leaving.id, false],
    ],
  );
  assert.deepEqual(await statusesOf(organizationId), [
    [kept.id, 'PAUSED'],
    [gone.id, 'DELETED'],
    [renewed.id, 'APPROVED'],
  ]);
  const rows = await listTemplateRows(db, organizationId);
  assert.equal(rows[0]?.other_fields, kept.otherFields, 'a field the reading lacks is kept');
  await changes.catchUp();
  assert.deepEqual(told.sort(), [`${organizationId}/${wabaId}/gone`, `${organizationId}/${wabaId}/kept`]);
  told.length = 0;
  await syncWaba(deps, wabaId);
  await changes.catchUp();
  assert.deepEqual(told, [], 'an unchanged template is not told again');
});

test('a number listed without its name: keeps the stored name', async () => {
  const [whole, nameless] = [numberNode(), numberNode()];
  const { state, deps, wabaId, waba: before } = await connect('nameless', { numbers: [whole, nameless] });
  state.numbers = [whole, { id: nameless.id, displayPhoneNumber: null }];
  const after = await syncWaba(deps, wabaId);
  assert.equal(after.numbers.length, 2);
  assert.deepEqual(after.numbers, before.numbers);
});

test('a change of a number: arrives while thousands of templates are read → stays', async () => {
  const number = numberNode();
  const { state, deps, wabaId } = await connect('many templates', { numbers: [number] });
  const value = {
    display_phone_number: number.displayPhoneNumber,
    event: 'THROUGHPUT_UPGRADE',
    current_limit: 'TIER_UNLIMITED',
  };
  const told = changeOf(wabaId, 'phone_number_quality_update', value);
  const slowly = readingSlowly(deps, async () => {
    state.numbers = [{ ...number, throughputLevel: 'HIGH' }];
    await tell(told);
  });
  const { numbers } = await syncWaba(slowly, wabaId);
  assert.deepEqual(
    numbers.map(({ throughputLevel, messagesPerSecond }) => [throughputLevel, messagesPerSecond]),
    [['HIGH', 1_000]],
  );
});

test('two syncs at once: the one that began later wins, whichever ends first', async () => {
  const number = numberNode({ status: 'DISCONNECTED' });
  const { state, deps, wabaId } = await connect('two at once', { numbers: [number] });
  const slowly = listingNumbersSlowly(deps, () => {
    state.numbers = [{ ...number, status: 'CONNECTED' }];
    return syncWaba(deps, wabaId);
  });
  const ofAnotherNode = { ...slowly, clock: { ...clock, now: () => clock.now() + 60_000 } };
  const { numbers } = await syncWaba(ofAnotherNode, wabaId);
  assert.deepEqual(
    numbers.map(({ status, registered }) => [status, registered]),
    [['CONNECTED', true]],
  );
  state.numbers = [number];
  assert.equal((await syncWaba(deps, wabaId)).numbers[0]?.status, 'DISCONNECTED');
});

test('a connect during a sync that began later: keeps its data, and still stores the token', async () => {
  const number = numberNode({ status: 'DISCONNECTED' });
  const { state, deps, wabaId, organizationId } = await connect('connected slowly', { numbers: [number] });
  const told = await keysToldOf('number');
  const slowly = listingNumbersSlowly(deps, async () => {
    state.numbers = [{ ...number, status: 'CONNECTED' }];
    await syncWaba(deps, wabaId);
    await tell(banOf(wabaId));
    await changes.catchUp();
    told.length = 0;
  });
  const { numbers } = await connectWaba(slowly, organizationId, { wabaId, accessToken: 'EAA-new' });
  assert.deepEqual(
    numbers.map(({ status, registered, parked }) => [status, registered, parked]),
    [['CONNECTED', true, null]],
  );
  await changes.catchUp();
  assert.deepEqual(told, [number.id]);
  state.calls.length = 0;
  state.numbers = [number];
  assert.equal((await syncWaba(deps, wabaId)).numbers[0]?.status, 'DISCONNECTED');
  assert.ok(state.calls.includes(`numbers ${wabaId} EAA-new`));
});

test('a connect: the account or a number is new → changes received meanwhile are applied', async () => {
  const { state, deps, wabaId, organizationId } = await connect('told meanwhile');
  assert.deepEqual(state.missed.splice(0), [wabaId]);
  const again = { wabaId, accessToken: 'EAA-new' };
  await connectWaba(deps, organizationId, again);
  assert.deepEqual(state.missed, []);
  state.numbers = [...state.numbers, numberNode()];
  await connectWaba(deps, organizationId, again);
  assert.deepEqual(state.missed.splice(0), [wabaId]);
  const other = await connect('told another', { numbers: [numberNode()] });
  other.state.missed.length = 0;
  await assert.rejects(connectWaba(other.deps, other.organizationId, { wabaId, accessToken: 'EAA' }));
  assert.deepEqual(other.state.missed, []);
});

test('a template: skipped because another was deleted between two pages → not marked deleted', async () => {
  let listed = ['first', 'second', 'third', 'fourth'].map((name) => templateNode({ name }));
  const [first, , third] = listed;
  const { deps, wabaId, organizationId } = await connect('moved forward', { templates: [listed] });
  const byPosition: ConnectDeps = {
    ...deps,
    upstream: {
      ...deps.upstream,
      async *listTemplates() {
        for (let at = 0; at < listed.length; at += 2) {
          yield { kind: 'ok', value: listed.slice(at, at + 2) };
          listed = listed.filter((template) => template !== first);
        }
      },
    },
  };
  const statusOf = async (id = '') => new Map(await statusesOf(organizationId)).get(id);
  await syncWaba(byPosition, wabaId);
  assert.equal(await statusOf(third?.id), 'APPROVED');
  await syncWaba(byPosition, wabaId);
  assert.deepEqual([await statusOf(first?.id), await statusOf(third?.id)], ['DELETED', 'APPROVED']);
});

test('a template: stored during a sync, by a slow clock → not marked deleted', async () => {
  const { state, deps, wabaId, organizationId } = await connect('slow clock');
  const created = nextUpstreamId();
  const slowly = readingSlowly(deps, () =>
    db.query({
      text: `
        INSERT INTO template (organization_id, id, waba_id, name, language, category, status, components, created_at, updated_at)
        VALUES ($1, $2, $3, 'fresh', 'en_US', 'UTILITY', 'PENDING', '[]', $4, $4)`,
      values: [organizationId, created, wabaId, new Date(clock.now() - 60_000)],
    }),
  );
  await syncWaba(slowly, wabaId);
  const statusOf = async (id: string) => new Map(await statusesOf(organizationId)).get(id);
  assert.equal(await statusOf(created), 'PENDING');
  // A template missing from a sync that began later has been deleted.
  state.templates = [[]];
  await syncWaba(deps, wabaId);
  assert.equal(await statusOf(created), 'DELETED');
});

test('a sync: a change becomes known meanwhile → the change stays', async () => {
  const [reviewed, removed] = [templateNode({ name: 'reviewed', status: 'PENDING' }), templateNode({ name: 'taken' })];
  const { state, deps, wabaId, organizationId } = await connect('race', { templates: [[reviewed, removed]] });
  const meanwhile = Promise.withResolvers<void>();
  const created = nextUpstreamId();
  state.onRead = () => {
    const later = new Date(clock.now() + 1_000);
    db.transaction(async (tx) => {
      await tx.query({
        text: "UPDATE template SET status = CASE id WHEN $1 THEN 'APPROVED' ELSE 'DELETED' END, updated_at = $2 WHERE organization_id = $3",
        values: [reviewed.id, later, organizationId],
      });
      await tx.query({
        text: `
          INSERT INTO template (organization_id, id, waba_id, name, language, category, status, components, created_at, updated_at)
          VALUES ($1, $2, $3, 'taken', 'en_US', 'UTILITY', 'PENDING', '[]', $4, $4)`,
        values: [organizationId, created, wabaId, later],
      });
    }).then(meanwhile.resolve, meanwhile.reject);
  };
  await syncWaba(
    readingSlowly(deps, () => meanwhile.promise),
    wabaId,
  );
  assert.deepEqual(await statusesOf(organizationId), [
    [reviewed.id, 'APPROVED'],
    [removed.id, 'DELETED'],
    [created, 'PENDING'],
  ]);
});

test('an override or a lost subscription: every sync warns; its end → logged once', async () => {
  const number = numberNode();
  const { state, deps, wabaId, organizationId } = await connect('override', { numbers: [number] });
  const logged: [level: string, facts: object][] = [];
  const log: ConnectDeps['log'] = {
    info: (facts: object) => logged.push(['info', facts]),
    warn: (facts: object) => logged.push(['warn', facts]),
  };
  const isSubscribed = (answer: boolean): ConnectDeps => ({
    ...deps,
    log,
    upstream: {
      ...deps.upstream,
      readSubscription: async () => ({ kind: 'ok', value: { isSubscribed: answer, override: null } }),
    },
  });
  const waba = { organizationId, wabaId };
  const inbox = { url: 'https://inbox.example/hook' };
  const overridden = { ...waba, phoneNumberId: number.id, override: 'phone_number', ...inbox };
  const readTo = async (answer: boolean, expected: typeof logged) => {
    await syncWaba(isSubscribed(answer), wabaId);
    assert.deepEqual(logged.splice(0), expected);
  };
  await readTo(true, []);
  state.numbers = [{ ...number, webhooks: { ...number.webhooks, number: inbox } }];
  await readTo(true, [['warn', overridden]]);
  await readTo(true, [['warn', overridden]]);
  await connectWaba(isSubscribed(true), organizationId, { wabaId, accessToken: 'EAA' });
  assert.deepEqual(logged.splice(0), [['warn', overridden]]);
  state.numbers = [number];
  await readTo(false, [
    ['warn', waba],
    ['info', { ...waba, phoneNumberId: number.id }],
  ]);
  await readTo(true, [['info', waba]]);
  state.numbers = [{ ...number, webhooks: { ...number.webhooks, number: inbox } }];
  await readTo(true, [['warn', overridden]]);
  state.numbers = [];
  await readTo(true, [['info', { ...waba, phoneNumberId: number.id }]]);
});

test('a sync: disconnected while it reads → no numbers, and nothing stored', async () => {
  const { deps, wabaId, organizationId } = await connect('gone meanwhile');
  const slowly = readingSlowly(deps, () => disconnectWaba(deps, wabaId));
  const synced = await syncWaba(slowly, wabaId);
  assert.deepEqual(synced, { wabaId, appId: null, numbers: [], webhooksSubscribed: null, templates: 1 });
  assert.deepEqual(
    await db.query({ text: 'SELECT FROM waba WHERE organization_id = $1', values: [organizationId] }),
    [],
  );
});
