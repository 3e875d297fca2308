import { FINISHED, RESULTS } from '../../../src/dispatch/outcomes/result-queries.ts';
import { trafficClassOf } from '../../../src/dispatch/scheduler/flow-id.ts';
import { ENTRIES, LEASES } from '../../../src/dispatch/sending/journal-queries.ts';
import { QUESTIONS, TAKEN } from '../../../src/dispatch/unknown-outcomes/unknown-outcome-queries.ts';
import { isHeldBack, TOLD_BIT } from '../../../src/events/index.ts';
import { byText, least, number, text, textOrNull, time } from '../columns.ts';
import { type Row, reading, type Session, type StatementModel } from '../model-store.ts';
import { type EarlyStatusRow, journalKey, type MessageRow } from '../tables.ts';
import { lockHeldLeases } from './lease-statements.ts';
import { mergedKeys } from './people-statements.ts';
import { owe, pairLock, queueLock } from './queue-statements.ts';
import { addUsage, monthOf, type UsageAmount, usageLocks } from './usage.ts';

/** The lock that a statement takes to write a message. */
export const messageLock = (id: string) => `message/${id}`;
const journalLock = (key: string) => `journal/${key}`;

const writeJournal: StatementModel = function* writeJournal(session, values) {
  const { tables } = session;
  const owner = text(values[0]);
  const batch = number(values[1]);
  const atMs = time(values[2]);
  const epochs = LEASES.parse(values);
  const entries = ENTRIES.parse(values);
  const queued = entries.flatMap((entry) => {
    const row = tables.queue.get(number(entry.seq));
    if (row === undefined || row.numberId !== entry.number_id || row.flowId !== entry.flow_id) return [];
    if (row.messageId !== entry.message_id) return [];
    const body = entry.needs_body === true ? (tables.messages.get(text(entry.message_id))?.body ?? null) : null;
    const { messageId, attempt, unknownCount, traceparent, attemptedAtMs } = row;
    const facts = { message_id: messageId, attempt, unknown_count: unknownCount, traceparent, body };
    const attemptedAt = attemptedAtMs === null ? null : new Date(attemptedAtMs);
    const times = { expires_at: new Date(row.expiresAtMs), attempted_at: attemptedAt };
    const sender = tables.numbers.get(row.numberId);
    const stops = { paused: sender?.paused ?? false, released: (sender?.releasedAtMs ?? null) !== null };
    const marks = { opted_out: false, cancelled: row.cancelledAtMs !== null, marketing: row.marketing === true };
    return [{ ...facts, ...times, ...stops, ...marks }];
  });
  const leases = yield* lockHeldLeases(session, owner, epochs, true);
  if (leases === epochs.length) {
    const debts = entries.flatMap((entry) =>
      entry.free_at === null
        ? []
        : [{ numberId: number(entry.number_id), contact: text(entry.contact), freeAtMs: time(entry.free_at) }],
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
          atMs,
          messages: messages.map((entry) => ({
            numberId: number(entry.number_id),
            flowId: number(entry.flow_id),
            seq: number(entry.seq),
          })),
        }),
      );
    }
  }
  return queued.length > 0 ? queued.map((row) => ({ leases, ...row })) : [{ leases, message_id: null }];
};

type Result = ReturnType<typeof RESULTS.parse>[number];

