import { TOLD_BIT } from '../../../src/events/index.ts';
import { APPLIED, WAMIDS } from '../../../src/messages/statuses/early-status-queries.ts';
import { PARKED, STATUSES } from '../../../src/messages/statuses/status-input.ts';
import { DEFAULT_PRICES } from '../../../src/organizations/index.ts';
import type { Metric } from '../../../src/organizations/usage/usage-metrics.ts';
import { byText, dateOrNull, least, number, text, textOrNull, time, timeOrNull } from '../columns.ts';
import { type Row, reading, type Session, type StatementModel } from '../model-store.ts';
import { aliasKey, type EarlyStatusRow, type MessageRow, type Tables } from '../tables.ts';
import { messageLock } from './dispatch-statements.ts';
import { addUsage, monthOf, type UsageAmount, usageLocks } from './usage.ts';

const FAILED = 4;

type Parked = Omit<EarlyStatusRow, 'version'>;
/** A status as the statements about messages read it. */
type Told = Omit<Parked, 'wamid' | 'phoneNumberId' | 'contact' | 'callbackData' | 'receivedAtMs'> & {
  organizationId: string;
  userId: string | null;
};

const earlyLock = (digest: string) => `early/${digest}`;

function toldIn(values: readonly unknown[]): Told[] {
  return STATUSES.parse(values).map((row) => ({
    digest: text(row.wamid_digest),
    organizationId: text(row.organization_id),
    sentAtMs: timeOrNull(row.sent_at),
    deliveredAtMs: timeOrNull(row.delivered_at),
    readAtMs: timeOrNull(row.read_at),
    failedAtMs: timeOrNull(row.failed_at),
    errorCode: textOrNull(row.error_code),
    errorMessage: textOrNull(row.error_message),
    category: textOrNull(row.category),
    pricingType: textOrNull(row.pricing_type),
    sentValue: textOrNull(row.sent_value),
    deliveredValue: textOrNull(row.delivered_value),
    readValue: textOrNull(row.read_value),
    failedValue: textOrNull(row.failed_value),
    pricingRank: number(row.pricing_rank),
    userId: textOrNull(row.user_id),
  }));
}

const applyStatuses: StatementModel = function* applyStatuses(session, values) {
  const { tables } = session;
  const input = toldIn(values);
  const isKnown = ({ digest, organizationId }: Told) => tables.wamids.get(digest)?.organizationId === organizationId;
  const unknown = input.filter((told) => !isKnown(told));
  const targets = input
    .flatMap((told) => {
      const reference = tables.wamids.get(told.digest);
      return reference?.organizationId === told.organizationId ? [{ told, id: reference.messageId }] : [];
    })
    .sort((a, b) => byText(a.told.organizationId + a.id, b.told.organizationId + b.id));
  yield targets.map(({ id }) => messageLock(id));
  const written = new Set<string>();
  const changes = targets.flatMap(({ told, id }) => {
    const old = tables.messages.get(id);
    const merged = old === undefined || written.has(id) ? undefined : merge(old, told);
    if (old === undefined || merged === undefined) return [];
    written.add(id);
    return [{ old, merged }];
  });
  const amounts = changes.flatMap(({ old, merged }) => statusUsage(old, merged));
  yield usageLocks(amounts);
  for (const { merged } of changes) session.write(() => tables.messages.set(merged.id, merged));
  addUsage(session, amounts);
  return unknown.map(({ digest }) => ({ wamidDigest: digest, messageId: null }));
};

