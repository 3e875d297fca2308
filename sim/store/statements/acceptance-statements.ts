import { WAITING } from '../../../src/messages/queries.ts';
import { ACCEPTED, ACCEPTED_KEYED, JOURNAL, JOURNAL_KEYED, STORED } from '../../../src/messages/send/accept-queries.ts';
import { KEYS } from '../../../src/messages/send/idempotency-queries.ts';
import { number, text, textOrNull, time } from '../columns.ts';
import { reading, type Session, type StatementModel } from '../model-store.ts';
import { type AliasRow, aliasKey, idempotencyKey, journalKey, type MessageRow, usageKey } from '../tables.ts';
import { lockHeldLeases } from './lease-statements.ts';
import { nameLocks } from './people-statements.ts';
import { addUsage, type UsageAmount, usageLocks } from './usage.ts';

type Input = ReturnType<typeof ACCEPTED_KEYED.parse>[number];

const keyLock = (key: string) => `idempotency/${key}`;
const keyOf = (input: ReturnType<typeof KEYS.parse>[number]) =>
  idempotencyKey(text(input.organization_id), number(input.number_id), text(input.key_digest));

const accept: StatementModel = function* accept(session, values) {
  const input = ACCEPTED.parse(values).map((row) => ({ ...row, key_digest: null, fingerprint: null }));
  return yield* acceptAll(session, values, input);
};

const acceptKeyed: StatementModel = function* acceptKeyed(session, values) {
  return yield* acceptAll(session, values, ACCEPTED_KEYED.parse(values));
};

/** Accepts as `accepts` does, and journals the queue rows. */
function journaling(accepts: StatementModel, first: number, { leases }: typeof JOURNAL): StatementModel {
  return function* acceptAndJournal(session, values) {
    const { tables } = session;
    const stopped = [...tables.numbers.values()].filter(({ paused, releasedAtMs }) => paused || releasedAtMs !== null);
    const stoppedIds = new Set(stopped.map(({ numberId }) => numberId));
    const numberOf = new Map(ACCEPTED.parse(values).map((row) => [row.id, number(row.number_id)]));
    const rows = yield* accepts(session, values);
    const owner = text(values[0]);
    const [batch, atMs] = [number(values[first - 1]), time(values[first])];
    const epochs = leases.parse(values);
    if ((yield* lockHeldLeases(session, owner, epochs, false)) !== epochs.length) return rows;
    const going = rows.filter((row) => !stoppedIds.has(numberOf.get(row.message_id) as number));
    const journaled = new Set(going.map(({ seq }) => seq));
    session.write(() => {
      const queued = going.flatMap((row) => tables.queue.get(row.seq as number) ?? []);
      for (const [shard, messages] of Map.groupBy(queued, (row) => row.shard))
        tables.journal.set(journalKey(shard, owner, batch), {
          ...{ shard, owner, batch, atMs },
          messages: messages.map(({ numberId, flowId, seq }) => ({ numberId, flowId, seq })),
        });
    });
    return rows.map((row) => ({ ...row, journaled: journaled.has(row.seq) }));
  };
}

function* acceptAll(session: Session, values: readonly unknown[], input: Input[]) {
  const { tables, store } = session;
  const acceptedBy = text(values[0]);
  const acceptedAtMs = time(values[1]);
  const month = text(values[2]);
  const names = new Map(input.flatMap((row) => (tables.aliases.has(nameOf(row)) ? [[row, nameOf(row)]] : [])));
  yield nameLocks(names.values());
  const people = new Map(input.map((row) => [row, personOf(row, tables.aliases.get(names.get(row) ?? ''))]));
  const keys = input.filter((row) => row.key_digest !== null).map(keyOf);
  yield keys.toSorted().map(keyLock);
  const claimed = new Set<string>();
  const stored = input.filter((row) => {
    if (row.key_digest === null) return true;
    const key = keyOf(row);
    return !tables.idempotency.has(key) && !claimed.has(key) && claimed.add(key);
  });
  const amounts = stored.flatMap((row) => acceptanceUsage(row, month));
  yield usageLocks(amounts);
  addUsage(session, amounts);
  return stored.map((row) => {
    const person = people.get(row) ?? personOf(row, undefined);
    const seq = store.nextSeq();
    const { xid } = session;
    const messageId = text(row.id);
    session.write(() => {
      if (row.key_digest !== null) {
        tables.idempotency.set(keyOf(row), { messageId, fingerprint: text(row.fingerprint) });
      }
      tables.messages.set(messageId, messageOf(row, person, acceptedAtMs));
      tables.queue.set(seq, {
        shard: number(row.shard),
        numberId: number(row.number_id),
        flowId: number(row.flow_id),
        contact: person.key,
        seq,
        xid,
        acceptedBy,
        messageId,
        acceptedAtMs,
        expiresAtMs: time(row.expires_at),
        attempt: 0,
        unknownCount: 0,
        dueAtMs: null,
        holdUntilMs: null,
        attemptedAtMs: null,
        cancelledAtMs: null,
        marketing: row.marketing === true ? true : null,
        traceparent: textOrNull(row.traceparent),
      });
    });
    return { message_id: messageId, seq, contact: Number(person.key), journaled: false };
  });
}

