import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, test } from 'node:test';
import { disconnectWaba } from '../../src/accounts/connect/disconnect-waba.ts';
import {
  type Accounts,
  connectWaba,
  createAccounts,
  parkNumber,
  parkWaba,
  patchNumber,
  platformOf,
  syncWaba,
} from '../../src/accounts/index.ts';
import { AppError } from '../../src/core/errors.ts';
import { newId } from '../../src/core/ids.ts';
import { createSecretBox } from '../../src/core/secret-box.ts';
import { systemClock } from '../../src/core/time/clock.ts';
import { createOrganization } from '../../src/organizations/index.ts';
import { TokenApps } from '../../src/upstream/index.ts';
import { makeEventDays } from '../harness/event-days.ts';
import { openFollowedDatabase } from '../harness/followed-database.ts';
import {
  createUpstreamWaba,
  listTemplateRows,
  nextUpstreamId,
  numberNode,
  templateNode,
} from '../harness/upstream-waba.ts';

const clock = systemClock;
const secretBox = createSecretBox([randomBytes(32)]);

const { db, changes } = await openFollowedDatabase({ after });
await makeEventDays(db);

const code = (expected: string) => (error: unknown) => error instanceof AppError && error.code === expected;

const createTenant = async (name: string) => (await createOrganization({ db, clock }, { name })).id;

const createNode = (platform = 'graph.example.com') =>
  createAccounts({ db, changes, secretBox, tokenApps: new TokenApps(), platform, clock });

/** Returns the parking state of a number on a node that has applied all changes. */
async function parkedOn(node: Accounts, organizationId: string, phoneNumberId: string) {
  await changes.catchUp();
  return (await node.getNumber(organizationId, phoneNumberId)).parked;
}

test('connecting a WABA: subscribes, reads every page, stores its numbers and templates', async () => {
  const { state, deps, wabaId } = createUpstreamWaba({ db, secretBox });
  const organizationId = await createTenant('connect');
  const unregistered = numberNode({ displayPhoneNumber: '15550100002', platformType: 'NOT_APPLICABLE' });
  state.numbers.push(unregistered);
  state.templates.push([templateNode({ name: 'second_page' })], []);
  const connected = await connectWaba(deps, organizationId, { wabaId, accessToken: 'EAA1' });
  assert.equal(connected.templates, 2);
  assert.deepEqual(
    connected.numbers.map(({ phoneNumberId, phoneNumber, registered }) => [phoneNumberId, phoneNumber, registered]),
    [
      [state.numbers[0]?.id, '15550100001', true],
      [unregistered.id, '15550100002', false],
    ],
  );
  assert.equal(state.calls[0], `subscribe ${wabaId} EAA1`);
  assert.equal(state.calls.filter((call) => call.startsWith('templates')).length, 3);
  const rows = await listTemplateRows(db, organizationId);
  assert.equal(rows[0]?.components, state.templates[0]?.[0]?.components, 'the spelling of the upstream is kept');
  assert.equal(rows.length, 2);
});

test('a number, a WABA and a token: another organization asks → absent', async () => {
  const { state, deps, wabaId } = createUpstreamWaba({ db, secretBox });
  const [mine, other] = [await createTenant('mine'), await createTenant('other')];
  const node = createNode();
  const phoneNumberId = state.numbers[0]?.id ?? '';
  assert.equal(await node.findNumber(mine, phoneNumberId), undefined);
  await connectWaba(deps, mine, { wabaId, accessToken: 'EAA-mine' });
  await changes.catchUp();
  const number = await node.getNumber(mine, phoneNumberId);
  assert.equal(node.findNumber(mine, phoneNumberId), number, 'remembered numbers come at once');
  assert.equal(number.organizationId, mine);
  assert.equal((await node.tokenOf(mine, wabaId)).token, 'EAA-mine');
  assert.equal((await node.findWaba(mine, wabaId))?.hasRegisteredNumber, true);
  assert.equal((await node.findNumberByDigits(mine, number.phoneNumber))?.phoneNumberId, phoneNumberId);
  assert.equal(await node.findByPhoneNumberId(phoneNumberId), number);
  assert.deepEqual(await node.findByNumberIds([number.numberId, 2_000_000_000]), [number]);

  assert.equal(await node.findNumber(other, phoneNumberId), undefined);
  assert.equal(await node.findWaba(other, wabaId), undefined);
  assert.equal(await node.findNumberByDigits(other, number.phoneNumber), undefined);
  await assert.rejects(async () => node.getNumber(other, phoneNumberId), code('ACCOUNT_NOT_FOUND'));
  await assert.rejects(async () => node.tokenOf(other, wabaId), code('NOT_FOUND'));
  for (const id of ['', '\0', '../1', 'x'.repeat(300)]) {
    await assert.rejects(async () => node.getNumber(mine, id), code('ACCOUNT_NOT_FOUND'));
    await assert.rejects(async () => node.tokenOf(mine, id), code('NOT_FOUND'));
    await assert.rejects(syncWaba(deps, id), code('NOT_FOUND'));
  }
});

