import { POSTPONEMENTS } from '../../../src/dispatch/outcomes/result-queries.ts';
import { CURSORS } from '../../../src/dispatch/queue/discovery-queries.ts';
import { DEBTS } from '../../../src/dispatch/queue/pair-debt-queries.ts';
import { FLOW_CURSORS, RECIPIENT_CURSORS } from '../../../src/dispatch/queue/queue-queries.ts';
import { HOLDS, QUEUE_KEYS } from '../../../src/dispatch/unknown-outcomes/unknown-outcome-queries.ts';
import { dateOrNull, number, text, time, timeOrNull } from '../columns.ts';
import { type Row, reading, type Session, type StatementModel } from '../model-store.ts';
import { type PairDebtRow, pairKey, type QueueRow } from '../tables.ts';

const DISCOVERY_PAGE_ROWS = 500;
const PAIR_DEBT_KEPT_MS = 10 * 60 * 1000;

/** The lock that a statement takes to write a queue row. */
export const queueLock = (seq: number) => `queue/${seq}`;

/** Returns a queue row as the driver does. */
function rowOf(row: QueueRow): Row {
  return {
    seq: row.seq,
    number_id: row.numberId,
    flow_id: row.flowId,
    contact: Number(row.contact),
    message_id: row.messageId,
    accepted_at: new Date(row.acceptedAtMs),
    attempt: row.attempt,
    unknown_count: row.unknownCount,
    due_at: dateOrNull(row.dueAtMs),
    hold_until: dateOrNull(row.holdUntilMs),
    attempted_at: dateOrNull(row.attemptedAtMs),
  };
}

/** Returns the rows that satisfy a condition, by seq. */
function select(session: Session, condition: (row: QueueRow) => boolean): QueueRow[] {
  const rows: QueueRow[] = [];
  for (const row of session.tables.queue.values()) if (condition(row)) rows.push(row);
  return rows.sort((a, b) => a.seq - b.seq);
}

const listFlowRows = reading((session, values) => {
  const cursors = FLOW_CURSORS.parse(values);
  return cursors.flatMap((cursor) =>
    select(
      session,
      (row) => row.numberId === cursor.number_id && row.flowId === cursor.flow_id && row.seq > number(cursor.after_seq),
    )
      .slice(0, number(cursor.rows_max))
      .map(rowOf),
  );
});

const listRecipientRows = reading((session, values) => {
  const cursors = RECIPIENT_CURSORS.parse(values);
  return cursors.flatMap((cursor) =>
    select(
      session,
      (row) =>
        row.numberId === cursor.number_id && row.contact === cursor.contact && row.seq > number(cursor.after_seq),
    )
      .slice(0, number(cursor.rows_max))
      .map(rowOf),
  );
});

const listFlowHeads = reading((session, values) => {
  const shards = new Set(values[0] as number[]);
  const flows = Map.groupBy(
    select(session, (row) => shards.has(row.shard)),
    (row) => `${row.numberId}/${row.flowId}`,
  );
  return [...flows.values()].flatMap((rows) => rows.slice(0, number(values[1]))).map(rowOf);
});

const listHeld = reading((session, values) => {
  const shards = new Set(values[0] as number[]);
  return select(session, (row) => shards.has(row.shard) && row.holdUntilMs !== null).map(rowOf);
});

const listWaiting = reading((session, values) => {
  const [numberId, flowId, seq, limit] = values.map(number);
  const isMeant = (row: QueueRow) =>
    row.numberId === numberId &&
    (row.flowId > number(flowId) || (row.flowId === flowId && row.seq > number(seq))) &&
    row.holdUntilMs === null;
  return select(session, isMeant)
    .sort((a, b) => a.flowId - b.flowId || a.seq - b.seq)
    .slice(0, limit)
    .map(rowOf);
});

const listExpired = reading((session, values) => {
  const numbers = new Set(values[0] as number[]);
  const nowMs = time(values[1]);
  return select(session, (row) => row.expiresAtMs <= nowMs && row.holdUntilMs === null && numbers.has(row.numberId))
    .sort((a, b) => a.expiresAtMs - b.expiresAtMs)
    .slice(0, number(values[2]))
    .map(rowOf);
});

