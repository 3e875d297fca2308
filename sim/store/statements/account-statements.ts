import type { ChangeTopic } from '../../../src/database/changes/change-feed.ts';
import { number, text, time } from '../columns.ts';
import { type Row, reading, type Session, type StatementModel } from '../model-store.ts';
import type { NumberRow, Tables, WabaRow } from '../tables.ts';
import { marketingChange } from './marketing-statements.ts';

const NOT_REGISTERED = '133010';

const wabaLock = (wabaId: string) => `waba/${wabaId}`;
const numberLock = (phoneNumberId: string) => `number/${phoneNumberId}`;

const numbersOf = (tables: Tables, wabaId: unknown) =>
  [...tables.numbers.values()].filter((row) => row.wabaId === wabaId && row.releasedAtMs === null);

function numberRow({ wabas }: Tables, row: NumberRow): Row {
  const released = row.releasedAtMs !== null;
  const waba = released ? undefined : wabas.get(row.wabaId);
  const parkedCode = waba?.parkedCode ?? row.parkedCode;
  return {
    organizationId: row.organizationId,
    phoneNumberId: row.phoneNumberId,
    accountId: row.accountId,
    numberId: row.numberId,
    wabaId: row.wabaId,
    phoneNumber: row.phoneNumber,
    verifiedName: null,
    status: 'CONNECTED',
    registered: row.registered,
    qualityRating: null,
    messagingLimit: null,
    throughputLevel: null,
    isOnBizApp: false,
    webhookOverride: null,
    ownPace: row.messagesPerSecond,
    paused: row.paused,
    parkedCode,
    parkedReason: parkedCode,
    released,
    appId: null,
    marketingMessages: waba?.marketingMessages ?? null,
    isMarketingReady: isReady(waba),
  };
}

const isReady = (waba: WabaRow | undefined) => waba !== undefined && (waba.isOnboarded || waba.marketingForbidden);

const findNumbers = reading(({ tables }, values) => {
  const wanted = new Set(values[0] as string[]);
  return [...tables.numbers.values()]
    .filter((row) => wanted.has(row.phoneNumberId) && row.releasedAtMs === null)
    .map((row) => numberRow(tables, row));
});

const listNumbers = reading(({ tables }, values) => {
  const wanted = new Set(values[0] as number[]);
  return [...tables.numbers.values()]
    .filter(({ numberId }) => wanted.has(numberId))
    .map((row) => numberRow(tables, row));
});

const listNumbersOfWaba = reading(({ tables }, values) => {
  return numbersOf(tables, values[1])
    .filter(({ organizationId }) => organizationId === values[0])
    .map((row) => numberRow(tables, row));
});

const findWabas = reading(({ tables }, values) => {
  return (values[0] as string[]).flatMap((id) => {
    const found = tables.wabas.get(id);
    if (found === undefined) return [];
    const { organizationId, wabaId } = found;
    return [
      {
        organizationId,
        wabaId,
        appId: null,
        hasRegisteredNumber: numbersOf(tables, wabaId).some((row) => row.registered),
      },
    ];
  });
});

const findTokens = reading(({ tables }, values) => {
  return (values[0] as string[]).flatMap((id) => {
    const found = tables.wabas.get(id);
    if (found === undefined) return [];
    const { organizationId, wabaId, tokenVersion: version, readAtMs } = found;
    const tokenSealed = Buffer.from(tokenOf(wabaId, version));
    return [
      {
        wabaId,
        organizationId,
        tokenSealed,
        version,
        readAt: new Date(readAtMs),
        platform: null,
        appId: null,
        provenSecretSealed: null,
      },
    ];
  });
});

/** Returns the token with which a WABA's messages are sent. */
export const tokenOf = (wabaId: string, version: number) => `${wabaId}/${version}`;
export const wabaOf = (token: string) => token.split('/')[0] ?? '';

function write(session: Session, row: WabaRow | NumberRow): void {
  const { numbers, wabas } = session.tables;
  session.write(() => ('numberId' in row ? numbers.set(row.numberId, row) : wabas.set(row.wabaId, row)));
}

function publish(session: Session, topic: ChangeTopic, keys: readonly string[]): void {
  const { changes } = session.tables;
  session.write(() => {
    for (const key of keys) changes.set(changes.size, { topic, key });
  });
}

const publishChanges: StatementModel = function* publishChanges(session, values) {
  yield [];
  publish(session, text(values[0]) as ChangeTopic, values[1] as string[]);
  return [];
};

/** Returns the account if it is unchanged since the caller read it. */
function findAsKnown({ wabas }: Tables, wabaId: string, version: number, readAtMs: number): WabaRow | undefined {
  const waba = wabas.get(wabaId);
  return waba?.tokenVersion === version && waba.readAtMs === readAtMs ? waba : undefined;
}

