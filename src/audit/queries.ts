import type { Queryable } from '../database/database.ts';
import { firstRow } from '../database/first-row.ts';
import type { ChainPlace } from './chain-check.ts';
import { type ChainRow, FIRST_DIGEST, type RowHead } from './entry.ts';
import { readCheckpoint } from './stored-facts.ts';

/**
 * Appends a row to a chain and returns its place. The row of the chain's end is locked until the transaction ends, so rows of one chain
 * are stored one after the other and each digest follows from the one before.
 */
export async function appendRow(db: Queryable, chain: string, head: RowHead, facts: object): Promise<ChainPlace> {
  const rows = await db.query<{ sequence: number; digest: Buffer }>({
    name: 'audit_append',
    text: `
      WITH place AS (
        INSERT INTO audit_chain AS c (chain, last_sequence, last_digest)
        VALUES ($1, 1, sha256($7::bytea || convert_to('1 ' || $6::text, 'UTF8')))
        ON CONFLICT (chain) DO UPDATE
          SET last_sequence = c.last_sequence + 1,
              last_digest = sha256(c.last_digest || convert_to((c.last_sequence + 1)::text || ' ' || $6::text, 'UTF8'))
        RETURNING last_sequence, last_digest
      )
      INSERT INTO audit_entry (chain, sequence, id, at, kind, of_sequence, facts, digest)
      SELECT $1, last_sequence, $2, $3, $4, $5, $6, last_digest FROM place
      RETURNING sequence, digest`,
    values: [
      chain,
      head.id,
      new Date(head.at),
      head.kind,
      head.of_sequence,
      JSON.stringify({ ...head, ...facts }),
      FIRST_DIGEST,
    ],
  });
  return firstRow(rows);
}

/** Conditions of a list of changes; undefined members do not narrow it. */
export interface ChangeSearch {
  chain: string | undefined;
  /** Range of ids: [fromId, beforeId). */
  fromId: string;
  beforeId: string;
  operation: string | undefined;
  actorId: string | undefined;
  objectId: string | undefined;
  limit: number;
}

/** A change with its result, both as text. The result is missing while the change is in progress, or after a crash. */
export interface StoredChange {
  id: string;
  chain: string;
  sequence: number;
  at: Date;
  digest: Buffer;
  facts: string;
  result: string | null;
}

/**
 * Returns changes newest first. Filters let through every row with the quoted text, so the caller compares the members. A cast to `jsonb`
 * would fail the whole list for one row with an escaped NUL, which JSON permits.
 */
export async function listChanges(db: Queryable, search: ChangeSearch): Promise<StoredChange[]> {
  const { chain, fromId, beforeId, operation, actorId, objectId, limit } = search;
  return db.query({
    text: `
      SELECT c.id, c.chain, c.sequence, c.at, c.digest, c.facts, r.facts AS result
      FROM audit_entry c
      LEFT JOIN LATERAL (
        SELECT facts FROM audit_entry r WHERE r.chain = c.chain AND r.of_sequence = c.sequence LIMIT 1
      ) r ON true
      WHERE c.kind = 'change' AND c.id >= $1 AND c.id < $2 AND ($3::uuid IS NULL OR c.chain = $3)
        AND ($4::text IS NULL OR strpos(c.facts, '"' || $4 || '"') > 0)
        AND ($5::text IS NULL OR strpos(c.facts, '"' || $5 || '"') > 0)
        AND ($6::text IS NULL OR strpos(concat(c.facts, r.facts), '"' || $6 || '"') > 0)
      ORDER BY c.id DESC LIMIT $7`,
    values: [fromId, beforeId, chain, operation, actorId, objectId, limit],
  });
}

/** Returns the end of a chain as stored beside it; undefined for a chain without rows. */
export async function findChainEnd(db: Queryable, chain: string): Promise<ChainPlace | undefined> {
  const rows = await db.query<{ sequence: number; digest: Buffer }>({
    text: 'SELECT last_sequence AS sequence, last_digest AS digest FROM audit_chain WHERE chain = $1',
    values: [chain],
  });
  return rows[0];
}

/** Returns the place up to which the last checkpoint of a chain states rows as deleted; undefined if none were, or it cannot be read. */
export async function findCheckpoint(db: Queryable, chain: string): Promise<ChainPlace | undefined> {
  const rows = await db.query<{ facts: string }>({
    text: `SELECT facts FROM audit_entry WHERE chain = $1 AND kind = 'checkpoint' ORDER BY sequence DESC LIMIT 1`,
    values: [chain],
  });
  const checkpoint = rows[0] && readCheckpoint(rows[0].facts);
  return checkpoint && { sequence: checkpoint.deleted_up_to, digest: Buffer.from(checkpoint.digest, 'hex') };
}

/** Returns the next rows of a chain after a sequence, up to another. */
export async function listRows(
  db: Queryable,
  chain: string,
  { after, upTo, limit }: { after: number; upTo: number; limit: number },
): Promise<ChainRow[]> {
  return db.query({
    text: `
      SELECT sequence, id, at, kind, of_sequence AS "ofSequence", facts, digest
      FROM audit_entry WHERE chain = $1 AND sequence > $2 AND sequence <= $3 ORDER BY sequence LIMIT $4`,
    values: [chain, after, upTo, limit],
  });
}

/** Returns chains with a row before `before`. */
export async function listChainsBefore(db: Queryable, before: Date): Promise<string[]> {
  const rows = await db.query<{ chain: string }>({
    text: 'SELECT DISTINCT chain FROM audit_entry WHERE at < $1',
    values: [before],
  });
  return rows.map(({ chain }) => chain);
}

/** Locks a chain's end until the transaction ends. */
export async function lockChain(tx: Queryable, chain: string): Promise<void> {
  await tx.query({ text: 'SELECT FROM audit_chain WHERE chain = $1 FOR UPDATE', values: [chain] });
}

/**
 * Deletes rows from a locked chain's beginning, all before `before` and at most `limit`, but never the last row. Returns the place of
 * the last deleted row; undefined if there was none.
 */
export async function deleteBeginning(
  tx: Queryable,
  chain: string,
  before: Date,
  limit: number,
): Promise<ChainPlace | undefined> {
  const rows = await tx.query<{ sequence: number; digest: Buffer }>({
    text: `
      WITH beginning AS (
        SELECT sequence, at FROM audit_entry WHERE chain = $1 ORDER BY sequence LIMIT $3
      ),
      past AS (
        SELECT sequence FROM beginning
        WHERE sequence < coalesce((SELECT min(sequence) FROM beginning WHERE at >= $2), 9223372036854775807)
          AND sequence < (SELECT last_sequence FROM audit_chain WHERE chain = $1)
      ),
      deleted AS (
        DELETE FROM audit_entry e USING past p WHERE e.chain = $1 AND e.sequence = p.sequence
        RETURNING e.sequence, e.digest
      )
      SELECT sequence, digest FROM deleted ORDER BY sequence DESC LIMIT 1`,
    values: [chain, before, limit],
  });
  return rows[0];
}