test('a WABA or number of another organization: a conflict without its name, nothing changes', async () => {
  const { state, deps, wabaId } = createUpstreamWaba({ db, secretBox });
  const [mine, other] = [await createTenant('Owner Inc'), await createTenant('Intruder Inc')];
  await connectWaba(deps, mine, { wabaId, accessToken: 'EAA-mine' });
  const before = state.calls.length;
  const intruding = connectWaba(deps, other, { wabaId, accessToken: 'EAA-other' });
  await assert.rejects(intruding, (error) => code('CONFLICT')(error) && !/Owner|Intruder/.test(String(error)));
  assert.equal(state.calls.length, before, 'the intruder reaches nothing upstream');
  const elsewhere = createUpstreamWaba({ db, secretBox });
  elsewhere.state.numbers = state.numbers;
  await assert.rejects(
    connectWaba(elsewhere.deps, other, { wabaId: elsewhere.wabaId, accessToken: 'EAA-other' }),
    code('CONFLICT'),
  );
  const node = createNode();
  assert.equal((await node.tokenOf(mine, wabaId)).token, 'EAA-mine');
  assert.equal(await node.findWaba(other, elsewhere.wabaId), undefined);
});

test('two organizations connect one WABA at once: one of them gets it', async () => {
  const { deps, wabaId } = createUpstreamWaba({ db, secretBox });
  const tenants = [await createTenant('a'), await createTenant('b')];
  const outcomes = await Promise.allSettled(
    tenants.map((organizationId) => connectWaba(deps, organizationId, { wabaId, accessToken: 'EAA' })),
  );
  assert.deepEqual(outcomes.map((outcome) => outcome.status).sort(), ['fulfilled', 'rejected']);
  const refusal = outcomes.find((outcome) => outcome.status === 'rejected');
  assert.ok(refusal?.status === 'rejected' && code('CONFLICT')(refusal.reason));
});

test('connecting again: keeps account ids, replaces the token and ends parking', async () => {
  const { state, deps, wabaId } = createUpstreamWaba({ db, secretBox });
  const organizationId = await createTenant('again');
  const phoneNumberId = state.numbers[0]?.id ?? '';
  const first = await connectWaba(deps, organizationId, { wabaId, accessToken: 'EAA-old' });
  const node = createNode();
  const used = { begunAtMs: clock.now(), wabaId, ...(await node.tokenOf(organizationId, wabaId)) };
  assert.equal(used.token, 'EAA-old');
  await parkWaba(deps, used, { code: '190', reason: 'The token has expired.' });
  await parkNumber(deps, phoneNumberId, used, { code: '131031', reason: 'The account is locked.' });
  const parked = { code: '190', reason: 'The token has expired.' };
  assert.deepEqual(await parkedOn(node, organizationId, phoneNumberId), parked);

  const again = await connectWaba(deps, organizationId, { wabaId, accessToken: 'EAA-new' });
  assert.equal(again.numbers[0]?.accountId, first.numbers[0]?.accountId);
  assert.equal(again.numbers[0]?.numberId, first.numbers[0]?.numberId);
  assert.equal(await parkedOn(node, organizationId, phoneNumberId), null);
  assert.equal((await node.tokenOf(organizationId, wabaId)).token, 'EAA-new');

  await parkWaba(deps, used, { code: '190', reason: 'The token has expired.' });
  await parkNumber(deps, phoneNumberId, used, { code: '133010', reason: 'Not registered.' });
  const parkedAfterwards = await parkedOn(node, organizationId, phoneNumberId);
  assert.equal(parkedAfterwards, null, 'the old token parks nothing any more');
});