const recordCompletions: StatementModel = function* recordCompletions(session, values) {
  const { tables } = session;
  const owner = text(values[0]);
  const results = RESULTS.parse(values);
  const finished = FINISHED.parse(values).map(({ shard, batch }) => journalKey(number(shard), owner, number(batch)));
  const digests = results.filter(({ wamid }) => wamid !== null).map((result) => text(result.wamid_digest));
  const early = digests.filter((digest) => tables.early.has(digest));
  const messages = results.flatMap((result) => tables.messages.get(text(result.message_id)) ?? []);
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
  const resultOf = new Map(results.map((result) => [text(result.message_id), result]));
  const updated = [...resultOf].flatMap(([id, result]) => {
    const message = tables.messages.get(id);
    return message?.status === 0 ? [{ message, result }] : [];
  });
  const amounts = updated.flatMap(({ message, result }) => completionUsage(message, result.wamid !== null));
  yield usageLocks(amounts);
  session.write(() => {
    for (const key of finished) tables.journal.delete(key);
    for (const { seq, organization_id, message_id, wamid_digest } of results) {
      if (tables.queue.get(number(seq))?.messageId === message_id) tables.queue.delete(number(seq));
      if (wamid_digest === null || tables.wamids.has(text(wamid_digest))) continue;
      tables.wamids.set(text(wamid_digest), { organizationId: text(organization_id), messageId: text(message_id) });
    }
    for (const { message, result } of updated) tables.messages.set(message.id, completed(message, result));
  });
  addUsage(session, amounts);
  return early.map((digest) => ({ wamid_digest: digest }));
};

function completed(message: MessageRow, result: Result): MessageRow {
  const { at, wamid } = result;
  const isSent = wamid !== null;
  const upstreamStatus = textOrNull(result.upstream_status);
  return {
    ...message,
    status: isSent ? 1 : 4,
    wamid: textOrNull(wamid),
    upstreamStatus,
    sentAtMs: isSent ? time(at) : null,
    failedAtMs: isSent ? null : time(at),
    errorCode: textOrNull(result.error_code),
    errorMessage: textOrNull(result.error_message),
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
  const [owner, batches, now, platformNow, holdMs, afterGapMsMax, , inFlight] = values;
  const holdMsByClass = holdMs as number[];
  const [nowMs, platformNowMs, seqsInFlight] = [time(now), time(platformNow), new Set(inFlight as number[])];
  const leased = TAKEN.parse(values).filter(({ shard, epoch }) => {
    const lease = tables.leases.get(number(shard));
    return lease !== undefined && lease.epoch === epoch && lease.owner === owner;
  });
  const shards = new Set(leased.map(({ shard }) => number(shard)));
  const candidates = [...tables.journal]
    .filter(([, row]) => shards.has(row.shard) && (row.owner !== owner || row.batch <= number(batches)))
    .map(([key]) => key);
  yield candidates.map(journalLock);
  const journals = candidates.flatMap((key) => tables.journal.get(key) ?? []);
  const sinceMs = new Map<number, number>();
  for (const { owner: writer, messages, atMs } of journals)
    for (const { seq } of messages)
      if (writer !== owner || seqsInFlight.has(seq)) sinceMs.set(seq, Math.min(atMs, sinceMs.get(seq) ?? atMs));
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
        Math.min(platformNowMs - atMs, number(afterGapMsMax)),
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

const findSettling = reading((session, values) => {
  return QUESTIONS.parse(values)
    .toSorted((a, b) => number(a.seq) - number(b.seq))
    .map((question) => settlingStatus(session, question))
    .filter((found) => found !== undefined);
});

function settlingStatus({ tables }: Session, question: ReturnType<typeof QUESTIONS.parse>[number]): Row | undefined {
  const message = tables.messages.get(text(question.message_id));
  if (message === undefined) return undefined;
  const toldAtMs = (status: EarlyStatusRow) =>
    least(status.sentAtMs, status.deliveredAtMs, status.readAtMs, status.failedAtMs) ?? Number.NEGATIVE_INFINITY;
  const numberId = number(question.number_id);
  const account = { organization_id: question.organization_id, waba_id: tables.numbers.get(numberId)?.wabaId };
  const contact = text(question.contact);
  const keys = new Set([contact, textOrNull(question.respelt) ?? contact, ...mergedKeys(tables, account, contact)]);
  const called = tables.numbersCalled(text(question.phone_number_id));
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
        status.phoneNumberId === question.phone_number_id &&
        keys.has(status.contact ?? '') &&
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