const listCancelled = reading((session, values) => {
  const numbers = new Set(values[0] as number[]);
  return select(session, (row) => row.cancelledAtMs !== null && row.holdUntilMs === null && numbers.has(row.numberId))
    .sort((a, b) => (a.cancelledAtMs ?? 0) - (b.cancelledAtMs ?? 0))
    .slice(0, number(values[1]))
    .map(rowOf);
});

const discover = reading((session, values) => {
  const cursors = CURSORS.parse(values);
  const nodeId = text(values[0]);
  const includeOwn = values[1] === true;
  const snapshot = session.store.snapshot();
  if (session.tables.queue.size === 0) return [{ snapshot, shard: null }];
  const found = cursors.flatMap((cursor) => {
    const [xid, seq, untilXid] = [Number(cursor.xid), number(cursor.seq), Number(cursor.until_xid)];
    const isMeant = (row: QueueRow) =>
      row.shard === cursor.shard &&
      (row.xid > xid || (row.xid === xid && row.seq > seq)) &&
      row.xid <= untilXid &&
      (includeOwn || row.acceptedBy !== nodeId);
    return select(session, isMeant)
      .sort((a, b) => a.xid - b.xid || a.seq - b.seq)
      .slice(0, DISCOVERY_PAGE_ROWS)
      .map((row) => ({ snapshot, shard: row.shard, xid: String(row.xid), until_xid: cursor.until_xid, ...rowOf(row) }));
  });
  return found.length > 0 ? found : [{ snapshot, shard: null }];
});

const listGone = reading(({ tables }, values) => {
  return QUEUE_KEYS.parse(values)
    .filter(({ seq }) => !tables.queue.has(number(seq)))
    .map(({ seq }) => ({ seq }));
});

const listNumbersBehindFormer = reading(({ tables }, values) => {
  const isUnderWay = ({ seq, holdUntilMs }: QueueRow) =>
    holdUntilMs !== null || [...tables.journal.values()].some((row) => row.messages.some((sent) => sent.seq === seq));
  const isBehind = (numberId: number) => {
    const sender = tables.numbers.get(numberId);
    if (sender === undefined || sender.releasedAtMs !== null) return false;
    const former = tables.numbersCalled(sender.phoneNumberId).filter((row) => row.numberId < numberId);
    return former.some((row) =>
      [...tables.queue.values()].some((queued) => queued.numberId === row.numberId && isUnderWay(queued)),
    );
  };
  return (values[0] as number[]).filter(isBehind).map((numberId) => ({ number_id: numberId }));
});

const readHorizon = reading((session) => {
  return [{ snapshot: session.store.snapshot() }];
});

const listPairDebt = reading((session, values) => {
  const numbers = new Set(values[0] as number[]);
  return [...session.tables.pairDebt.values()]
    .filter((debt) => numbers.has(debt.numberId) && debt.freeAtMs > session.nowMs)
    .map((debt) => ({
      number_id: debt.numberId,
      contact: Number(debt.contact),
      free_at: new Date(debt.freeAtMs),
    }));
});

const savePairDebt: StatementModel = function* savePairDebt(session, values) {
  const { tables, nowMs } = session;
  const debts = DEBTS.parse(values).map((debt) => ({
    numberId: number(debt.number_id),
    contact: text(debt.contact),
    freeAtMs: time(debt.free_at),
  }));
  const isPassed = (freeAtMs: number) => freeAtMs < nowMs - PAIR_DEBT_KEPT_MS;
  const isFree = (key: string) => !session.store.locks.isHeldByOther(`pair/${key}`, session);
  const passed = [...tables.pairDebt]
    .filter(([key, debt]) => isPassed(debt.freeAtMs) && isFree(key))
    .map(([key]) => key);
  yield [...passed.map((key) => `pair/${key}`), ...debts.map((debt) => pairLock(debt.numberId, debt.contact))];
  session.write(() => {
    for (const key of passed) tables.pairDebt.delete(key);
  });
  owe(session, debts);
  return [];
};

