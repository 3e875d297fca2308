import { number, text, time } from '../columns.ts';
import { reading, type Session, type StatementModel } from '../model-store.ts';
import type { QueueRow } from '../tables.ts';
import { queueLock } from './queue-statements.ts';

const findRecipient = reading(({ tables }, values) => {
  const message = tables.messages.get(text(values[1]));
  if (message === undefined || message.organizationId !== values[0]) return [];
  const { numberId, contact, person, userId } = message;
  return [{ numberId, names: [contact, person, userId].filter((name) => name !== null) }];
});

/**
 * Marks the rows that satisfy a condition both before and after they are locked; returns their seqs. Skips locked rows unless it may wait.
 */
function* mark(session: Session, condition: (row: QueueRow) => boolean, mayWait: boolean) {
  const { tables, store, nowMs } = session;
  const isFree = ({ seq }: QueueRow) => mayWait || !store.locks.isHeldByOther(queueLock(seq), session);
  const seqs = [...tables.queue.values()].filter((row) => condition(row) && isFree(row)).map(({ seq }) => seq);
  yield seqs.map(queueLock);
  const marked = seqs.filter((seq) => {
    const row = tables.queue.get(seq);
    return row !== undefined && condition(row);
  });
  for (const seq of marked) {
    session.write(() => {
      const row = tables.queue.get(seq);
      if (row !== undefined) tables.queue.set(seq, { ...row, cancelledAtMs: row.cancelledAtMs ?? nowMs });
    });
  }
  return marked;
}

const markOne: StatementModel = function* markOne(session, values) {
  const [numberId, contacts, messageId] = values;
  const isMeant = (row: QueueRow) =>
    row.numberId === numberId &&
    (contacts as string[]).includes(row.contact) &&
    row.messageId === messageId &&
    row.holdUntilMs === null;
  const marked = yield* mark(session, isMeant, true);
  return marked.map((seq) => ({ seq }));
};

const markBusy: StatementModel = function* markBusy(session, values) {
  const [numberId, contact, messageId] = values;
  const isMeant = (row: QueueRow) =>
    row.numberId === numberId &&
    row.contact === contact &&
    row.messageId === messageId &&
    row.holdUntilMs === null &&
    row.cancelledAtMs === null;
  const marked = yield* mark(session, isMeant, true);
  return marked.map((seq) => ({ seq }));
};

/** The page is never full here: no organization has that many waiting messages in one run. */
const markAll: StatementModel = function* markAll(session, values) {
  const { messages } = session.tables;
  const [organizationId, numberId, flowId, afterSeq, contacts, type, template, callbackData] = values;
  const isBehind = (row: QueueRow) =>
    row.flowId > number(flowId) || (row.flowId === flowId && row.seq > number(afterSeq));
  const isMeant = (row: QueueRow) => {
    const message = messages.get(row.messageId);
    return (
      message !== undefined &&
      row.numberId === numberId &&
      isBehind(row) &&
      row.holdUntilMs === null &&
      row.cancelledAtMs === null &&
      ((contacts as string[] | null | undefined)?.includes(row.contact) ?? true) &&
      row.acceptedAtMs >= time(values[8]) &&
      row.acceptedAtMs < time(values[9]) &&
      message.organizationId === organizationId &&
      (type ?? message.type) === message.type &&
      (template ?? message.templateName) === message.templateName &&
      (callbackData ?? message.callbackData) === message.callbackData
    );
  };
  const last = [...session.tables.queue.values()]
    .filter((row) => row.numberId === numberId && isBehind(row))
    .sort((a, b) => a.flowId - b.flowId || a.seq - b.seq)
    .at(-1);
  const meant = [...session.tables.queue.values()].filter(isMeant);
  const marked = yield* mark(session, isMeant, false);
  const busy = meant.filter(({ seq }) => !marked.includes(seq));
  return [
    {
      cancelled: marked.length,
      busy_ids: busy.map((row) => row.messageId),
      busy_contacts: busy.map((row) => row.contact),
      flow_id: last?.flowId ?? null,
      seq: last?.seq ?? null,
    },
  ];
};

export const cancellationStatements: Record<string, StatementModel> = {
  cancellation_find_recipient: findRecipient,
  queue_mark_busy_cancelled: markBusy,
  queue_mark_one_cancelled: markOne,
  queue_mark_cancelled: markAll,
};