test("parking: reaches every node that caches the number; the WABA's code comes first", async () => {
  const { state, deps, wabaId } = createUpstreamWaba({ db, secretBox });
  const organizationId = await createTenant('parking');
  const phoneNumberId = state.numbers[0]?.id ?? '';
  await connectWaba(deps, organizationId, { wabaId, accessToken: 'EAA' });
  const node = createNode();
  const parkedNow = () => parkedOn(node, organizationId, phoneNumberId);
  assert.equal(await parkedNow(), null);
  const used = { begunAtMs: clock.now(), wabaId, ...(await node.tokenOf(organizationId, wabaId)) };
  await parkNumber(deps, phoneNumberId, used, { code: '131031', reason: 'locked' });
  assert.deepEqual(await parkedNow(), { code: '131031', reason: 'locked' });
  await parkWaba(deps, used, { code: '190', reason: 'expired' });
  assert.deepEqual(await parkedNow(), { code: '190', reason: 'expired' });
});

test("a number moved to another WABA of the organization: the old WABA's parking ends", async () => {
  const organizationId = await createTenant('moving');
  const from = createUpstreamWaba({ db, secretBox });
  const phoneNumberId = from.state.numbers[0]?.id ?? '';
  const connect = ({ deps, wabaId }: typeof from) => connectWaba(deps, organizationId, { wabaId, accessToken: 'EAA' });
  await connect(from);
  const node = createNode();
  const found = async () => {
    await changes.catchUp();
    const { wabaId, parked } = await node.getNumber(organizationId, phoneNumberId);
    return { wabaId, parked };
  };
  assert.equal((await node.findWaba(organizationId, from.wabaId))?.hasRegisteredNumber, true);
  const tokenOf = async ({ wabaId }: typeof from) => ({
    begunAtMs: clock.now(),
    wabaId,
    ...(await node.tokenOf(organizationId, wabaId)),
  });
  await parkNumber(from.deps, phoneNumberId, await tokenOf(from), { code: '33', reason: 'gone' });

  const to = createUpstreamWaba({ db, secretBox });
  to.state.numbers = from.state.numbers;
  await connect(to);
  assert.deepEqual(await found(), { wabaId: to.wabaId, parked: null });
  assert.equal((await node.findWaba(organizationId, from.wabaId))?.hasRegisteredNumber, false, 'it has none any more');

  await parkNumber(from.deps, phoneNumberId, await tokenOf(from), { code: '33', reason: 'gone' });
  assert.deepEqual(await found(), { wabaId: to.wabaId, parked: null }, 'told late of the one it was on');

  await parkNumber(to.deps, phoneNumberId, await tokenOf(to), { code: '33', reason: 'gone' });
  await syncWaba(from.deps, from.wabaId);
  assert.deepEqual(await found(), { wabaId: from.wabaId, parked: null }, 'back again');
});

