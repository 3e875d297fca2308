import { trafficClassOf } from '../../../src/dispatch/scheduler/flow-id.ts';
import { isHeldBack, TOLD_BIT } from '../../../src/events/index.ts';
import { byText, least, number, rowsOf, text, textOrNull, time } from '../columns.ts';
import { type Row, reading, type Session, type StatementModel } from '../model-store.ts';
import { type EarlyStatusRow, journalKey, type MessageRow } from '../tables.ts';
import { leaseLock } from './lease-statements.ts';
import { owe, pairLock, queueLock } from './queue-statements.ts';
import { addUsage, monthOf, type UsageAmount, usageLocks } from './usage.ts';

/** The lock that a statement takes to write a message. */
export const messageLock = (id: string) => `message/${id}`;
const journalLock = (key: string) => `journal/${key}`;

const writeJournal: StatementModel = function* writeJournal(session, values) {
  const { tables, nowMs } = session;
  const owner = text(values[0]);
  const batch = number(values[1]);
  const epochs = rowsOf(values, 2, ['shard', 'epoch']);
  const entries = rowsOf(values, 4, [
    'organizationId',
    'messageId',
    'shard',
    'numberId',
    'flowId',
    'seq',
    'needsBody',
    'contact',
    'pairFreeAt',
  ]);
  const queued = entries.flatMap((entry) => {
    const row = tables.queue.get(number(entry.seq));
    if (row === undefined || row.numberId !== entry.numberId || row.flowId !== entry.flowId) return [];
    if (row.messageId !== entry.messageId) return [];
    const body = entry.needsBody === true ? (tables.messages.get(text(entry.messageId))?.body ?? null) : null;
    const { messageId, attempt, unknownCount, traceparent, attemptedAtMs } = row;
    const facts = { message_id: messageId, attempt, unknown_count: unknownCount, traceparent, body };
    const attemptedAt = attemptedAtMs === null ? null : new Date(attemptedAtMs);
    const times = { expires_at: new Date(row.expiresAtMs), attempted_at: attemptedAt };
    const sender = tables.numbers.get(row.numberId);
    const stops = { paused: sender?.paused ?? false, released: (sender?.releasedAtMs ?? null) !== null };
    return [{ ...facts, ...times, ...stops, cancelled: row.cancelledAtMs !== null }];
  });
  const isHeld = (shard: number, epoch: number) => {
    const lease = tables.leases.get(shard);
    return lease !== undefined && lease.epoch === epoch && lease.owner === owner && lease.expiresAtMs > nowMs;
  };
  const candidates = epochs.filter((lease) => isHeld(number(lease.shard), number(lease.epoch)));
  yield candidates
    .map((lease) => number(lease.shard))
    .toSorted((a, b) => a - b)
    .map(leaseLock);
  const leases = candidates.filter((lease) => isHeld(number(lease.shard), number(lease.epoch))).length;
  if (leases === epochs.length) {
    const debts = entries.flatMap(({ numberId, contact, pairFreeAt }) =>
      pairFreeAt === null ? [] : [{ numberId: number(numberId), contact: text(contact), freeAtMs: time(pairFreeAt) }],
    );
    yield debts.map((debt) => pairLock(debt.numberId, debt.contact));
    owe(session, debts);
    for (const [shard, messages] of Map.groupBy(entries, (entry) => number(entry.shard))) {
      const key = journalKey(shard, owner, batch);
      session.write(() =>
        tables.journal.set(key, {
          shard,
          owner,
          batch,
          atMs: time(values[16]),
          messages: messages.map((entry) => ({
            numberId: number(entry.numberId),
            flowId: number(entry.flowId),
            seq: number(entry.seq),
          })),
        }),
      );
    }
  }
  return queued.length > 0 ? queued.map((row) => ({ leases, ...row })) : [{ leases, message_id: null }];
};

const RESULT_COLUMNS = [
  'organizationId',
  'messageId',
  'numberId',
  'flowId',
  'seq',
  'at',
  'wamid',
  'digest',
  'errorCode',
  'errorMessage',
  'errorUserTitle',
  'errorUserMsg',
  'toldAt',
  'upstreamStatus',
] as const;

