import { wamidDigest } from '../src/core/ids.ts';
import type { Coverage } from './coverage.ts';
import { ROAD_CODES } from './marketing-rules.ts';
import type { PeopleBook } from './people/person.ts';
import type { Platform } from './platform.ts';
import type { Arrival } from './requests.ts';
import type { Send } from './sender.ts';
import type { ModelStore } from './store/model-store.ts';
import { chargeOf } from './store/statements/status-statements.ts';
import { monthOf } from './store/statements/usage.ts';
import { type MessageRow, usageKey } from './store/tables.ts';
import { InvariantViolation, type Witness } from './witness.ts';

/** The records of a finished run: the clients', the platform's and the store's. */
export interface EndState {
  store: ModelStore;
  platform: Platform;
  witness: Witness;
  coverage: Coverage;
  sends: readonly Send[];
  book: PeopleBook;
  /** True if every message could take the other edge after a refusal. */
  isAlwaysAuto: boolean;
  /** Longest time in which a received status is visible to the dispatcher, ms; infinite if the database or a process had faults. */
  statusSeenWithinMs: number;
}

const FAILED = 4;
const UNKNOWN_MAX = 2;
/** Refusals that leave open if the message was stored. */
const IN_DOUBT = new Set(['UNAVAILABLE', 'INTERNAL_ERROR']);

/** Codes with which the platform refuses a message although the message is not at fault. */
const OF_ACCOUNT = new Set(['190', '131031', '133010', '80007', '4', '130429']);

/** Compares the clients' answers, the platform's arrivals and the stored rows. Raises InvariantViolation. */
export function checkEnd(end: EndState): void {
  const messages = [...end.store.tables.messages.values()].filter((message) => message.direction === 0);
  const messagesOf = Map.groupBy(messages, (message) => end.witness.labelOf(message));
  const arrivalsOf = Map.groupBy(end.platform.arrivals, (arrival) => arrival.label);
  for (const send of end.sends) checkSend(end, send, messagesOf.get(send.label) ?? []);
  for (const message of messages) {
    const label = end.witness.labelOf(message);
    const isOther = message.errorCode === 'CANCELLED' && messagesOf.get(label)?.some((twin) => twin.wamid !== null);
    // The arrivals of this label belong to its twin, sent from the number after it was connected again.
    checkMessage(end, message, isOther ? [] : (arrivalsOf.get(label) ?? []));
  }
  checkOrder(end, messagesOf, arrivalsOf);
  checkUsage(end, messages);
  checkLeftStatuses(end);
  const { pair, number } = end.platform.referee.refusals;
  assert(pair === 0, `the platform refused ${pair} requests for a pair's limit`);
  assert(number === 0, `the platform refused ${number} requests for a number's limit`);
}

function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new InvariantViolation(message);
}

/**
 * Checks one message per key and per send, the same in every answer, and that the stored message matches the answers. A number that was
 * connected again does not share idempotency keys with its predecessor: a send repeated at that moment becomes a message of each.
 */
function checkSend(end: EndState, send: Send, stored: readonly MessageRow[]): void {
  const { coverage } = end;
  const { label, answers } = send;
  const numbers = new Set(stored.map(({ numberId }) => numberId));
  assert(stored.length <= numbers.size, `${label} is stored ${stored.length} times`);
  const [message] = stored;
  const accepted = answers.filter((answer) => answer.kind === 'accepted');
  const codes = answers.flatMap((answer) => (answer.kind === 'refused' ? [answer.code] : []));
  // A number that was connected again has no windows, and a name that was given up may be another person's.
  const keepsWindow = send.isWindowOpen && isStill(end, send);
  assert(!keepsWindow || !codes.includes('OUTSIDE_24H_WINDOW'), `${label} was refused, although the window was open`);
  if (message === undefined) {
    assert(accepted.length === 0, `${label} was accepted and is not stored`);
    assert(!codes.includes('SEND_FAILED'), `${label} failed without being stored`);
    return;
  }
  if (accepted.length === 0 && !codes.includes('SEND_FAILED')) {
    coverage.hit('request in doubt stored after all');
    const isRefused = send.key === undefined && codes.some((code) => !IN_DOUBT.has(code));
    assert(!isRefused, `${label} was refused (${codes}) and is stored`);
  }
  for (const { messageId, wamid } of accepted) {
    const answered = stored.find(({ id }) => id === messageId);
    assert(answered !== undefined, `${label} was answered with two ids`);
    assert(
      wamid === undefined || wamid === answered.wamid,
      `${label} was answered with ${wamid}, and has ${answered.wamid}`,
    );
  }
  const hasFailed = stored.some(({ status }) => status === FAILED);
  assert(!codes.includes('SEND_FAILED') || hasFailed, `${label} was answered as failed and is not`);
}

