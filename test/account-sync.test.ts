import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, describe, it, test } from 'node:test';
import { disconnectWaba } from '../src/accounts/disconnect-waba.ts';
import {
  type AccountChange,
  type ConnectDeps,
  connectWaba,
  endPastRestrictions,
  findNamedNumbers,
  followAccountChanges,
  listOwnedChanges,
  parkNumber,
  parkWaba,
  syncWaba,
} from '../src/accounts/index.ts';
import { findSealedTokens } from '../src/accounts/queries.ts';
import { systemClock } from '../src/core/clock.ts';
import { newId } from '../src/core/ids.ts';
import { createSecretBox } from '../src/core/secret-box.ts';
import type { ChangeTopic } from '../src/database/change-feed.ts';
import { createOrganization } from '../src/organizations/index.ts';
import { makeEventDays } from './harness/event-days.ts';
import { openFollowedDatabase } from './harness/followed-database.ts';
import { untilWaiting } from './harness/lock-waits.ts';
import {
  createUpstreamWaba,
  listTemplateRows,
  nextUpstreamId,
  numberNode,
  templateNode,
} from './harness/upstream-waba.ts';

const clock = systemClock;
const secretBox = createSecretBox([randomBytes(32)]);

const { db, changes } = await openFollowedDatabase({ after });
await makeEventDays(db);

type UpstreamWaba = ReturnType<typeof createUpstreamWaba>;

/** An account that is connected to an organization of its own, as the upstream has it then. */
async function connect(name: string, has: Partial<UpstreamWaba['state']> = {}) {
  const upstreamWaba = createUpstreamWaba({ db, secretBox });
  const { state, deps, wabaId } = upstreamWaba;
  Object.assign(state, has);
  const organizationId = (await createOrganization({ db, clock }, { name })).id;
  const waba = await connectWaba(deps, organizationId, { wabaId, accessToken: 'EAA' });
  return { ...upstreamWaba, organizationId, waba };
}

/** As `deps`, but that something happens once all templates have been read, before the reading has ended. */
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

function changeOf(wabaId: string, field: string, value: Record<string, unknown>): AccountChange {
  return { id: newId(), wabaId, field, atMs: clock.now(), value, raw: JSON.stringify(value), rawOf: () => undefined };
}

const tell = (change: AccountChange) => db.transaction((tx) => followAccountChanges(tx, [change], clock.now()));

const ban = (wabaId: string) =>
  changeOf(wabaId, 'account_update', { event: 'DISABLED_UPDATE', ban_info: { waba_ban_state: 'DISABLE' } });

/** The keys of the topic that are told from now on. */
async function keysToldOf(topic: ChangeTopic): Promise<string[]> {
  const told: string[] = [];
  changes.on(
    topic,
    (key) => told.push(key),
    () => {},
  );
  await changes.catchUp();
  told.length = 0;
  return told;
}

async function statusesOf(organizationId: string): Promise<[id: string, status: string][]> {
  return (await listTemplateRows(db, organizationId)).map(({ id, status }) => [id, status]);
}