type Result = Record<(typeof RESULT_COLUMNS)[number], unknown>;

const recordCompletions: StatementModel = function* recordCompletions(session, values) {
  const { tables } = session;
  const owner = text(values[0]);
  const results: Result[] = rowsOf(values, 3, RESULT_COLUMNS);
  const finished = rowsOf(values, 1, ['shard', 'batch']).map(({ shard, batch }) =>
    journalKey(number(shard), owner, number(batch)),
  );
  const digests = results.filter(({ wamid }) => wamid !== null).map(({ digest }) => text(digest));
  const early = digests.filter((digest) => tables.early.has(digest));
  const messages = results.flatMap((result) => tables.messages.get(text(result.messageId)) ?? []);
  yield [
    ...finished.filter((key) => tables.journal.has(key)).map(journalLock),
    ...results
      .map(({ seq }) => number(seq))
      .filter((seq) => tables.queue.has(seq))
      .map(queueLock),
    ...digests.toSorted(byText).map((digest) => `wamid/${digest}`),
    ...messages.filter(({ status }) => status === 0).map(({ id }) => messageLock(id)),
  ];
  // UPDATE writes a row once, even if several rows are joined with it.
  const resultOf = new Map(results.map((result) => [text(result.messageId), result]));
  const updated = [...resultOf].flatMap(([id, result]) => {
    const message = tables.messages.get(id);
    return message?.status === 0 ? [{ message, result }] : [];
  });
  const amounts = updated.flatMap(({ message, result }) => completionUsage(message, result.wamid !== null));
  yield usageLocks(amounts);
  session.write(() => {
    for (const key of finished) tables.journal.delete(key);
    for (const { seq, organizationId, messageId, digest } of results) {
      if (tables.queue.get(number(seq))?.messageId === messageId) tables.queue.delete(number(seq));
      if (digest === null || tables.wamids.has(text(digest))) continue;
      tables.wamids.set(text(digest), { organizationId: text(organizationId), messageId: text(messageId) });
    }
    for (const { message, result } of updated) tables.messages.set(message.id, completed(message, result));
  });
  addUsage(session, amounts);
  return early.map((digest) => ({ wamid_digest: digest }));
};

function completed(message: MessageRow, result: Result): MessageRow {
  const { at, wamid, errorCode, errorMessage } = result;
  const isSent = wamid !== null;
  const upstreamStatus = textOrNull(result.upstreamStatus);
  return {
    ...message,
    status: isSent ? 1 : 4,
    wamid: textOrNull(wamid),
    upstreamStatus,
    sentAtMs: isSent ? time(at) : null,
    failedAtMs: isSent ? null : time(at),
    errorCode: textOrNull(errorCode),
    errorMessage: textOrNull(errorMessage),
    told: isSent ? (isHeldBack(upstreamStatus) ? 0 : TOLD_BIT.sent) : TOLD_BIT.failed,
  };
}

function completionUsage(message: MessageRow, isSent: boolean): UsageAmount[] {
  const { organizationId } = message;
  const month = monthOf(message.acceptedAtMs);
  if (isSent) return [{ organizationId, month, metric: 'sent', amount: 1 }];
  return [
    { organizationId, month, metric: 'failed', amount: 1 },
    { organizationId, month, metric: 'spent_micros', amount: -message.priceMicros },
  ];
}