/** Returns true if the number and the recipient's name of a send are those of its beginning. */
function isStill({ store, book }: EndState, { number, name, recipient }: Send): boolean {
  const [row] = store.tables.numbersCalled(number.phoneNumberId);
  return row?.numberId === number.numberId && row.releasedAtMs === null && book.find(name) === recipient.person;
}

/** Checks that the message has ended, has one copy plus at most the recorded resends, and shows the status that the platform reported. */
function checkMessage(end: EndState, message: MessageRow, arrivals: readonly Arrival[]): void {
  const label = end.witness.labelOf(message);
  assert(message.status !== 0, `${label} is still queued`);
  const copies = arrivals.filter((arrival) => arrival.wamid !== undefined);
  const resends = end.witness.resendsOf(message.id);
  assert(
    copies.length <= Math.min(UNKNOWN_MAX, 1 + resends.length),
    `${label} was sent ${copies.length} times, with ${resends.length} resends`,
  );
  const meant = end.sends.find((send) => send.label === label)?.recipient.person.id;
  if (copies.some(({ person }) => person !== meant))
    end.coverage.hit('number passed to another person while a message waited');
  if (copies.length > 1) {
    end.coverage.hit('copy at the upstream after an unknown outcome');
    checkResend(end, label, copies, resends);
  }
  assert(
    message.wamid === null || copies.some((copy) => copy.wamid === message.wamid) || isUnderTwoKeys(end, label),
    `${label} has ${message.wamid}, which is another message's`,
  );
  const isAbandoned = message.errorCode === 'EXPIRED' || message.errorCode === 'CANCELLED';
  const isOfAccount = OF_ACCOUNT.has(message.errorCode ?? '');
  assert(!isOfAccount, `${label} failed with ${message.errorCode}, which is not the message's fault`);
  // Under `auto`, a message fails at an edge only if both refuse it; a sender's own choice, and other settings, stand.
  const isOfRoad = ROAD_CODES.has(message.errorCode ?? '');
  assert(!isOfRoad || !end.isAlwaysAuto, `${label} failed with ${message.errorCode}, although the other edge takes it`);
  assert(!isAbandoned || copies.length === 0, `${label} is ${message.errorCode}, although the platform accepted it`);
  checkStatus(end, message, label);
}

/**
 * Checks that no message was sent again after a status of it had been received. A person with messages under two keys is exempt. So is a message that reached another person than it was accepted for: its status
 * names that person alone.
 */
function checkResend(end: EndState, label: string, copies: readonly Arrival[], resends: readonly number[]): void {
  const person = end.sends.find((send) => send.label === label)?.recipient.person;
  if (copies[0]?.person !== person?.id) return;
  if (isUnderTwoKeys(end, label)) return;
  const toldAtMs = Math.min(
    ...(end.platform.reports.told.get(copies[0]?.wamid ?? '') ?? []).map((told) => told.takenAtMs),
  );
  const resentAtMs = resends.at(-1) ?? 0;
  assert(
    toldAtMs > resentAtMs - end.statusSeenWithinMs,
    `${label} was sent again at ${resentAtMs}, although a status of it was received at ${toldAtMs}`,
  );
}

/**
 * Returns true if messages were sent to one person under two keys, before a report showed them to be one person's. A status with both names
 * does not tell which message of unknown outcome it is about.
 */
function isUnderTwoKeys({ sends, witness }: EndState, label: string): boolean {
  const person = sends.find((send) => send.label === label)?.recipient.person;
  const beside = sends.filter((send) => send.recipient.person === person);
  return new Set(beside.map((send) => witness.keyOf(send.label)).filter((key) => key !== '')).size > 1;
}

