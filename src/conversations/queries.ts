import type { Queryable } from '../database/database.ts';
import { firstRow } from '../database/first-row.ts';

export interface ConversationKey {
  organizationId: string;
  numberId: number;
  /** conversation key, digits */
  contact: string;
}

/** Newest inbound time (epoch ms) per key, in order; undefined where nobody ever wrote. One statement for the whole set. */
export async function findLastInbound(db: Queryable, keys: ConversationKey[]): Promise<(number | undefined)[]> {
  const rows = await db.query<{ ord: number; last_inbound_at: Date }>({
    name: 'conversation_find_last_inbound',
    text: `
      SELECT k.ord, c.last_inbound_at
      FROM unnest($1::uuid[], $2::int[], $3::bigint[]) WITH ORDINALITY AS k(organization_id, number_id, contact, ord)
      JOIN conversation c USING (organization_id, number_id, contact)`,
    values: [keys.map((key) => key.organizationId), keys.map((key) => key.numberId), keys.map((key) => key.contact)],
  });
  const found: (number | undefined)[] = new Array(keys.length).fill(undefined);
  for (const row of rows) found[row.ord - 1] = row.last_inbound_at.getTime();
  return found;
}

/**
 * Moves windows forward: each key's newest inbound time becomes the later of what is known and what came (epoch ms). Keys must
 * be unique; they are locked in order, so that two sets cannot wait for each other.
 */
export async function recordInbound(tx: Queryable, inbound: (ConversationKey & { atMs: number })[]): Promise<void> {
  await tx.query({
    name: 'conversation_record_inbound',
    text: `
      INSERT INTO conversation (organization_id, number_id, contact, last_inbound_at)
      SELECT * FROM unnest($1::uuid[], $2::int[], $3::bigint[], $4::timestamptz[]) AS i(organization_id, number_id, contact, at)
      ORDER BY 1, 2, 3
      ON CONFLICT (organization_id, number_id, contact) DO UPDATE
        SET last_inbound_at = greatest(conversation.last_inbound_at, excluded.last_inbound_at)`,
    values: [
      inbound.map((item) => item.organizationId),
      inbound.map((item) => item.numberId),
      inbound.map((item) => item.contact),
      inbound.map((item) => new Date(item.atMs)),
    ],
  });
}

/**
 * Deletes those in these blocks of the table whose newest message came before `beforeMs` (epoch ms), but leaves rows that are being
 * changed. Answers whether the table goes on behind them. No index leads there by age: it would be written with every message.
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
