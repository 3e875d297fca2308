import { arrayTable, type Columns } from '../database/batching/array-table.ts';
import type { Queryable } from '../database/database.ts';
import { firstRow } from '../database/first-row.ts';

export interface ConversationKey {
  organizationId: string;
  numberId: number;
  /** Conversation key, digits. */
  contact: string;
}

/** A person's newest message of a batch. */
export interface Inbound extends ConversationKey {
  /** Time of the message, epoch ms. */
  atMs: number;
  /** The person's contact object as the platform reported it with the message: JSON text. */
  card: string | undefined;
}

const KEY = {
  organization_id: ['uuid', (key) => key.organizationId],
  number_id: ['int', (key) => key.numberId],
  contact: ['bigint', (key) => key.contact],
} satisfies Columns<ConversationKey>;
export const KEYS = arrayTable<ConversationKey>()(KEY);
export const INBOUND = arrayTable<Inbound>()({
  ...KEY,
  last_inbound_at: ['timestamptz', (inbound) => new Date(inbound.atMs)],
  contact_card: ['text', (inbound) => inbound.card],
});

/** Newest inbound time (epoch ms) per key, in order; undefined for a person that never wrote. One statement for all keys. */
export async function findLastInbound(db: Queryable, keys: ConversationKey[]): Promise<(number | undefined)[]> {
  const rows = await db.query<{ ord: number; last_inbound_at: Date }>({
    name: 'conversation_find_last_inbound',
    text: `
      SELECT k.ord, c.last_inbound_at
      FROM ${KEYS.from('k', 'ord')}
      JOIN conversation c USING (organization_id, number_id, contact)`,
    values: KEYS.values(keys),
  });
  const found: (number | undefined)[] = new Array(keys.length).fill(undefined);
  for (const row of rows) found[row.ord - 1] = row.last_inbound_at.getTime();
  return found;
}

/**
 * Moves windows forward: each key keeps the later of its stored and its new inbound time, and the newest contact object. Keys must be
 * unique. They are locked in order; without that, two batches could deadlock.
 */
export async function recordInbound(tx: Queryable, inbound: Inbound[]): Promise<void> {
  await tx.query({
    name: 'conversation_record_inbound',
    text: `
      INSERT INTO conversation (${INBOUND.names})
      SELECT ${INBOUND.names} FROM ${INBOUND.from('i')}
      ORDER BY organization_id, number_id, contact
      ON CONFLICT (organization_id, number_id, contact) DO UPDATE
        SET last_inbound_at = greatest(conversation.last_inbound_at, excluded.last_inbound_at),
            contact_card = CASE WHEN excluded.last_inbound_at >= conversation.last_inbound_at
                                THEN coalesce(excluded.contact_card, conversation.contact_card) ELSE conversation.contact_card END`,
    values: INBOUND.values(inbound),
  });
}

/** Newest contact object per key, in order, as JSON text; undefined if none is known. One statement for all keys. */
export async function findContactCards(db: Queryable, keys: ConversationKey[]): Promise<(string | undefined)[]> {
  const rows = await db.query<{ ord: number; card: string | null }>({
    name: 'conversation_find_cards',
    text: `
      SELECT k.ord, c.contact_card AS card
      FROM ${KEYS.from('k', 'ord')}
      JOIN conversation c USING (organization_id, number_id, contact)`,
    values: KEYS.values(keys),
  });
  const found: (string | undefined)[] = new Array(keys.length).fill(undefined);
  for (const row of rows) found[row.ord - 1] = row.card ?? undefined;
  return found;
}

/**
 * Deletes conversations in these blocks of the table whose newest message came before `beforeMs` (epoch ms), except rows that are being
 * changed. Returns true if the table has more blocks. Reads by block, because an index on age would be written with every message.
 */
export async function deletePast(
  db: Queryable,
  beforeMs: number,
  { firstBlock, blocks }: { firstBlock: number; blocks: number },
): Promise<boolean> {
  const endBlock = firstBlock + blocks;
  const rows = await db.query<{ goes_on: boolean }>({
    name: 'conversation_expire',
    text: `
      WITH past AS (
        DELETE FROM conversation WHERE ctid = ANY (ARRAY(
          SELECT ctid FROM conversation WHERE ctid >= $2::tid AND ctid < $3::tid AND last_inbound_at < $1 FOR UPDATE SKIP LOCKED
        ))
      )
      SELECT pg_relation_size('conversation') > $4 * current_setting('block_size')::bigint AS goes_on`,
    values: [new Date(beforeMs), `(${firstBlock},0)`, `(${endBlock},0)`, endBlock],
  });
  return firstRow(rows).goes_on;
}