test('a sync follows the upstream: changed, gone and new numbers and templates', async () => {
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

test('a sync lets go on what refusals have parked, and leaves what the upstream has told of the account', async () => {
  const { state, deps, wabaId, organizationId } = await connect('parked');
  const phoneNumberId = state.numbers[0]?.id ?? '';
  const other = createUpstreamWaba({ db, secretBox });
  await connectWaba(other.deps, organizationId, { wabaId: other.wabaId, accessToken: 'EAA' });
  for (const each of [other, { state, wabaId }]) {
    const { version = 0, readAt = null } = (await findSealedTokens(db, [each.wabaId])).get(each.wabaId) ?? {};
    const used = { wabaId: each.wabaId, version, readAt };
    await parkNumber(deps, each.state.numbers[0]?.id ?? '', used, { code: '133010', reason: 'Not registered.' });
    await parkWaba(deps, used, { code: '131031', reason: 'The account is locked.' });
    assert.deepEqual(await listParked(each.wabaId), ['131031', '133010']);
  }
  state.failure = { kind: 'unavailable', reason: 'timeout', retryAfterMs: null, mayHaveHappened: false };
  await assert.rejects(syncWaba(deps, wabaId));
  state.failure = undefined;
  const told = await keysToldOf('number');
  assert.equal((await syncWaba(deps, wabaId)).numbers[0]?.parked, null);
  await changes.catchUp();
  assert.ok(told.includes(phoneNumberId));
  assert.deepEqual(await listParked(other.wabaId), ['131031', '133010'], "another account's");

  await tell(ban(wabaId));
  assert.equal((await syncWaba(deps, wabaId)).numbers[0]?.parked?.code, 'ACCOUNT_DISABLED');
});

for (const what of ['account', 'number'] as const) {
  test(`a refusal of what was on its way leaves what the upstream has told of the ${what}`, async () => {
    const { state, deps, wabaId } = await connect('told');
    const [number] = state.numbers;
    assert.ok(number !== undefined);
    const { version = 0, readAt = null } = (await findSealedTokens(db, [wabaId])).get(wabaId) ?? {};
    const used = { wabaId, version, readAt };
    const refuse = (code: string) =>
      what === 'account'
        ? parkWaba(deps, used, { code, reason: 'Refused.' })
        : parkNumber(deps, number.id, used, { code, reason: 'Refused.' });
    const parkedFor = (code: string | null) => (what === 'account' ? [code, null] : [null, code]);
    await refuse('131031');
    assert.deepEqual(await listParked(wabaId), parkedFor('131031'));
    const expiration = Math.floor(clock.now() / 1000) + 60;
    const restriction_info = [{ restriction_type: 'RESTRICTED_CUSTOMER_INITIATED_MESSAGING', expiration }];
    const about = what === 'account' ? {} : { phone_number: number.displayPhoneNumber };
    await tell(changeOf(wabaId, 'account_update', { ...about, event: 'ACCOUNT_RESTRICTION', restriction_info }));
    await refuse('131031');
    await refuse('190');
    assert.deepEqual(await listParked(wabaId), parkedFor('ACCOUNT_RESTRICTED'));
    await endPastRestrictions({ db }, expiration * 1000);
    assert.deepEqual(await listParked(wabaId), [null, null], 'it ends with its term');
  });
}

/** What an account is parked for, and then its numbers in order. */
async function listParked(wabaId: string): Promise<(string | null)[]> {
  const rows = await db.query<{ code: string | null }>({
    text: `
      SELECT parked_code AS code, 0 AS place FROM waba WHERE waba_id = $1
      UNION ALL SELECT parked_code, number_id FROM sending_number WHERE waba_id = $1 ORDER BY place`,
    values: [wabaId],
  });
  return rows.map(({ code }) => code);
}

test('restrictions whose time has come end, and no others beside them', async () => {
  const [PAST, FUTURE, RESTRICTED, LOCKED] = [-1, 1, 'ACCOUNT_RESTRICTED', '131031'];
  const parkings: [code: string, hours: number][][] = [
    [
      [RESTRICTED, PAST],
      [RESTRICTED, FUTURE],
      [LOCKED, PAST],
    ],
    [
      [RESTRICTED, FUTURE],
      [RESTRICTED, PAST],
    ],
    [
      [LOCKED, PAST],
      [RESTRICTED, PAST],
    ],
  ];
  const wabaIds: string[] = [];
  for (const [own, ...ofNumbers] of parkings) {
    const { state, wabaId } = await connect('restricted', { numbers: ofNumbers.map(() => numberNode()) });
    const until = ([code, hours]: [string, number]) => [code, new Date(clock.now() + hours * 3_600_000)];
    const parked = (table: string) => `UPDATE ${table} SET parked_code = $2, parked_until = $3 WHERE`;
    await db.query({ text: `${parked('waba')} waba_id = $1`, values: [wabaId, ...until(own!)] });
    for (const [index, parking] of ofNumbers.entries()) {
      const values = [state.numbers[index]?.id, ...until(parking)];
      await db.query({ text: `${parked('sending_number')} phone_number_id = $1`, values });
    }
    wabaIds.push(wabaId);
  }
  await endPastRestrictions({ db }, clock.now());
  assert.deepEqual(await Promise.all(wabaIds.map(listParked)), [
    [null, RESTRICTED, LOCKED],
    [RESTRICTED, null],
    [LOCKED, null],
  ]);
});

test('a rejected review and a ban or restriction count each by itself, whichever is told or ends first', async () => {
  const { deps, wabaId, organizationId } = await connect('rejected');
  const review = (decision: string) => tell(changeOf(wabaId, 'account_review_update', { decision }));
  const account = (value: Record<string, unknown>) => tell(changeOf(wabaId, 'account_update', value));
  const ban = (waba_ban_state: string) => account({ event: 'DISABLED_UPDATE', ban_info: { waba_ban_state } });
  const expiration = Math.floor(clock.now() / 1000) + 3600;
  const restriction_info = [{ restriction_type: 'RESTRICTED_CUSTOMER_INITIATED_MESSAGING', expiration }];
  const restrict = () => account({ event: 'ACCOUNT_RESTRICTION', restriction_info });
  const endTerm = () => endPastRestrictions({ db }, expiration * 1000);
  const parkedFor = async (...does: (() => Promise<unknown>)[]) => {
    const codes: (string | null | undefined)[] = [];
    for (const next of does) {
      await next();
      codes.push((await listParked(wabaId))[0]);
    }
    return codes;
  };
  const [reject, approve] = [() => review('REJECTED'), () => review('APPROVED')];
  const [disable, reinstate] = [() => ban('DISABLE'), () => ban('REINSTATE')];
  const [REJECTED, RESTRICTED, DISABLED] = ['ACCOUNT_REJECTED', 'ACCOUNT_RESTRICTED', 'ACCOUNT_DISABLED'];

  assert.deepEqual(await parkedFor(reject, restrict, endTerm, approve), [REJECTED, RESTRICTED, REJECTED, null]);
  assert.deepEqual(await parkedFor(restrict, reject, endTerm, approve), [RESTRICTED, RESTRICTED, REJECTED, null]);
  assert.deepEqual(await parkedFor(reject, disable, reinstate, approve), [REJECTED, DISABLED, REJECTED, null]);
  assert.deepEqual(await parkedFor(disable, reject, approve, reinstate), [DISABLED, DISABLED, DISABLED, null]);
  assert.deepEqual(await parkedFor(reject, restrict, approve, endTerm), [REJECTED, RESTRICTED, RESTRICTED, null]);
  assert.deepEqual(await parkedFor(reject, reject, approve), [REJECTED, REJECTED, null]);

  const reconnect = () => connectWaba(deps, organizationId, { wabaId, accessToken: 'EAA' });
  assert.deepEqual(await parkedFor(reject, disable, reconnect, disable, reinstate), [
    REJECTED,
    DISABLED,
    null,
    DISABLED,
    null,
  ]);
});

test('a number that is listed without its name stays as it is known', async () => {
  const [whole, nameless] = [numberNode(), numberNode()];
  const { state, deps, wabaId, waba: before } = await connect('nameless', { numbers: [whole, nameless] });
  state.numbers = [whole, { id: nameless.id, displayPhoneNumber: null }];
  const after = await syncWaba(deps, wabaId);
  assert.equal(after.numbers.length, 2);
  assert.deepEqual(after.numbers, before.numbers);
});

test('what is told of a number by its digits is about the one that has them now', async () => {
  const [removed, added] = [numberNode(), numberNode()];
  const { state, deps, wabaId, organizationId } = await connect('added again', { numbers: [removed] });
  state.numbers = [added];
  await syncWaba(deps, wabaId);
  const value = { display_phone_number: added.displayPhoneNumber, event: 'THROUGHPUT_UPGRADE' };
  await tell(changeOf(wabaId, 'phone_number_quality_update', value));
  const numbers = await db.query<{ id: number; phoneNumberId: string; level: string }>({
    text: `
      SELECT number_id AS id, phone_number_id AS "phoneNumberId", throughput_level AS level
      FROM sending_number WHERE organization_id = $1 ORDER BY number_id`,
    values: [organizationId],
  });
  assert.deepEqual(
    numbers.map((number) => [number.phoneNumberId, number.level]),
    [
      [removed.id, 'STANDARD'],
      [added.id, 'HIGH'],
    ],
  );
  const phoneNumber = added.displayPhoneNumber.replace(/\D/g, '');
  const named = [{ organizationId, wabaId, phoneNumberId: undefined, phoneNumber }];
  assert.deepEqual(await db.transaction((tx) => findNamedNumbers(tx, named)), [numbers[1]?.id]);
});

test('what is told of a number while thousands of templates are read stays', async () => {
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

test('of two readings the one that began later stays, whichever ends first', async () => {
  const number = numberNode({ status: 'DISCONNECTED' });
  const { state, deps, wabaId } = await connect('two at once', { numbers: [number] });
  const { upstream } = deps;
  const slowly: ConnectDeps = {
    ...deps,
    // Of another node's clock.
    clock: { ...clock, now: () => clock.now() + 60_000 },
    upstream: {
      ...upstream,
      async listPhoneNumbers(...args) {
        const before = await upstream.listPhoneNumbers(...args);
        state.numbers = [{ ...number, status: 'CONNECTED' }];
        await syncWaba(deps, wabaId);
        return before;
      },
    },
  };
  const { numbers } = await syncWaba(slowly, wabaId);
  assert.deepEqual(
    numbers.map(({ status, registered }) => [status, registered]),
    [['CONNECTED', true]],
  );
  state.numbers = [number];
  assert.equal((await syncWaba(deps, wabaId)).numbers[0]?.status, 'DISCONNECTED');
});

test('a template that is passed over because another is deleted between two pages is not taken for deleted', async () => {
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

test('a template stored while a reading is made is not taken for deleted, however slow the clock it was stored by', async () => {
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
  // One that is missing from a reading begun later is gone.
  state.templates = [[]];
  await syncWaba(deps, wabaId);
  assert.equal(await statusOf(created), 'DELETED');
});

test('a reading does not undo what became known while it was made', async () => {
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

describe('what is told of accounts', () => {
  const limit = (wabaId: string) =>
    changeOf(wabaId, 'business_capability_update', { max_daily_conversations_per_business: 2000 });

  it('of two at once, in either order, waits for nothing in a circle', async () => {
    const [one, other] = [await connect('one'), await connect('other')];
    for (let round = 0; round < 5; round += 1) {
      const told = [
        [limit(one.wabaId), ban(one.wabaId), ban(other.wabaId)],
        [ban(other.wabaId), ban(one.wabaId), limit(one.wabaId)],
      ];
      const meet = Promise.withResolvers<void>();
      let arrived = 0;
      await Promise.all(
        told.map((changes) =>
          db.transaction(async (tx) => {
            arrived += 1;
            if (arrived === told.length) meet.resolve();
            await meet.promise;
            await followAccountChanges(tx, await listOwnedChanges(tx, changes), Date.now());
          }),
        ),
      );
    }
  });

  it('is applied before the account is disconnected, which waits for it, and not after', async () => {
    const { deps, organizationId, wabaId } = await connect('leaving');
    const following = await db.transaction(async (tx) => {
      const owned = await listOwnedChanges(tx, [limit(wabaId), ban(wabaId)]);
      const disconnecting = disconnectWaba(deps, wabaId);
      await untilWaiting(db);
      await followAccountChanges(tx, owned, Date.now());
      return { disconnecting };
    });
    await following.disconnecting;
    assert.deepEqual(await listTemplateRows(db, organizationId), []);
    assert.deepEqual(await db.transaction((tx) => listOwnedChanges(tx, [limit(wabaId)])), []);
  });
});
