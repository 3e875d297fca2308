import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { pino } from 'pino';
import {
  accountRoutes,
  type ConnectDeps,
  clearParked,
  connectWaba,
  createAccounts,
  parkNumber,
  parkWaba,
  patchNumber,
  shardOf,
  syncWaba,
} from '../src/accounts/index.ts';
import { systemClock } from '../src/core/clock.ts';
import { AppError } from '../src/core/errors.ts';
import { newId } from '../src/core/ids.ts';
import { createSecretBox } from '../src/core/secret-box.ts';
import { type ChangeFeed, createChangeFeed, publishChange } from '../src/database/change-feed.ts';
import { type Database, openDatabase } from '../src/database/database.ts';
import { createHttpServer, requireAdminToken } from '../src/http/index.ts';
import { createOrganization } from '../src/organizations/index.ts';
import { replaceTemplates } from '../src/templates/index.ts';
import type { CallResult, UpstreamNumber, UpstreamTemplate } from '../src/upstream/index.ts';
import { createTestDatabase, type TestDatabase } from './harness/database.ts';
import { makeEventDays } from './harness/event-days.ts';

const log = pino({ level: 'silent' });
const clock = systemClock;
const secretBox = createSecretBox(randomBytes(32));

let testDatabase: TestDatabase;
let db: Database;
let changes: ChangeFeed;

before(async () => {
  testDatabase = await createTestDatabase();
  db = openDatabase({ connectionString: testDatabase.connectionString, onIdleError: () => {} });
  await makeEventDays(db);
  changes = createChangeFeed({ db, clock, log, pollMs: 10 });
  await changes.start();
});

after(async () => {
  await changes.stop();
  await db.close();
  await testDatabase.drop();
});

const code = (expected: string) => (error: unknown) => error instanceof AppError && error.code === expected;

/** Resolves when this node has heard of everything committed so far. */
async function catchUp(): Promise<void> {
  const marker = newId();
  const { promise, resolve } = Promise.withResolvers<void>();
  changes.on('plan', (key) => key === marker && resolve(), resolve);
  await publishChange(db, 'plan', marker);
  await promise;
}

let serial = 0;

/** An upstream id nobody else uses. */
function nextId(): string {
  serial += 1;
  return `1000${serial}`;
}

function numberNode(fields: Partial<UpstreamNumber> = {}): UpstreamNumber {
  return {
    id: nextId(),
    displayPhoneNumber: '+1 555-010-0001',
    verifiedName: 'Example Ltd',
    status: 'CONNECTED',
    platformType: 'CLOUD_API',
    qualityRating: 'GREEN',
    codeVerificationStatus: 'VERIFIED',
    nameStatus: 'APPROVED',
    accountMode: 'LIVE',
    throughputLevel: 'STANDARD',
    isOnBizApp: false,
    ...fields,
  };
}

function templateNode(fields: Partial<UpstreamTemplate> = {}): UpstreamTemplate {
  return {
    id: nextId(),
    name: 'order_update',
    language: 'en_US',
    category: 'UTILITY',
    status: 'APPROVED',
    parameterFormat: 'POSITIONAL',
    rejectedReason: 'NONE',
    qualityScore: 'GREEN',
    components: '[{"type": "BODY", "text": "Order {{1}}", "factor": 1.0}]',
    otherFields: '{"sub_category":"ORDER_STATUS"}',
    ...fields,
  };
}

/** An upstream with one WABA, whose state the test changes between calls, and a list of what was called. */
function createUpstreamWaba() {
  const state = {
    numbers: [numberNode()],
    /** Page by page. */
    templates: [[templateNode()]],
    failure: undefined as Exclude<CallResult<never>, { kind: 'ok' }> | undefined,
    calls: [] as string[],
    onRead: () => {},
  };
  const answer = <T>(call: string, value: T): CallResult<T> => {
    state.calls.push(call);
    return state.failure ?? { kind: 'ok', value };
  };
  const deps: ConnectDeps = {
    db,
    clock,
    secretBox,
    replaceTemplates,
    upstream: {
      subscribeApp: async (wabaId, token) => answer(`subscribe ${wabaId} ${token}`, true as const),
      listPhoneNumbers: async (wabaId, token) => answer(`numbers ${wabaId} ${token}`, state.numbers),
      async *listTemplates(wabaId, token) {
        for (const page of state.templates) yield answer(`templates ${wabaId} ${token}`, page);
        state.onRead();
      },
    },
  };
  return { state, deps, wabaId: nextId() };
}

async function createTenant(name: string): Promise<string> {
  return (await createOrganization({ db, clock }, { name })).id;
}

const createNode = () => createAccounts({ db, changes, secretBox, clock });

