import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { connectWaba, endPastRestrictions, parkNumber, parkWaba, syncWaba } from '../../src/accounts/index.ts';
import { findSealedTokens } from '../../src/accounts/queries.ts';
import { systemClock } from '../../src/core/time/clock.ts';
import { banOf, changeOf, openAccountsDatabase } from '../harness/connected-accounts.ts';
import { createUpstreamWaba, numberNode } from '../harness/upstream-waba.ts';

const clock = systemClock;

const { db, changes, secretBox, connect, tell, keysToldOf } = await openAccountsDatabase({ after });

/** What a call was made with that begins now, or at `begunAtMs`. */
async function usedOf(wabaId: string, begunAtMs = clock.now()) {
  const { version = 0, readAt = null } = (await findSealedTokens(db, [wabaId])).get(wabaId) ?? {};
  return { wabaId, version, readAt, begunAtMs };
}

/** Returns the parking code of an account, then those of its numbers in order. */
async function listParked(wabaId: string): Promise<(string | null)[]> {
  const rows = await db.query<{ code: string | null }>({
    text: `
      SELECT parked_code AS code, 0 AS place FROM waba WHERE waba_id = $1
      UNION ALL SELECT parked_code, number_id FROM sending_number WHERE waba_id = $1 ORDER BY place`,
    values: [wabaId],
  });
  return rows.map(({ code }) => code);
}

test('a sync: ends parking by refusals, keeps the states that the upstream reported', async () => {
  const { state, deps, wabaId, organizationId } = await connect('parked');
  const phoneNumberId = state.numbers[0]?.id ?? '';
  const other = createUpstreamWaba({ db, secretBox });
  await connectWaba(other.deps, organizationId, { wabaId: other.wabaId, accessToken: 'EAA' });
  for (const each of [other, { state, wabaId }]) {
    const used = await usedOf(each.wabaId);
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

  await tell(banOf(wabaId));
  assert.equal((await syncWaba(deps, wabaId)).numbers[0]?.parked?.code, 'ACCOUNT_DISABLED');
});

for (const what of ['account', 'number'] as const) {
  test(`a refusal of an earlier send: keeps the state that the upstream reported of the ${what}`, async () => {
    const { state, deps, wabaId } = await connect('told');
    const [number] = state.numbers;
    assert.ok(number !== undefined);
    const used = await usedOf(wabaId);
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

test('a number parked for its name: the upstream approves the name → it resumes, no other does', async () => {
  const numbers = [numberNode(), numberNode({ displayPhoneNumber: '+1 555-010-0002' })];
  const [named] = numbers;
  const { deps, wabaId } = await connect('display name', { numbers });
  const stranger = await connect('another display name', { numbers: [numberNode()] });
  const refuse = async (ofWaba: string, phoneNumberId = '', code = '131037') => {
    await parkNumber(deps, phoneNumberId, await usedOf(ofWaba), { code, reason: 'Refused.' });
  };
  const decide = (decision: string) =>
    tell(changeOf(wabaId, 'phone_number_name_update', { display_phone_number: named?.displayPhoneNumber, decision }));
  for (const number of numbers) await refuse(wabaId, number.id);
  await refuse(stranger.wabaId, stranger.waba.numbers[0]?.phoneNumberId);
  await decide('REJECTED');
  assert.deepEqual(await listParked(wabaId), [null, '131037', '131037']);
  const told = await keysToldOf('number');
  await decide('APPROVED');
  assert.deepEqual(await listParked(wabaId), [null, null, '131037']);
  await changes.catchUp();
  assert.ok(told.includes(named?.id ?? ''));
  assert.deepEqual(await listParked(stranger.wabaId), [null, '131037']);
  await refuse(wabaId, named?.id, '133010');
  await decide('APPROVED');
  assert.deepEqual(await listParked(wabaId), [null, '133010', '131037']);
});

test('a refusal: the upstream lifted its reason after the attempt began → nothing is parked', async () => {
  const { state, deps, wabaId } = await connect('lifted');
  const other = await connect('not lifted');
  const [number] = state.numbers;
  const toldAtMs = clock.now() - 60_000;
  const lift = (field: string, value: Record<string, unknown>) =>
    tell({ ...changeOf(wabaId, field, value), atMs: toldAtMs });
  await lift('account_update', { event: 'DISABLED_UPDATE', ban_info: { waba_ban_state: 'REINSTATE' } });
  await lift('phone_number_name_update', {
    ...{ display_phone_number: number?.displayPhoneNumber, decision: 'APPROVED', requested_verified_name: 'Lifted' },
  });
  const parkedAfter = async (of: typeof other, code: string, begunAtMs: number) => {
    const used = await usedOf(of.wabaId, begunAtMs);
    const parked = { code, reason: 'Refused.' };
    if (code === '131037') await parkNumber(deps, of.state.numbers[0]?.id ?? '', used, parked);
    else await parkWaba(deps, used, parked);
    return (await listParked(of.wabaId)).find((known) => known !== null);
  };
  for (const code of ['131031', '368', '131037']) {
    assert.equal(await parkedAfter({ ...other, wabaId, state }, code, toldAtMs - 1_000), undefined);
    // The upstream stamps whole seconds.
    assert.equal(await parkedAfter({ ...other, wabaId, state }, code, toldAtMs + 999), undefined);
  }
  assert.equal(await parkedAfter(other, '131031', toldAtMs - 1_000), '131031', "another account's");
  assert.equal(await parkedAfter({ ...other, wabaId, state }, '131037', toldAtMs + 1_000), '131037');
  assert.equal(await parkedAfter({ ...other, wabaId, state }, '190', toldAtMs - 1_000), '190', 'told of no token');
});

test('restrictions: past their end → they end, others stay', async () => {
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

test('a rejected review and a ban or restriction: each counts separately, in any order', async () => {
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
  assert.deepEqual(await parkedFor(disable, restrict, endTerm, reinstate), [DISABLED, DISABLED, DISABLED, null]);
  assert.deepEqual(await parkedFor(restrict, disable, endTerm, reinstate), [RESTRICTED, DISABLED, DISABLED, null]);

  const reconnect = () => connectWaba(deps, organizationId, { wabaId, accessToken: 'EAA' });
  assert.deepEqual(await parkedFor(reject, disable, reconnect, disable, reinstate), [
    REJECTED,
    DISABLED,
    null,
    DISABLED,
    null,
  ]);
});