/** Returns the message after a status; undefined if nothing changes. */
function merge(old: MessageRow, told: Told): MessageRow | undefined {
  const wasFailed = old.status === FAILED;
  const toldRank = told.readAtMs !== null ? 3 : told.deliveredAtMs !== null ? 2 : told.sentAtMs !== null ? 1 : 0;
  const rank = Math.max(old.status, toldRank);
  const status = wasFailed || (told.failedAtMs !== null && rank <= 1) ? FAILED : rank;
  const isUndelivered = old.deliveredAtMs === null && told.deliveredAtMs === null;
  const failsNow = status === FAILED && !wasFailed;
  const merged: MessageRow = {
    ...old,
    status,
    upstreamStatus: null,
    sentAtMs: least(old.sentAtMs, told.sentAtMs),
    deliveredAtMs: wasFailed
      ? old.deliveredAtMs
      : least(old.deliveredAtMs, told.deliveredAtMs, isUndelivered ? told.readAtMs : null),
    readAtMs: wasFailed ? old.readAtMs : least(old.readAtMs, told.readAtMs),
    failedAtMs: least(old.failedAtMs, told.failedAtMs),
    ...pricingOf(old, told),
    errorCode: failsNow ? told.errorCode : old.errorCode,
    errorMessage: failsNow ? told.errorMessage : old.errorMessage,
    told: old.told | news(old, told, status),
    userId: old.userId ?? told.userId,
  };
  const columns = [
    ...(['upstreamStatus', 'sentAtMs', 'deliveredAtMs', 'readAtMs', 'failedAtMs'] as const),
    ...(['category', 'pricingType', 'pricingRank', 'told', 'userId'] as const),
  ];
  return columns.some((column) => merged[column] !== old[column]) ? merged : undefined;
}

/** Returns the statuses reported for the first time, as bits. */
function news(old: MessageRow, told: Told, status: number): number {
  const isFailed = status === FAILED;
  const bits =
    (told.sentAtMs !== null && old.status !== FAILED ? TOLD_BIT.sent : 0) |
    (told.deliveredAtMs !== null && !isFailed ? TOLD_BIT.delivered : 0) |
    (told.readAtMs !== null && !isFailed ? TOLD_BIT.read : 0) |
    (isFailed && old.status !== FAILED ? TOLD_BIT.failed : 0);
  return bits & ~old.told;
}

function statusUsage(old: MessageRow, merged: MessageRow): UsageAmount[] {
  const { organizationId } = old;
  const month = monthOf(old.acceptedAtMs);
  const failsNow = old.status !== FAILED && merged.status === FAILED;
  const amounts: [metric: Metric, amount: number][] = [
    ['sent', Number(old.status === 0 && merged.status >= 1 && merged.status <= 3)],
    ['delivered', Number(old.deliveredAtMs === null && merged.deliveredAtMs !== null)],
    ['failed', Number(failsNow)],
    ['spent_micros', spentOn(merged) - spentOn(old)],
  ];
  if (old.category !== merged.category)
    amounts.push([`category:${old.category}`, -1], [`category:${merged.category}`, 1]);
  if (old.pricingType !== merged.pricingType) {
    if (old.pricingType !== null) amounts.push([`pricing:${old.pricingType}`, -1]);
    amounts.push([`pricing:${merged.pricingType}`, 1]);
  }
  const before = chargeOf(old);
  const after = chargeOf(merged);
  if (before !== undefined) amounts.push([`charged|${before}`, -1], [`charged_micros|${before}`, -old.priceMicros]);
  if (after !== undefined) amounts.push([`charged|${after}`, 1], [`charged_micros|${after}`, merged.priceMicros]);
  return addedUp(amounts).map(([metric, amount]) => ({ organizationId, month, metric, amount }));
}

const spentOn = ({ status, priceMicros }: MessageRow) => (status === FAILED ? 0 : priceMicros);

/** Returns the sums by metric, so that a counter that does not change is not locked. */
function addedUp(amounts: readonly [metric: Metric, amount: number][]): [metric: Metric, amount: number][] {
  const sums = new Map<Metric, number>();
  for (const [metric, amount] of amounts) sums.set(metric, (sums.get(metric) ?? 0) + amount);
  return [...sums];
}