test("a number's pace and pause: set by the operator → they survive a sync", async () => {
  const { state, deps, wabaId } = createUpstreamWaba({ db, secretBox });
  const organizationId = await createTenant('pace');
  const phoneNumberId = state.numbers[0]?.id ?? '';
  await connectWaba(deps, organizationId, { wabaId, accessToken: 'EAA' });
  const node = createNode();
  assert.equal((await node.getNumber(organizationId, phoneNumberId)).messagesPerSecond, 80);
  const patched = await patchNumber(deps, phoneNumberId, { messagesPerSecond: 12.5, paused: true });
  assert.deepEqual([patched.messagesPerSecond, patched.paused], [12.5, true]);
  state.numbers = state.numbers.map((number) => ({ ...number, throughputLevel: 'HIGH' }));
  await syncWaba(deps, wabaId);
  await changes.catchUp();
  const synced = await node.getNumber(organizationId, phoneNumberId);
  assert.deepEqual([synced.messagesPerSecond, synced.paused], [12.5, true]);
  const released = await patchNumber(deps, phoneNumberId, { messagesPerSecond: null });
  assert.deepEqual([released.messagesPerSecond, released.paused], [1_000, true]);
  await assert.rejects(patchNumber(deps, nextUpstreamId(), { paused: true }), code('ACCOUNT_NOT_FOUND'));
});

test('connecting: refused token → PROVIDER_REJECTED, no platform → UNAVAILABLE; nothing stored', async () => {
  const { state, deps, wabaId } = createUpstreamWaba({ db, secretBox });
  const organizationId = await createTenant('refused');
  const provider = { code: 190, error_user_title: 'Session expired', error_user_msg: 'Log in again.' };
  state.failure = { kind: 'credential', code: '190', subcode: 463, message: 'expired', provider, httpStatus: 401 };
  const connecting = () => connectWaba(deps, organizationId, { wabaId, accessToken: 'EAA' });
  await assert.rejects(connecting, (error) => {
    assert.ok(code('PROVIDER_REJECTED')(error) && error instanceof AppError);
    assert.deepEqual(error.details.provider_error, provider);
    return true;
  });
  state.failure = {
    kind: 'unavailable',
    reason: 'connect',
    retryAfterMs: null,
    mayHaveHappened: false,
  };
  await assert.rejects(connecting, code('UNAVAILABLE'));
  state.failure = { kind: 'throttled', scope: 'waba', retryAfterMs: 30_000, code: '80008', message: null };
  await assert.rejects(connecting, (error) => {
    assert.ok(code('UNAVAILABLE')(error) && error instanceof AppError);
    assert.equal(error.details.retryAfterSeconds, 30);
    return true;
  });
  assert.equal(await createNode().findWaba(organizationId, wabaId), undefined);
  await assert.rejects(connectWaba(deps, newId(), { wabaId, accessToken: 'EAA' }), code('NOT_FOUND'));
  await assert.rejects(
    connectWaba(deps, organizationId, { wabaId: '../1', accessToken: 'EAA' }),
    code('VALIDATION_ERROR'),
  );
});

test("a refusal with a former organization's token: parks nothing of the next owner", async () => {
  const { state, deps, wabaId } = createUpstreamWaba({ db, secretBox });
  const [former, next] = [await createTenant('former'), await createTenant('next')];
  const phoneNumberId = state.numbers[0]?.id ?? '';
  const node = createNode();
  await connectWaba(deps, former, { wabaId, accessToken: 'EAA' });
  const used = { begunAtMs: clock.now(), wabaId, ...(await node.tokenOf(former, wabaId)) };
  await disconnectWaba(deps, wabaId);
  await connectWaba(deps, next, { wabaId, accessToken: 'EAA' });
  await changes.catchUp();
  await parkWaba(deps, used, { code: '190', reason: 'The token has expired.' });
  await parkNumber(deps, phoneNumberId, used, { code: '131031', reason: 'The account is locked.' });
  assert.equal(await parkedOn(node, next, phoneNumberId), null);
  await assert.rejects(async () => node.tokenOf(former, wabaId), code('NOT_FOUND'));
});

test('an account disconnected while it is being connected: has to be connected again', async () => {
  const { state, deps, wabaId } = createUpstreamWaba({ db, secretBox });
  const organizationId = await createTenant('both at once');
  await connectWaba(deps, organizationId, { wabaId, accessToken: 'EAA' });
  let disconnecting: Promise<void> | undefined;
  state.onRead = () => {
    disconnecting ??= disconnectWaba(deps, wabaId);
  };
  const { listPhoneNumbers } = deps.upstream;
  deps.upstream.listPhoneNumbers = async (...call) => {
    await disconnecting;
    return listPhoneNumbers(...call);
  };
  const connecting = () => connectWaba(deps, organizationId, { wabaId, accessToken: 'EAA' });
  await assert.rejects(connecting, code('CONFLICT'));
  assert.equal((await connecting()).numbers.length, 1);
});

