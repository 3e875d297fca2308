import { arrayTable, type Columns } from '../../database/batching/array-table.ts';
import type { Queryable } from '../../database/database.ts';
import { type AcceptanceJournal, acceptanceJournal } from '../../dispatch/index.ts';
import { addEvents, eventTypeNumber } from '../../events/index.ts';
import { addUsage, billingMonth, metricRows } from '../../organizations/index.ts';

/** A message ready to be stored, with every decision of its acceptance. */
export interface AcceptedMessage {
  id: string;
  organizationId: string;
  numberId: number;
  shard: number;
  flowId: number;
  /** The account of the number. */
  wabaId: string;
  /** Conversation key of the recipient's number, or the key of the person with the user id. */
  contact: string;
  /** Digits; undefined if the message is to a user id. */
  recipient: string | undefined;
  userId: string | undefined;
  type: string;
  templateName: string | undefined;
  templateLanguage: string | undefined;
  category: string;
  priceMicros: number;
  /** ISO 3166; empty if unknown. */
  country: string;
  /** Prices that settle it, a JSON object; undefined for the default prices. */
  prices: string | undefined;
  body: string;
  callbackData: string | undefined;
  /** `null` for an operator. */
  apiKeyId: string | null;
  idempotency: { keyDigest: string; fingerprint: string } | undefined;
  expiresAtMs: number;
  /** W3C trace context that the dispatch belongs to. */
  traceparent: string | undefined;
  /** True if the sender has chosen `/marketing_messages`. */
  marketing?: boolean | undefined;
}

/** The accepting process, and the journal that the messages' acceptance writes, if it does. */
export interface AcceptScope {
  /** The accepting process, stored in the queue row so that it need not discover its own rows. */
  nodeId: string;
  nowMs: number;
  journal?: AcceptanceJournal | undefined;
}

/** A message's place in the queue. */
export interface QueuePlace {
  seq: number;
  /** The key of the message's person. */
  contact: string;
  /** True if the message is journaled, and may be sent. */
  isJournaled: boolean;
}

/**
 * Accepts a batch in one statement and therefore one commit: claims the idempotency keys, stores messages, queue rows and events, and
 * counts usage; with `journal`, it journals the messages as well. Returns each stored message's place in the queue: its sequence number, and
 * the key of its person as of now. A message without a place is a replay: an earlier message, of an earlier call or of this batch, holds its
 * key.
 *
 * The claims decide which messages are stored, so every other part reads from `stored`, never from the input. Queue rows are inserted in
 * the given order, because `seq` is the order of a recipient's messages. Counters are locked in key order; without this, two batches could
 * deadlock. Stored names of people are locked, so that no row appears under a key that a merge has given up.
 */
export async function insertAccepted(
  db: Queryable,
  scope: AcceptScope,
  batch: AcceptedMessage[],
): Promise<Map<string, QueuePlace>> {
  const { nodeId, nowMs, journal } = scope;
  const isKeyed = batch.some((message) => message.idempotency !== undefined);
  const statement = STATEMENTS[isKeyed ? 'keyed' : 'plain'][journal === undefined ? 'queued' : 'journaled'];
  const rows = await db.query<{ message_id: string; seq: number; contact: number; journaled: boolean }>({
    ...statement,
    values: [
      nodeId,
      new Date(nowMs),
      billingMonth(nowMs),
      ...(isKeyed ? ACCEPTED_KEYED : ACCEPTED).values(batch),
      ...(journal === undefined ? [] : (isKeyed ? JOURNAL_KEYED : JOURNAL).values(journal)),
    ],
  });
  return new Map(
    rows.map((row) => [row.message_id, { seq: row.seq, contact: String(row.contact), isJournaled: row.journaled }]),
  );
}

const MESSAGE = {
  id: ['uuid', (message) => message.id],
  organization_id: ['uuid', (message) => message.organizationId],
  number_id: ['int', (message) => message.numberId],
  shard: ['smallint', (message) => message.shard],
  flow_id: ['int', (message) => message.flowId],
  contact: ['bigint', (message) => message.contact],
  recipient: ['bigint', (message) => message.recipient],
  type: ['text', (message) => message.type],
  template_name: ['text', (message) => message.templateName],
  template_language: ['text', (message) => message.templateLanguage],
  category: ['text', (message) => message.category],
  price_micros: ['bigint', (message) => message.priceMicros],
  body: ['text', (message) => message.body],
  callback_data: ['text', (message) => message.callbackData],
  api_key_id: ['uuid', (message) => message.apiKeyId],
  expires_at: ['timestamptz', (message) => new Date(message.expiresAtMs)],
  traceparent: ['text', (message) => message.traceparent],
  country: ['text', (message) => message.country],
  prices: ['jsonb', (message) => message.prices],
  waba_id: ['text', (message) => message.wabaId],
  user_id: ['text', (message) => message.userId],
  marketing: ['boolean', (message) => message.marketing],
} satisfies Columns<AcceptedMessage>;

/** The number of the first parameter after the node, the time and the billing month. */
const MESSAGES_AT = 4;
export const ACCEPTED = arrayTable<AcceptedMessage>(MESSAGES_AT)(MESSAGE);
export const ACCEPTED_KEYED = arrayTable<AcceptedMessage>(MESSAGES_AT)({
  ...MESSAGE,
  key_digest: ['uuid', (message) => message.idempotency?.keyDigest],
  fingerprint: ['uuid', (message) => message.idempotency?.fingerprint],
});