const parkWaba: StatementModel = function* parkWaba(session, values) {
  const [wabaId, version, readAtMs, parkedCode] = [
    text(values[0]),
    number(values[1]),
    time(values[2]),
    text(values[3]),
  ];
  const find = () => {
    const waba = findAsKnown(session.tables, wabaId, version, readAtMs);
    return waba?.parkedCode === parkedCode ? undefined : waba;
  };
  if (find() === undefined) return [];
  yield [wabaLock(wabaId)];
  const waba = find();
  if (waba === undefined) return [];
  write(session, { ...waba, parkedCode });
  return [{ waba_id: wabaId }];
};

const parkNumber: StatementModel = function* parkNumber(session, values) {
  const { tables } = session;
  const [phoneNumberId, wabaId, version] = [text(values[0]), text(values[1]), number(values[2])];
  const [readAtMs, parkedCode] = [time(values[3]), text(values[4])];
  if (findAsKnown(tables, wabaId, version, readAtMs) === undefined) return [];
  yield [wabaLock(wabaId)];
  if (findAsKnown(tables, wabaId, version, readAtMs) === undefined) return [];
  yield [numberLock(phoneNumberId)];
  const row = tables.connectedNumber(phoneNumberId);
  if (row === undefined || row.wabaId !== wabaId || row.parkedCode === parkedCode) return [];
  write(session, { ...row, parkedCode, registered: row.registered && parkedCode !== NOT_REGISTERED });
  return [{ phone_number_id: phoneNumberId }];
};

/** The effect of an admin API transaction on one number. */
const changeNumber: StatementModel = function* changeNumber(session, values) {
  const phoneNumberId = text(values[0]);
  yield [numberLock(phoneNumberId)];
  const row = session.tables.connectedNumber(phoneNumberId);
  if (row === undefined) return [];
  write(session, { ...row, ...(values[1] as Partial<NumberRow>) });
  publish(session, 'number', [phoneNumberId]);
  return [];
};

/** The effect of an admin API transaction on a WABA and its numbers; null removes it. */
const changeWaba: StatementModel = function* changeWaba(session, values) {
  const { tables } = session;
  const wabaId = text(values[0]);
  const change = values[1] as Partial<WabaRow> | null;
  yield [wabaLock(wabaId)];
  yield numbersOf(tables, wabaId).map(({ phoneNumberId }) => numberLock(phoneNumberId));
  const waba = tables.wabas.get(wabaId);
  if (waba === undefined) return [];
  const rows = numbersOf(tables, wabaId);
  if (change === null) session.write(() => tables.wabas.delete(wabaId));
  else write(session, { ...waba, ...marketingChange(waba, change, session.nowMs) });
  const changeOf = values[2] as (row: NumberRow) => Partial<NumberRow>;
  for (const row of rows) write(session, { ...row, ...changeOf(row) });
  publish(session, 'waba', [wabaId]);
  publish(
    session,
    'number',
    rows.map(({ phoneNumberId }) => phoneNumberId),
  );
  return [];
};

/** Connects an unconnected WABA to an organization. Its numbers get new rows, which `values[2]` makes from the former ones. */
const connectWaba: StatementModel = function* connectWaba(session, values) {
  const { tables } = session;
  const waba = values[0] as WabaRow;
  yield [wabaLock(waba.wabaId)];
  if (tables.wabas.has(waba.wabaId)) return [];
  const former = [...tables.numbers.values()].filter((row) => row.wabaId === waba.wabaId);
  const lastOf = new Map(former.map((row) => [row.phoneNumberId, row]));
  write(session, waba);
  const numberOf = values[1] as (former: NumberRow) => Partial<NumberRow>;
  for (const [index, row] of [...lastOf.values()].entries()) {
    const numberId = tables.numbers.size + index + 1;
    write(session, { ...row, ...numberOf(row), organizationId: waba.organizationId, numberId, releasedAtMs: null });
  }
  publish(session, 'waba', [waba.wabaId]);
  publish(session, 'number', [...lastOf.keys()]);
  return [];
};

const forbidMarketing: StatementModel = function* forbidMarketing(session, values) {
  const wabaId = text(values[1]);
  yield [wabaLock(wabaId)];
  const waba = session.tables.wabas.get(wabaId);
  if (waba === undefined || waba.organizationId !== values[0] || waba.marketingForbidden) return [];
  const marketingChangedAtMs = isReady(waba) ? waba.marketingChangedAtMs : session.nowMs;
  write(session, { ...waba, marketingForbidden: true, marketingChangedAtMs });
  return [{}];
};

export const accountStatements: Record<string, StatementModel> = {
  sending_number_find: findNumbers,
  sending_number_list_by_id: listNumbers,
  sending_number_list_of_waba: listNumbersOfWaba,
  sending_number_park_for_token: parkNumber,
  waba_find: findWabas,
  waba_forbid_marketing: forbidMarketing,
  waba_find_token: findTokens,
  waba_park_for_token: parkWaba,
  publish_changes: publishChanges,
  admin_change_number: changeNumber,
  admin_change_waba: changeWaba,
  admin_connect_waba: connectWaba,
};