async function listTemplateRows(organizationId: string) {
  return db.query<{ id: string; name: string; status: string; components: string; other_fields: string }>({
    text: 'SELECT id, name, status, components, other_fields FROM template WHERE organization_id = $1 ORDER BY id',
    values: [organizationId],
  });
}

test('connecting a WABA subscribes, reads every page, and makes its numbers and templates known', async () => {
  const { state, deps, wabaId } = createUpstreamWaba();
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
  const rows = await listTemplateRows(organizationId);
  assert.equal(rows[0]?.components, state.templates[0]?.[0]?.components, 'the spelling of the upstream is kept');
  assert.equal(rows.length, 2);
});

test('a number, a WABA and a token are absent to every organization but their own', async () => {
  const { state, deps, wabaId } = createUpstreamWaba();
  const [mine, other] = [await createTenant('mine'), await createTenant('other')];
  const node = createNode();
  const phoneNumberId = state.numbers[0]?.id ?? '';
  assert.equal(await node.findNumber(mine, phoneNumberId), undefined);
  await connectWaba(deps, mine, { wabaId, accessToken: 'EAA-mine' });
  await catchUp();
  const number = await node.getNumber(mine, phoneNumberId);
  assert.equal(node.findNumber(mine, phoneNumberId), number, 'remembered numbers come at once');
  assert.equal(number.organizationId, mine);
  assert.equal((await node.tokenOf(mine, wabaId)).token, 'EAA-mine');
  assert.equal((await node.findWaba(mine, wabaId))?.hasRegisteredNumber, true);
  assert.equal((await node.findNumberByDigits(mine, number.phoneNumber))?.phoneNumberId, phoneNumberId);
  assert.equal(await node.findByPhoneNumberId(phoneNumberId), number);
  assert.ok(
    (await node.listNumbersByShard([shardOf(number.numberId)])).some((one) => one.phoneNumberId === phoneNumberId),
  );
  assert.deepEqual(await node.listNumbersByShard([(shardOf(number.numberId) + 32) % 64]), []);
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

test("another organization's WABA or number is a conflict that names nobody and changes nothing", async () => {
  const { state, deps, wabaId } = createUpstreamWaba();
  const [mine, other] = [await createTenant('Owner Inc'), await createTenant('Intruder Inc')];
  await connectWaba(deps, mine, { wabaId, accessToken: 'EAA-mine' });
  const before = state.calls.length;
  const intruding = connectWaba(deps, other, { wabaId, accessToken: 'EAA-other' });
  await assert.rejects(intruding, (error) => code('CONFLICT')(error) && !/Owner|Intruder/.test(String(error)));
  assert.equal(state.calls.length, before, 'the intruder reaches nothing upstream');
  const elsewhere = createUpstreamWaba();
  elsewhere.state.numbers = state.numbers;
  await assert.rejects(
    connectWaba(elsewhere.deps, other, { wabaId: elsewhere.wabaId, accessToken: 'EAA-other' }),
    code('CONFLICT'),
  );
  const node = createNode();
  assert.equal((await node.tokenOf(mine, wabaId)).token, 'EAA-mine');
  assert.equal(await node.findWaba(other, elsewhere.wabaId), undefined);
});

test('two organizations connecting one WABA at once leave it with one of them', async () => {
  const { deps, wabaId } = createUpstreamWaba();
  const tenants = [await createTenant('a'), await createTenant('b')];
  const outcomes = await Promise.allSettled(
    tenants.map((organizationId) => connectWaba(deps, organizationId, { wabaId, accessToken: 'EAA' })),
  );
  assert.deepEqual(outcomes.map((outcome) => outcome.status).sort(), ['fulfilled', 'rejected']);
  const refusal = outcomes.find((outcome) => outcome.status === 'rejected');
  assert.ok(refusal?.status === 'rejected' && code('CONFLICT')(refusal.reason));
});

test('connecting again keeps account ids, replaces the token and resumes what was parked', async () => {
  const { state, deps, wabaId } = createUpstreamWaba();
  const organizationId = await createTenant('again');
  const phoneNumberId = state.numbers[0]?.id ?? '';
  const first = await connectWaba(deps, organizationId, { wabaId, accessToken: 'EAA-old' });
  const node = createNode();
  assert.deepEqual(await node.tokenOf(organizationId, wabaId), { organizationId, token: 'EAA-old', version: 1 });
  await parkWaba(deps, wabaId, 1, '190', 'The token has expired.');
  await parkNumber(deps, phoneNumberId, '131031', 'The account is locked.');
  await catchUp();
  assert.deepEqual((await node.getNumber(organizationId, phoneNumberId)).parked, {
    code: '190',
    reason: 'The token has expired.',
  });
  assert.equal((await node.findWaba(organizationId, wabaId))?.parked?.code, '190');

  const again = await connectWaba(deps, organizationId, { wabaId, accessToken: 'EAA-new' });
  await catchUp();
  assert.equal(again.numbers[0]?.accountId, first.numbers[0]?.accountId);
  assert.equal(again.numbers[0]?.numberId, first.numbers[0]?.numberId);
  assert.equal((await node.getNumber(organizationId, phoneNumberId)).parked, null);
  assert.deepEqual(await node.tokenOf(organizationId, wabaId), { organizationId, token: 'EAA-new', version: 2 });

  await parkWaba(deps, wabaId, 1, '190', 'The token has expired.');
  await catchUp();
  assert.equal(
    (await node.getNumber(organizationId, phoneNumberId)).parked,
    null,
    'the old token parks nothing any more',
  );
});

test('parking reaches every node that remembers the number, and clearing it as well', async () => {
  const { state, deps, wabaId } = createUpstreamWaba();
  const organizationId = await createTenant('parking');
  const phoneNumberId = state.numbers[0]?.id ?? '';
  await connectWaba(deps, organizationId, { wabaId, accessToken: 'EAA' });
  const node = createNode();
  const parkedNow = async () => {
    await catchUp();
    return (await node.getNumber(organizationId, phoneNumberId)).parked;
  };
  assert.equal(await parkedNow(), null);
  await parkNumber(deps, phoneNumberId, '131031', 'locked');
  assert.deepEqual(await parkedNow(), { code: '131031', reason: 'locked' });
  await clearParked(deps, { phoneNumberId });
  assert.equal(await parkedNow(), null);
  await parkNumber(deps, phoneNumberId, '131031', 'locked');
  await parkWaba(deps, wabaId, 1, '190', 'expired');
  assert.deepEqual(await parkedNow(), { code: '190', reason: 'expired' });
  await clearParked(deps, { wabaId });
  assert.equal(await parkedNow(), null);
});

test("a number's pace and pause are the operator's, and survive a sync", async () => {
  const { state, deps, wabaId } = createUpstreamWaba();
  const organizationId = await createTenant('pace');
  const phoneNumberId = state.numbers[0]?.id ?? '';
  await connectWaba(deps, organizationId, { wabaId, accessToken: 'EAA' });
  const node = createNode();
  assert.equal((await node.getNumber(organizationId, phoneNumberId)).messagesPerSecond, 80);
  const patched = await patchNumber(deps, phoneNumberId, { messagesPerSecond: 12.5, paused: true });
  assert.deepEqual([patched.messagesPerSecond, patched.paused], [12.5, true]);
  state.numbers = state.numbers.map((number) => ({ ...number, throughputLevel: 'HIGH' }));
  await syncWaba(deps, wabaId);
  await catchUp();
  const synced = await node.getNumber(organizationId, phoneNumberId);
  assert.deepEqual([synced.messagesPerSecond, synced.paused], [12.5, true]);
  const released = await patchNumber(deps, phoneNumberId, { messagesPerSecond: null });
  assert.deepEqual([released.messagesPerSecond, released.paused], [1_000, true]);
  await assert.rejects(patchNumber(deps, nextId(), { paused: true }), code('ACCOUNT_NOT_FOUND'));
});

test('a sync follows the upstream: changed, gone and new numbers and templates', async () => {
  const { state, deps, wabaId } = createUpstreamWaba();
  const organizationId = await createTenant('sync');
  const [staying, leaving] = [numberNode(), numberNode()];
  const [kept, gone] = [templateNode({ name: 'kept' }), templateNode({ name: 'gone' })];
  state.numbers = [staying, leaving];
  state.templates = [[kept, gone]];
  await connectWaba(deps, organizationId, { wabaId, accessToken: 'EAA' });
  const told: string[] = [];
  changes.on(
    'template',
    (key) => told.push(key),
    () => {},
  );
  await catchUp();
  told.length = 0;

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
  const rows = await listTemplateRows(organizationId);
  assert.deepEqual(
    rows.map(({ id, status }) => [id, status]),
    [
      [kept.id, 'PAUSED'],
      [gone.id, 'DELETED'],
      [renewed.id, 'APPROVED'],
    ],
  );
  assert.equal(rows[0]?.other_fields, kept.otherFields, 'a field the reading lacks is kept');
  await catchUp();
  assert.deepEqual(told.sort(), [`${organizationId}/${wabaId}/gone`, `${organizationId}/${wabaId}/kept`]);
  told.length = 0;
  await syncWaba(deps, wabaId);
  await catchUp();
  assert.deepEqual(told, [], 'an unchanged template is not told again');
});

test('a reading does not undo what became known while it was made', async () => {
  const { state, deps, wabaId } = createUpstreamWaba();
  const organizationId = await createTenant('race');
  const [reviewed, removed] = [templateNode({ name: 'reviewed', status: 'PENDING' }), templateNode({ name: 'taken' })];
  state.templates = [[reviewed, removed]];
  await connectWaba(deps, organizationId, { wabaId, accessToken: 'EAA' });
  const meanwhile = Promise.withResolvers<void>();
  const created = nextId();
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
  const { upstream } = deps;
  const waiting: ConnectDeps = {
    ...deps,
    upstream: {
      ...upstream,
      async *listTemplates(...args) {
        yield* upstream.listTemplates(...args);
        await meanwhile.promise;
      },
    },
  };
  await syncWaba(waiting, wabaId);
  const rows = await listTemplateRows(organizationId);
  assert.deepEqual(
    rows.map(({ id, status }) => [id, status]),
    [
      [reviewed.id, 'APPROVED'],
      [removed.id, 'DELETED'],
      [created, 'PENDING'],
    ],
  );
});

test('a token the upstream refuses is PROVIDER_REJECTED with its words, an upstream out of reach UNAVAILABLE; nothing is stored', async () => {
  const { state, deps, wabaId } = createUpstreamWaba();
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
    message: null,
    retryAfterMs: null,
    mayHaveHappened: false,
  };
  await assert.rejects(connecting, code('UNAVAILABLE'));
  state.failure = { kind: 'throttled', scope: 'waba', retryAfterMs: 30_000, code: '80008', usage: null };
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

test('a token is stored sealed, and does not open in another row', async () => {
  const { deps, wabaId } = createUpstreamWaba();
  const second = createUpstreamWaba();
  const [mine, other] = [await createTenant('sealed'), await createTenant('thief')];
  await connectWaba(deps, mine, { wabaId, accessToken: 'EAA-secret-token' });
  await connectWaba(second.deps, other, { wabaId: second.wabaId, accessToken: 'EAA-other-token' });
  const rows = await db.query<{ token_sealed: Buffer }>({ text: 'SELECT token_sealed FROM waba' });
  for (const row of rows) assert.ok(!row.token_sealed.includes('EAA'));
  await db.query({
    text: 'UPDATE waba SET token_sealed = (SELECT token_sealed FROM waba WHERE waba_id = $1) WHERE waba_id = $2',
    values: [wabaId, second.wabaId],
  });
  await assert.rejects(async () => createNode().tokenOf(other, second.wabaId));
});

test('the admin API connects a WABA, syncs it and patches its number as the operator contract says', async () => {
  const { state, deps, wabaId } = createUpstreamWaba();
  const organizationId = await createTenant('routes');
  const app = await createHttpServer({ log, newRequestId: newId });
  await app.register(async (admin) => {
    admin.addHook('onRequest', requireAdminToken('operator'));
    accountRoutes(admin, deps);
  });
  const admin = async (method: 'POST' | 'PATCH', path: string, body?: object) => {
    const answer = await app.inject({
      method,
      url: `/admin/v1${path}`,
      headers: { authorization: 'Bearer operator' },
      ...(body && { payload: JSON.stringify(body) }),
    });
    return { status: answer.statusCode, body: answer.json() };
  };
  const phoneNumberId = state.numbers[0]?.id;
  const connected = await admin('POST', `/organizations/${organizationId}/wabas`, {
    waba_id: wabaId,
    access_token: 'EAA',
  });
  assert.equal(connected.status, 201);
  const [{ account_id, ...number }] = connected.body.numbers;
  assert.deepEqual(number, { phone_number_id: phoneNumberId, phone_number: '15550100001', registered: true });
  assert.deepEqual(await admin('POST', `/wabas/${wabaId}/sync`), { status: 200, body: connected.body });

  const patched = await admin('PATCH', `/numbers/${phoneNumberId}`, { messages_per_second: 5, paused: true });
  assert.equal(patched.status, 200);
  assert.deepEqual(
    [patched.body.account_id, patched.body.messages_per_second, patched.body.paused, patched.body.parked],
    [account_id, 5, true, null],
  );
  const refused = await admin('PATCH', `/numbers/${phoneNumberId}`, { messages_per_second: 0 });
  assert.equal(refused.status, 400);
  assert.match(refused.body.message, /messages_per_second/);
  assert.equal((await admin('PATCH', '/numbers/nobody', { paused: true })).body.code, 'ACCOUNT_NOT_FOUND');
  assert.equal((await admin('POST', '/wabas/nobody/sync')).body.code, 'NOT_FOUND');
  const badToken = await admin('POST', `/organizations/${organizationId}/wabas`, {
    waba_id: wabaId,
    access_token: 'a b',
  });
  assert.deepEqual([badToken.status, badToken.body.code], [400, 'VALIDATION_ERROR']);
});