/** Returns the dimensions under which a message is charged; undefined unless it is delivered and priced. */
export function chargeOf(message: MessageRow): string | undefined {
  const { status, pricingType, pricingRank, numberId, category, country, apiKeyId, templateName } = message;
  if ((status !== 2 && status !== 3) || pricingType === null || pricingRank === 0) return undefined;
  return [numberId, pricingType, category, country, apiKeyId, templateName].map((part) => part ?? '').join('|');
}

/** Returns category, pricing type and price of a message after a status. */
function pricingOf(old: MessageRow, told: Told) {
  const { category, pricingType, pricingRank, priceMicros } = old;
  if ((told.category ?? told.pricingType) === null || told.pricingRank < pricingRank) {
    return { category, pricingType, pricingRank, priceMicros };
  }
  const now = {
    category: told.category ?? category,
    pricingType: told.pricingType ?? pricingType,
    pricingRank: told.pricingRank,
  };
  const isSame = now.category === category && now.pricingType === pricingType;
  return { ...now, priceMicros: isSame ? priceMicros : settledPrice(old, now) };
}

function settledPrice(old: MessageRow, now: Pick<MessageRow, 'category' | 'pricingType'>): number {
  if (now.pricingType?.startsWith('free_')) return 0;
  const prices: Record<string, number> = old.prices === null ? DEFAULT_PRICES : JSON.parse(old.prices);
  const key = now.category?.replaceAll('-', '_') ?? '';
  return prices[key] ?? prices['*'] ?? old.priceMicros;
}

const findSenders = reading(({ tables }, values) => {
  return WAMIDS.parse(values).flatMap(({ wamid_digest, wamid }) => {
    const reference = tables.wamids.get(text(wamid_digest));
    return reference === undefined ? [] : [{ wamid, organizationId: reference.organizationId }];
  });
});

const park: StatementModel = function* park(session, values) {
  const { tables } = session;
  const receivedAtMs = time(values[PARKED.next - 1]);
  const rows = PARKED.parse(values);
  const parked = toldIn(values)
    .map(
      ({ organizationId: _, userId: __, ...told }, place): Parked => ({
        ...told,
        ...addressOf(tables, rows[place] ?? {}),
        receivedAtMs,
      }),
    )
    .sort((a, b) => byText(a.digest, b.digest));
  yield parked.map(({ digest }) => earlyLock(digest));
  const version = String(session.xid);
  for (const told of parked) {
    session.write(() => tables.early.set(told.digest, join(tables.early.get(told.digest), { ...told, version })));
  }
  return [];
};

/** Returns the columns that only parked statuses have. */
function addressOf(tables: Tables, row: Readonly<Record<string, unknown>>) {
  return {
    wamid: text(row.wamid),
    phoneNumberId: text(row.phone_number_id),
    contact: recipientKey(tables, row),
    callbackData: textOrNull(row.callback_data),
  };
}

/** Returns the key of a status's recipient; null if it has none, or if its two names are those of two records. */
function recipientKey(tables: Tables, row: Readonly<Record<string, unknown>>): string | null {
  const number = tables.connectedNumber(text(row.phone_number_id));
  const personOf = (name: string | null) => {
    if (name === null || number?.organizationId !== row.organization_id) return null;
    return tables.aliases.get(aliasKey(text(row.organization_id), number?.wabaId ?? '', name))?.person ?? null;
  };
  const [contact, byId] = [textOrNull(row.contact), personOf(textOrNull(row.user_id))];
  const byNumber = personOf(contact) ?? contact;
  return byId === null ? byNumber : byNumber === null || byNumber === byId ? byId : null;
}