test('an account whose token no key opens: disconnected without a call to the platform', async () => {
  const { state, deps, wabaId } = createUpstreamWaba({ db, secretBox });
  await connectWaba(deps, await createTenant('keyless'), { wabaId, accessToken: 'EAA' });
  state.calls.length = 0;
  await disconnectWaba({ ...deps, secretBox: createSecretBox([randomBytes(32)]) }, wabaId);
  assert.deepEqual(state.calls, []);
  await assert.rejects(disconnectWaba(deps, wabaId), code('NOT_FOUND'));
});

test('a token: stored sealed, and does not open in another row', async () => {
  const { deps, wabaId } = createUpstreamWaba({ db, secretBox });
  const second = createUpstreamWaba({ db, secretBox });
  const [mine, other] = [await createTenant('sealed'), await createTenant('thief')];
  await connectWaba(deps, mine, { wabaId, accessToken: 'EAA-secret-token' });
  await connectWaba(second.deps, other, { wabaId: second.wabaId, accessToken: 'EAA-other-token' });
  const rows = await db.query<{ token_sealed: Buffer }>({ text: 'SELECT token_sealed FROM waba' });
  // Compares whole tokens: three bytes alone occur by chance once in some thousands of runs.
  for (const row of rows)
    for (const token of ['EAA-secret-token', 'EAA-other-token']) assert.ok(!row.token_sealed.includes(token));
  await db.query({
    text: 'UPDATE waba SET token_sealed = (SELECT token_sealed FROM waba WHERE waba_id = $1) WHERE waba_id = $2',
    values: [wabaId, second.wabaId],
  });
  await assert.rejects(async () => createNode().tokenOf(other, second.wabaId));
});

test("tokens: the built-in simulator gets only its own accounts', a named platform gets all", async () => {
  const organizationId = await createTenant('platforms');
  const builtIn = platformOf({ baseUrl: 'http://127.0.0.1:1/v24.0', isBuiltIn: true });
  const named = platformOf({ baseUrl: 'https://graph.example.com/v24.0', isBuiltIn: false });
  const connectThrough = async (platform: string) => {
    const { deps, wabaId } = createUpstreamWaba({ db, secretBox });
    await connectWaba({ ...deps, platform }, organizationId, { wabaId, accessToken: 'EAA' });
    return { deps, wabaId };
  };
  const [real, simulated, unknown] = [
    await connectThrough(named),
    await connectThrough(builtIn),
    await connectThrough(named),
  ];
  await db.query({ text: 'UPDATE waba SET platform = NULL WHERE waba_id = $1', values: [unknown.wabaId] });
  for (const { wabaId } of [real, simulated, unknown]) {
    assert.equal((await createNode(named).tokenOf(organizationId, wabaId)).token, 'EAA');
    assert.equal((await createNode('graph.example.org').tokenOf(organizationId, wabaId)).token, 'EAA');
  }
  // A later start with another port.
  const later = platformOf({ baseUrl: 'http://127.0.0.1:2/v24.0', isBuiltIn: true });
  assert.equal((await createNode(later).tokenOf(organizationId, simulated.wabaId)).token, 'EAA');
  for (const { deps, wabaId } of [real, unknown]) {
    await assert.rejects(async () => createNode(later).tokenOf(organizationId, wabaId), code('UNAVAILABLE'));
    await assert.rejects(syncWaba({ ...deps, platform: later }, wabaId), code('UNAVAILABLE'));
  }
  await connectWaba(unknown.deps, organizationId, { wabaId: unknown.wabaId, accessToken: 'EAA' });
  const [row] = await db.query({ text: 'SELECT platform FROM waba WHERE waba_id = $1', values: [unknown.wabaId] });
  assert.deepEqual(row, { platform: 'graph.example.com' });
});