/** The lock that a statement takes to write a pair's debt. */
export const pairLock = (numberId: number, contact: string) => `pair/${pairKey(numberId, contact)}`;

/** Raises the debts of pairs when the session commits; a greater stored debt stays. */
export function owe(session: Session, debts: readonly PairDebtRow[]): void {
  const { pairDebt } = session.tables;
  for (const debt of debts) {
    const key = pairKey(debt.numberId, debt.contact);
    session.write(() => {
      if ((pairDebt.get(key)?.freeAtMs ?? Number.NEGATIVE_INFINITY) < debt.freeAtMs) pairDebt.set(key, debt);
    });
  }
}

const recordPostponements: StatementModel = function* recordPostponements(session, values) {
  const { tables } = session;
  const owner = text(values[0]);
  const rows = POSTPONEMENTS.parse(values);
  const isOlder = (row: (typeof rows)[number]) => {
    const queued = tables.queue.get(number(row.seq));
    if (queued === undefined) return false;
    const undoneAtMs = timeOrNull(row.undone_at);
    if (undoneAtMs !== null) return queued.holdUntilMs !== null && queued.attemptedAtMs === undoneAtMs;
    if (queued.unknownCount > number(row.unknown_count)) return false;
    const isOver = queued.unknownCount === number(row.unknown_count) && queued.holdUntilMs === null;
    return !isOver || row.hold_until === null || tables.leases.get(queued.shard)?.owner === owner;
  };
  const candidates = rows.filter(isOlder);
  yield candidates.map((row) => queueLock(number(row.seq)));
  for (const row of candidates.filter(isOlder)) {
    session.write(() => {
      const queued = tables.queue.get(number(row.seq));
      if (queued === undefined) return;
      tables.queue.set(queued.seq, {
        ...queued,
        attempt: number(row.attempt),
        unknownCount: number(row.unknown_count),
        dueAtMs: timeOrNull(row.due_at),
        holdUntilMs: timeOrNull(row.hold_until),
        attemptedAtMs: timeOrNull(row.attempted_at),
      });
    });
  }
  return [];
};

const lengthenHolds: StatementModel = function* lengthenHolds(session, values) {
  const { queue } = session.tables;
  const holds = HOLDS.parse(values).map((row) => ({
    seq: number(row.seq),
    unknownCount: number(row.unknown_count),
    holdUntilMs: time(row.hold_until),
  }));
  const isShorter = ({ seq, unknownCount, holdUntilMs }: (typeof holds)[number]) => {
    const queued = queue.get(seq);
    return queued?.unknownCount === unknownCount && (queued.holdUntilMs ?? Number.POSITIVE_INFINITY) < holdUntilMs;
  };
  const candidates = holds.filter(isShorter);
  yield candidates.map(({ seq }) => queueLock(seq));
  for (const { seq, holdUntilMs } of candidates.filter(isShorter)) {
    session.write(() => {
      const queued = queue.get(seq);
      if (queued !== undefined) queue.set(seq, { ...queued, holdUntilMs });
    });
  }
  return [];
};

export const queueStatements: Record<string, StatementModel> = {
  // A repeated statement gets all the time it needs.
  statement_timeout_extend: reading(() => []),
  queue_list_flow_rows: listFlowRows,
  queue_list_recipient_rows: listRecipientRows,
  queue_list_flow_heads: listFlowHeads,
  queue_list_held: listHeld,
  queue_list_waiting: listWaiting,
  queue_list_expired: listExpired,
  queue_list_cancelled: listCancelled,
  queue_discover: discover,
  queue_list_gone: listGone,
  queue_lengthen_holds: lengthenHolds,
  sending_number_list_behind_former: listNumbersBehindFormer,
  take_snapshot: readHorizon,
  queue_record_postponements: recordPostponements,
  pair_debt_save: savePairDebt,
  pair_debt_list: listPairDebt,
};