/** Merges a parked status of a wamid with a later one. */
function join(old: EarlyStatusRow | undefined, told: EarlyStatusRow): EarlyStatusRow {
  if (old === undefined) return told;
  const isHigher = told.pricingRank >= old.pricingRank;
  return {
    ...old,
    contact: old.contact ?? told.contact,
    callbackData: old.callbackData ?? told.callbackData,
    sentAtMs: least(old.sentAtMs, told.sentAtMs),
    deliveredAtMs: least(old.deliveredAtMs, told.deliveredAtMs),
    readAtMs: least(old.readAtMs, told.readAtMs),
    failedAtMs: least(old.failedAtMs, told.failedAtMs),
    errorCode: old.errorCode ?? told.errorCode,
    errorMessage: old.errorMessage ?? told.errorMessage,
    category: (isHigher ? told.category : old.category) ?? old.category ?? told.category,
    pricingType: (isHigher ? told.pricingType : old.pricingType) ?? old.pricingType ?? told.pricingType,
    pricingRank: Math.max(old.pricingRank, told.pricingRank),
    sentValue: old.sentValue ?? told.sentValue,
    deliveredValue: old.deliveredValue ?? told.deliveredValue,
    readValue: old.readValue ?? told.readValue,
    failedValue: old.failedValue ?? told.failedValue,
    receivedAtMs: Math.max(old.receivedAtMs, told.receivedAtMs),
    version: told.version,
  };
}

const readRecordedEarly = reading((session, values) => {
  const { tables } = session;
  const digests = new Set(values[0] as string[]);
  return [...tables.early.values()]
    .filter(({ digest }) => digests.has(digest) && tables.wamids.has(digest))
    .map((status) => earlyRow(session, status));
});

const deleteAppliedEarly: StatementModel = function* deleteAppliedEarly(session, values) {
  const { tables } = session;
  const isFree = (digest: string) => !session.store.locks.isHeldByOther(earlyLock(digest), session);
  const applied = APPLIED.parse(values)
    .map((row) => ({ digest: text(row.wamid_digest), version: row.version }))
    .filter(({ digest, version }) => tables.early.get(digest)?.version === version && isFree(digest))
    .map(({ digest }) => digest);
  yield applied.map(earlyLock);
  session.write(() => {
    for (const digest of applied) tables.early.delete(digest);
  });
  return [];
};

const listRecordedEarly = reading(({ tables }, values) => {
  const [sinceMs, digest, lookedAtMax] = [time(values[0]), text(values[1]), number(values[2])];
  return [...tables.early.values()]
    .filter((status) => status.receivedAtMs > sinceMs || (status.receivedAtMs === sinceMs && status.digest > digest))
    .sort((a, b) => a.receivedAtMs - b.receivedAtMs || byText(a.digest, b.digest))
    .slice(0, lookedAtMax)
    .map((status, index) => ({
      received_at: new Date(status.receivedAtMs),
      wamid_digest: status.digest,
      is_recorded: tables.wamids.has(status.digest),
      looked_at: index + 1,
    }))
    .filter((row) => row.is_recorded || row.looked_at === lookedAtMax);
});

function earlyRow({ tables }: Session, status: EarlyStatusRow): Row {
  return {
    organization_id: tables.wamids.get(status.digest)?.organizationId,
    version: status.version,
    wamid: status.wamid,
    phone_number_id: status.phoneNumberId,
    contact: status.contact === null ? null : Number(status.contact),
    sent_at: dateOrNull(status.sentAtMs),
    delivered_at: dateOrNull(status.deliveredAtMs),
    read_at: dateOrNull(status.readAtMs),
    failed_at: dateOrNull(status.failedAtMs),
    error_code: status.errorCode,
    error_message: status.errorMessage,
    category: status.category,
    pricing_type: status.pricingType,
    callback_data: status.callbackData,
    sent_value: status.sentValue,
    delivered_value: status.deliveredValue,
    read_value: status.readValue,
    failed_value: status.failedValue,
    pricing_rank: status.pricingRank,
  };
}

export const statusStatements: Record<string, StatementModel> = {
  // Statuses of other systems become events, and events decide nothing.
  status_list_elsewhere: reading(() => []),
  message_apply_statuses: applyStatuses,
  wamid_find_senders: findSenders,
  early_status_park: park,
  early_status_read_recorded: readRecordedEarly,
  early_status_delete_applied: deleteAppliedEarly,
  early_status_list_recorded: listRecordedEarly,
};