const holdJournaled: StatementModel = function* holdJournaled(session, values) {
  const { tables } = session;
  const [owner, batches, nowMs] = [text(values[2]), number(values[3]), time(values[4])];
  const [holdMsByClass, afterGapMsMax] = [values[5] as number[], number(values[6])];
  const platformNowMs = time(values[8]);
  const inFlight = new Set(values[9] as number[]);
  const leased = rowsOf(values, 0, ['shard', 'epoch']).filter(({ shard, epoch }) => {
    const lease = tables.leases.get(number(shard));
    return lease !== undefined && lease.epoch === epoch && lease.owner === owner;
  });
  const shards = new Set(leased.map(({ shard }) => number(shard)));
  const candidates = [...tables.journal]
    .filter(([, row]) => shards.has(row.shard) && (row.owner !== owner || row.batch <= batches))
    .map(([key]) => key);
  yield candidates.map(journalLock);
  const journals = candidates.flatMap((key) => tables.journal.get(key) ?? []);
  const sinceMs = new Map<number, number>();
  for (const { owner: writer, messages, atMs } of journals)
    for (const { seq } of messages)
      if (writer !== owner || inFlight.has(seq)) sinceMs.set(seq, Math.min(atMs, sinceMs.get(seq) ?? atMs));
  const isNew = (seq: number) => tables.queue.get(seq)?.holdUntilMs === null;
  const seqs = [...sinceMs.keys()].filter(isNew);
  yield seqs.map(queueLock);
  const held = seqs.filter(isNew);
  session.write(() => {
    for (const { shard, owner, batch } of journals) tables.journal.delete(journalKey(shard, owner, batch));
  });
  for (const seq of held) {
    session.write(() => {
      const row = tables.queue.get(seq);
      const atMs = sinceMs.get(seq) ?? nowMs;
      if (row === undefined) return;
      const holdMs = Math.max(
        holdMsByClass[trafficClassOf(row.flowId)] ?? 0,
        Math.min(platformNowMs - atMs, afterGapMsMax),
      );
      tables.queue.set(seq, {
        ...row,
        holdUntilMs: nowMs + holdMs,
        attemptedAtMs: atMs,
        unknownCount: row.unknownCount + 1,
      });
    });
  }
  return [{ held: held.length }];
};

const QUESTION_COLUMNS = [
  'organizationId',
  'messageId',
  'seq',
  'phoneNumberId',
  'contact',
  'since',
  'numberId',
] as const;

const findSettling = reading((session, values) => {
  const questions = rowsOf(values, 0, QUESTION_COLUMNS);
  return questions
    .toSorted((a, b) => number(a.seq) - number(b.seq))
    .map((question) => settlingStatus(session, question))
    .filter((found) => found !== undefined);
});

function settlingStatus(
  { tables }: Session,
  question: Record<(typeof QUESTION_COLUMNS)[number], unknown>,
): Row | undefined {
  const message = tables.messages.get(text(question.messageId));
  if (message === undefined) return undefined;
  const toldAtMs = (status: EarlyStatusRow) =>
    least(status.sentAtMs, status.deliveredAtMs, status.readAtMs, status.failedAtMs) ?? Number.NEGATIVE_INFINITY;
  const numberId = number(question.numberId);
  const called = tables.numbersCalled(text(question.phoneNumberId));
  const isOfAnother = (atMs: number) =>
    called.some((row) => {
      if (row.releasedAtMs === null) return false;
      const isSince = atMs >= Math.floor(row.releasedAtMs / 1_000) * 1_000;
      const isLast = row.numberId === called[0]?.numberId;
      return (row.numberId < numberId && !isSince) || (row.numberId === numberId && isSince && !isLast);
    });
  const [first] = [...tables.early.values()]
    .filter(
      (status) =>
        status.phoneNumberId === question.phoneNumberId &&
        status.contact === question.contact &&
        toldAtMs(status) >= time(question.since) &&
        !isOfAnother(toldAtMs(status)) &&
        status.callbackData === message.callbackData &&
        !tables.wamids.has(status.digest),
    )
    .sort((a, b) => toldAtMs(a) - toldAtMs(b));
  return first && { seq: question.seq, wamid: first.wamid, at: new Date(toldAtMs(first)) };
}

/** A message's timeline decides nothing, so the model stores no attempts. */
const insertAttempts: StatementModel = function* insertAttempts() {
  yield [];
  return [];
};

export const dispatchStatements: Record<string, StatementModel> = {
  dispatch_journal_write: writeJournal,
  dispatch_record_completions: recordCompletions,
  dispatch_hold_journaled: holdJournaled,
  early_status_find_settling: findSettling,
  send_attempt_insert: insertAttempts,
};