/** Returns the place of a message's name among the stored ones. */
function nameOf(row: Input): string {
  const name = textOrNull(row.user_id) ?? text(row.contact);
  return aliasKey(text(row.organization_id), text(row.waba_id), name);
}

/** The person of a message, given the stored name; `name` is null if it is the number's own. */
function personOf(row: Input, stored: AliasRow | undefined): { key: string; name: string | null } {
  const contact = text(row.contact);
  if (stored === undefined) return { key: contact, name: null };
  const own = row.recipient === null ? stored.person : contact;
  return { key: stored.person, name: stored.personName === own ? null : stored.personName };
}

function messageOf(row: Input, person: { key: string; name: string | null }, acceptedAtMs: number): MessageRow {
  return {
    organizationId: text(row.organization_id),
    id: text(row.id),
    numberId: number(row.number_id),
    direction: 0,
    contact: textOrNull(row.recipient) ?? person.key,
    person: person.name,
    userId: textOrNull(row.user_id),
    type: text(row.type),
    templateName: textOrNull(row.template_name),
    templateLanguage: textOrNull(row.template_language),
    category: text(row.category),
    pricingType: null,
    pricingRank: 0,
    priceMicros: number(row.price_micros),
    country: text(row.country),
    prices: textOrNull(row.prices),
    apiKeyId: text(row.api_key_id),
    body: text(row.body),
    callbackData: textOrNull(row.callback_data),
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
  const organizationId = text(row.organization_id);
  return [
    { organizationId, month, metric: 'accepted', amount: 1 },
    { organizationId, month, metric: `category:${text(row.category)}`, amount: 1 },
    { organizationId, month, metric: 'spent_micros', amount: number(row.price_micros) },
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
  return KEYS.parse(values)
    .filter((key) => tables.idempotency.has(keyOf(key)))
    .map((key) => ({ organizationId: key.organization_id, numberId: key.number_id, keyDigest: key.key_digest }));
});

const findReplay = reading(({ tables }, values) => {
  const claim = tables.idempotency.get(idempotencyKey(text(values[0]), number(values[1]), text(values[2])));
  return claim === undefined ? [] : [{ message_id: claim.messageId, fingerprint: claim.fingerprint }];
});

const findStored = reading(({ tables }, values) => {
  return STORED.parse(values)
    .filter(({ id }) => tables.messages.has(text(id)))
    .map(({ id }) => ({ id }));
});

const findSettled = reading(({ tables }, values) => {
  return WAITING.parse(values).flatMap(({ id }) => {
    const message = tables.messages.get(text(id));
    if (message === undefined || message.status === 0) return [];
    const { wamid, upstreamStatus, errorCode, errorMessage } = message;
    return [
      { messageId: id, wamid, upstreamStatus, errorCode, errorMessage, errorUserTitle: null, errorUserMsg: null },
    ];
  });
});

export const acceptanceStatements: Record<string, StatementModel> = {
  message_accept: accept,
  message_accept_keyed: acceptKeyed,
  message_accept_journaled: journaling(accept, ACCEPTED.next, JOURNAL),
  message_accept_keyed_journaled: journaling(acceptKeyed, ACCEPTED_KEYED.next, JOURNAL_KEYED),
  usage_lock_accepted: lockUsage,
  usage_read_for_plan: readUsage,
  idempotency_find_taken: findTaken,
  idempotency_find: findReplay,
  message_find_stored: findStored,
  message_find_settled: findSettled,
};