const STORE = `
  message_row AS (
    INSERT INTO message (organization_id, id, number_id, direction, contact, type, template_name, template_language, category,
                         price_micros, body, callback_data, api_key_id, status, accepted_at, country, prices, person, user_id)
    SELECT organization_id, id, number_id, 0, coalesce(recipient, key), type, template_name, template_language, category,
           price_micros, body, callback_data, api_key_id, 0, $2, country, prices,
           nullif(person_name, (CASE WHEN recipient IS NULL THEN key ELSE contact END)::text), user_id
    FROM stored
  ),
  event_row AS (
    ${addEvents('stored', {
      organization_id: 'organization_id',
      subject_id: 'id',
      number_id: 'number_id',
      type: eventTypeNumber('message.queued'),
      sequence: '1',
      occurred_at: '$2',
      category: 'category',
    })}
  ),
  usage_row AS (
    ${addUsage(`
      SELECT organization_id, $3::date AS month, metric, amount
      FROM (
        -- Groups messages before the LATERAL join, because most messages of a batch have equal values.
        SELECT organization_id, category, count(*) AS messages, sum(price_micros) AS spent
        FROM stored GROUP BY organization_id, category
      ) alike, ${metricRows([
        ['accepted', 'messages'],
        ['byCategory', 'category', 'messages'],
        ['spentMicros', 'spent'],
      ])}`)}
  )`;
const QUEUE = `
  INSERT INTO send_queue (shard, number_id, flow_id, contact, accepted_by, message_id, accepted_at, expires_at, traceparent, marketing)
  SELECT shard, number_id, flow_id, key, $1, id, $2, expires_at, traceparent, marketing FROM stored ORDER BY ord
  RETURNING message_id, seq, contact`;

/** The end of a statement that queues its messages. */
const queued = `${STORE}
  ${QUEUE}, false AS journaled`;

/** The end of a statement that queues its messages and journals them. */
const queuedAndJournaled = (journal: string) => `${STORE},
  queued AS (
    ${QUEUE}, shard, number_id, flow_id
  ),
  ${journal}
  SELECT message_id, seq, contact, EXISTS (SELECT FROM journal j WHERE q.seq = ANY (j.seqs)) AS journaled FROM queued q`;

/**
 * Adds to each message the present person of its name: `key`, and `person_name`, null if it is the number's own. Stored names are locked. If
 * a merge holds the lock, its end is awaited and the new person found. A merge never waits for these locks, so their order is free.
 */
const withPeople = (messages: string) => `
  SELECT i.*, coalesce(a.person, i.contact) AS key, a.person_name
  FROM (${messages}) i
  LEFT JOIN LATERAL (
    SELECT p.person, p.person_name FROM person_alias p
    WHERE p.organization_id = i.organization_id AND p.alias = coalesce(i.user_id, i.contact::text)
      -- Without IS TRUE, a plan made for an empty table may search the account's names by the index of people.
      AND (p.waba_id = i.waba_id) IS TRUE
    FOR KEY SHARE
  ) a ON true`;

const PLAIN = `
  WITH stored AS MATERIALIZED (${withPeople(ACCEPTED.rows('ord'))}),`;

const KEYED = `
  WITH input AS MATERIALIZED (${withPeople(ACCEPTED_KEYED.rows('ord'))}),
  claimed AS (
    INSERT INTO idempotency_key (organization_id, number_id, key_digest, fingerprint, message_id, created_at)
    SELECT organization_id, number_id, key_digest, fingerprint, id, $2
    FROM input WHERE key_digest IS NOT NULL
    ORDER BY organization_id, number_id, key_digest, ord
    ON CONFLICT DO NOTHING
    RETURNING message_id
  ),
  stored AS MATERIALIZED (
    SELECT * FROM input WHERE key_digest IS NULL OR id IN (SELECT message_id FROM claimed)
  ),`;

export const JOURNAL = acceptanceJournal(ACCEPTED.next);
export const JOURNAL_KEYED = acceptanceJournal(ACCEPTED_KEYED.next);
const STATEMENTS = {
  plain: {
    queued: { name: 'message_accept', text: `${PLAIN} ${queued}` },
    journaled: { name: 'message_accept_journaled', text: `${PLAIN} ${queuedAndJournaled(JOURNAL.sql)}` },
  },
  keyed: {
    queued: { name: 'message_accept_keyed', text: `${KEYED} ${queued}` },
    journaled: { name: 'message_accept_keyed_journaled', text: `${KEYED} ${queuedAndJournaled(JOURNAL_KEYED.sql)}` },
  },
};

export const STORED = arrayTable<Pick<AcceptedMessage, 'organizationId' | 'id'>>()({
  organization_id: ['uuid', (message) => message.organizationId],
  id: ['uuid', (message) => message.id],
});

/** Returns the ids of the batch's messages that exist. Used after a commit in doubt, and after a failover. */
export async function findStored(
  db: Queryable,
  batch: readonly Pick<AcceptedMessage, 'organizationId' | 'id'>[],
): Promise<Set<string>> {
  const rows = await db.query<{ id: string }>({
    name: 'message_find_stored',
    text: `
      SELECT m.id FROM ${STORED.from('a')}
      JOIN message m USING (organization_id, id)`,
    values: STORED.values(batch),
  });
  return new Set(rows.map((row) => row.id));
}