/** Checks that the stored status is the merge of all statuses that the platform reported for the message's wamids. */
function checkStatus({ store, platform }: EndState, message: MessageRow, label: string): void {
  if (message.wamid === null) {
    assert(message.status === FAILED, `${label} ended as ${message.status} without a wamid`);
    return;
  }
  const wamids = [...platform.reports.told.keys()].filter(
    (wamid) => store.tables.wamids.get(wamidDigest(wamid))?.messageId === message.id,
  );
  const told = wamids.flatMap((wamid) => platform.reports.told.get(wamid) ?? []).map(({ update }) => update);
  const earliest = (status: string) => {
    const times = told.filter((update) => update.status === status).map((update) => update.atMs);
    return times.length === 0 ? null : Math.min(...times);
  };
  const readAtMs = earliest('read');
  const deliveredAtMs = earliest('delivered') ?? readAtMs;
  const failedAtMs = earliest('failed');
  // Two copies can have reported opposite outcomes; then the first final status counts.
  if (wamids.length > 1 && failedAtMs !== null) return;
  const status = failedAtMs !== null ? FAILED : readAtMs !== null ? 3 : deliveredAtMs !== null ? 2 : 1;
  const found = `${message.status} ${message.deliveredAtMs} ${message.readAtMs} ${message.failedAtMs}`;
  const expected = `${status} ${deliveredAtMs} ${readAtMs} ${failedAtMs}`;
  assert(found === expected, `${label} shows ${found}, expected ${expected}`);
  const sentAtMs = earliest('sent');
  assert(
    sentAtMs === null || (message.sentAtMs !== null && message.sentAtMs <= sentAtMs),
    `${label} was sent at ${message.sentAtMs}, told ${sentAtMs}`,
  );
}

/**
 * Checks order: of two sends to one person, the second made after the first was acknowledged, every copy of the first arrives first. Names
 * that the gateway did not know to be one person's are exempt, as is a send that became a message of two numbers: the acknowledged message
 * may be the one that ended unsent.
 */
function checkOrder(
  { sends, coverage }: EndState,
  messagesOf: ReadonlyMap<string, readonly MessageRow[]>,
  arrivalsOf: ReadonlyMap<string, readonly Arrival[]>,
): void {
  const pairs = Map.groupBy(sends, ({ number, recipient }) => `${number.numberId}/${recipient.person.id}`);
  for (const pair of pairs.values()) {
    const acknowledged = pair.filter((send) => send.acknowledgedAtMs !== undefined && arrivalsOf.has(send.label));
    for (const [index, later] of acknowledged.entries()) {
      const first = Math.min(...(arrivalsOf.get(later.label) ?? []).map(({ atMs }) => atMs));
      for (const earlier of acknowledged.slice(0, index)) {
        if ((earlier.acknowledgedAtMs ?? 0) > later.startedAtMs || !later.namesakes.has(earlier.name)) continue;
        if (earlier.name !== later.name) coverage.hit('order kept over two names');
        if ((messagesOf.get(earlier.label)?.length ?? 0) > 1) continue;
        const last = Math.max(...(arrivalsOf.get(earlier.label) ?? []).map(({ atMs }) => atMs));
        assert(last < first, `${earlier.label} went at ${last}, after ${later.label} at ${first}`);
      }
    }
  }
}

/** Checks that the usage counters equal the counts of the messages. */
function checkUsage({ store }: EndState, messages: readonly MessageRow[]): void {
  const expected = new Map<string, number>();
  const add = (message: MessageRow, metric: string, amount: number) => {
    const key = usageKey(message.organizationId, monthOf(message.acceptedAtMs), metric);
    expected.set(key, (expected.get(key) ?? 0) + amount);
  };
  for (const message of messages) {
    add(message, 'accepted', 1);
    add(message, `category:${message.category}`, 1);
    if (message.wamid !== null) add(message, 'sent', 1);
    if (message.deliveredAtMs !== null) add(message, 'delivered', 1);
    if (message.pricingType !== null) add(message, `pricing:${message.pricingType}`, 1);
    if (message.status === FAILED) add(message, 'failed', 1);
    else add(message, 'spent_micros', message.priceMicros);
    const charge = chargeOf(message);
    if (charge === undefined) continue;
    add(message, `charged|${charge}`, 1);
    add(message, `charged_micros|${charge}`, message.priceMicros);
  }
  for (const key of new Set([...expected.keys(), ...store.tables.usage.keys()])) {
    const [counted, facts] = [store.tables.usage.get(key) ?? 0, expected.get(key) ?? 0];
    assert(counted === facts, `the counter ${key} says ${counted}, there are ${facts}`);
  }
}

/** Checks that no status still waits for a wamid that is stored. */
function checkLeftStatuses({ store }: EndState): void {
  for (const { digest, wamid } of store.tables.early.values()) {
    assert(!store.tables.wamids.has(digest), `a status of ${wamid} was never applied`);
  }
}
