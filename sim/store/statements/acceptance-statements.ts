import { number, rowsOf, text, textOrNull, time } from '../columns.ts';
import { reading, type StatementModel } from '../model-store.ts';
import { idempotencyKey, type MessageRow, usageKey } from '../tables.ts';
import { addUsage, type UsageAmount, usageLocks } from './usage.ts';

const INPUT_COLUMNS = [
  'id',
  'organizationId',
  'numberId',
  'shard',
  'flowId',
  'contact',
  'recipient',
  'type',
  'templateName',
  'templateLanguage',
  'category',
  'priceMicros',
  'body',
  'callbackData',
  'apiKeyId',
  'expiresAt',
  'traceparent',
  'keyDigest',
  'fingerprint',
] as const;

type Input = Record<(typeof INPUT_COLUMNS)[number], unknown>;

const keyLock = (key: string) => `idempotency/${key}`;
const keyOf = (input: Pick<Input, 'organizationId' | 'numberId' | 'keyDigest'>) =>
  idempotencyKey(text(input.organizationId), number(input.numberId), text(input.keyDigest));

const accept: StatementModel = function* accept(session, values) {
  const { tables, store } = session;
  const acceptedBy = text(values[0]);
  const acceptedAtMs = time(values[1]);
  const month = text(values[2]);
  const isKeyed = values.length > 20;
  const columns = isKeyed ? INPUT_COLUMNS : INPUT_COLUMNS.slice(0, -2);
  const input = rowsOf(values, 3, columns) as Input[];
  const keys = isKeyed ? input.filter(({ keyDigest }) => keyDigest !== null).map(keyOf) : [];
  yield keys.toSorted().map(keyLock);
  const claimed = new Set<string>();
  const stored = input.filter((row) => {
    if (!isKeyed || row.keyDigest === null) return true;
    const key = keyOf(row);
    return !tables.idempotency.has(key) && !claimed.has(key) && claimed.add(key);
  });
  const amounts = stored.flatMap((row) => acceptanceUsage(row, month));
  yield usageLocks(amounts);
  addUsage(session, amounts);
  return stored.map((row) => {
    const seq = store.nextSeq();
    const { xid } = session;
    const messageId = text(row.id);
    session.write(() => {
      if (isKeyed && row.keyDigest !== null) {
        tables.idempotency.set(keyOf(row), { messageId, fingerprint: text(row.fingerprint) });
      }
      tables.messages.set(messageId, messageOf(row, acceptedAtMs));
      tables.queue.set(seq, {
        shard: number(row.shard),
        numberId: number(row.numberId),
        flowId: number(row.flowId),
        contact: text(row.contact),
        seq,
        xid,
        acceptedBy,
        messageId,
        acceptedAtMs,
        expiresAtMs: time(row.expiresAt),
        attempt: 0,
        unknownCount: 0,
        dueAtMs: null,
        holdUntilMs: null,
        attemptedAtMs: null,
        cancelledAtMs: null,
        traceparent: textOrNull(row.traceparent),
      });
    });
    return { message_id: messageId, seq };
  });
};

function messageOf(row: Input, acceptedAtMs: number): MessageRow {
  return {
    organizationId: text(row.organizationId),
    id: text(row.id),
    numberId: number(row.numberId),
    direction: 0,
    contact: text(row.recipient),
    type: text(row.type),
    templateName: textOrNull(row.templateName),
    templateLanguage: textOrNull(row.templateLanguage),
    category: text(row.category),
    pricingType: null,
    priceMicros: number(row.priceMicros),
    body: text(row.body),
    callbackData: textOrNull(row.callbackData),
    status: 0,
    wamid: null,
    upstreamStatus: null,
    acceptedAtMs,
    sentAtMs: null,
    deliveredAtMs: null,
    readAtMs: null,
    failedAtMs: null,
    errorCode: null,
    errorMessage: null,
    told: 0,
  };
}

function acceptanceUsage(row: Input, month: string): UsageAmount[] {
  const organizationId = text(row.organizationId);
  return [
    { organizationId, month, metric: 'accepted', amount: 1 },
    { organizationId, month, metric: `category:${text(row.category)}`, amount: 1 },
    { organizationId, month, metric: 'spent_micros', amount: number(row.priceMicros) },
  ];
}

const lockUsage: StatementModel = function* lockUsage(session, values) {
  const { tables } = session;
  const keys = (values[0] as string[]).map((id) => usageKey(id, text(values[1]), 'accepted'));
  yield keys.map((key) => `usage/${key}`);
  for (const key of keys) session.write(() => tables.usage.set(key, tables.usage.get(key) ?? 0));
  return [];
};

const readUsage = reading(({ tables }, values) => {
  const used = (id: string, metric: string) => tables.usage.get(usageKey(id, text(values[1]), metric)) ?? 0;
  return (values[0] as string[]).map((id) => ({
    organization_id: id,
    accepted: used(id, 'accepted'),
    spent_micros: used(id, 'spent_micros'),
  }));
});

const findTaken = reading(({ tables }, values) => {
  const keys = rowsOf(values, 0, ['organizationId', 'numberId', 'keyDigest']);
  return keys.filter((key) => tables.idempotency.has(keyOf(key)));
});

const findReplay = reading(({ tables }, values) => {
  const claim = tables.idempotency.get(idempotencyKey(text(values[0]), number(values[1]), text(values[2])));
  return claim === undefined ? [] : [{ message_id: claim.messageId, fingerprint: claim.fingerprint }];
});

const findStored = reading(({ tables }, values) => {
  return (values[1] as string[]).filter((id) => tables.messages.has(id)).map((id) => ({ id }));
});

const findSettled = reading(({ tables }, values) => {
  return (values[1] as string[]).flatMap((id) => {
    const message = tables.messages.get(id);
    if (message === undefined || message.status === 0) return [];
    const { wamid, upstreamStatus, errorCode, errorMessage } = message;
    return [
      { messageId: id, wamid, upstreamStatus, errorCode, errorMessage, errorUserTitle: null, errorUserMsg: null },
    ];
  });
});

export const acceptanceStatements: Record<string, StatementModel> = {
  message_accept: accept,
  message_accept_keyed: accept,
  usage_lock_accepted: lockUsage,
  usage_read_for_plan: readUsage,
  idempotency_find_taken: findTaken,
  idempotency_find: findReplay,
  message_find_stored: findStored,
  message_find_settled: findSettled,
};
