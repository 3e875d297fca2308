import type { Queryable } from '../database/database.ts';

/** State of an erasure: it waits for sends of the person to end, erases one kind of data after the other, and is done. */
type Phase = 'waiting' | 'payloads' | 'messages' | 'traces' | 'events' | 'done';

/** An erasure of one person's data. */
export interface Erasure {
  organizationId: string;
  id: string;
  phase: Phase;
  /** Phone numbers in every spelling, and user ids. The first one is the name that the request gave. */
  names: string[];
  /** Values of `contact` in messages. */
  contacts: string[];
  /** Keys in queues and windows. */
  keys: string[];
  readUntil: Date | null;
  readId: number | null;
  messages: number;
  events: number;
  payloads: number;
  requestedAt: Date;
  finishedAt: Date | null;
}

const FIELDS = `
  organization_id AS "organizationId", id, phase, names, contacts::text[] AS contacts, person_keys::text[] AS keys,
  read_until AS "readUntil", read_id AS "readId", messages, events, payloads, requested_at AS "requestedAt", finished_at AS "finishedAt"`;

/** Stores a new erasure. */
export async function insertErasure(
  tx: Queryable,
  erasure: Pick<Erasure, 'organizationId' | 'id' | 'names' | 'contacts' | 'keys' | 'requestedAt'>,
): Promise<void> {
  await tx.query({
    text: `
      INSERT INTO erasure (organization_id, id, phase, names, contacts, person_keys, requested_at)
      VALUES ($1, $2, 'waiting', $3, $4, $5, $6)`,
    values: [erasure.organizationId, erasure.id, erasure.names, erasure.contacts, erasure.keys, erasure.requestedAt],
  });
}

/** Returns an erasure of the organization; undefined for an unknown id. */
export async function findErasure(db: Queryable, organizationId: string, id: string): Promise<Erasure | undefined> {
  const rows = await db.query<Erasure & Record<string, unknown>>({
    text: `SELECT ${FIELDS} FROM erasure WHERE organization_id = $1 AND id = $2`,
    values: [organizationId, id],
  });
  return rows[0];
}

/** Returns the erasures that are not done, oldest first. */
export async function listOpenErasures(db: Queryable): Promise<Erasure[]> {
  return db.query<Erasure & Record<string, unknown>>({
    name: 'erasure_list_open',
    text: `SELECT ${FIELDS} FROM erasure WHERE finished_at IS NULL ORDER BY requested_at LIMIT 100`,
  });
}

/** Locks an erasure that is not done until `tx` ends; undefined if it is done, or if another node has it. */
export async function lockErasure(tx: Queryable, organizationId: string, id: string): Promise<Erasure | undefined> {
  const rows = await tx.query<Erasure & Record<string, unknown>>({
    name: 'erasure_lock',
    text: `
      SELECT ${FIELDS} FROM erasure
      WHERE organization_id = $1 AND id = $2 AND finished_at IS NULL FOR UPDATE SKIP LOCKED`,
    values: [organizationId, id],
  });
  return rows[0];
}

/** Stores how far a locked erasure has come. One that is done forgets the person's names. */
export async function storeProgress(tx: Queryable, erasure: Erasure, now: Date): Promise<void> {
  const isDone = erasure.phase === 'done';
  await tx.query({
    name: 'erasure_store_progress',
    text: `
      UPDATE erasure
      SET phase = $3, names = $4, contacts = $5, person_keys = $6, read_until = $7, read_id = $8, messages = $9, events = $10,
        payloads = $11, finished_at = $12
      WHERE organization_id = $1 AND id = $2`,
    values: [
      erasure.organizationId,
      erasure.id,
      erasure.phase,
      isDone ? [] : erasure.names,
      isDone ? [] : erasure.contacts,
      isDone ? [] : erasure.keys,
      erasure.readUntil,
      erasure.readId,
      erasure.messages,
      erasure.events,
      erasure.payloads,
      isDone ? now : null,
    ],
  });
}

/** Returns true if a person was erased within the time in which the platform still reports statuses. */
export async function hasErasures(db: Queryable): Promise<boolean> {
  const rows = await db.query({
    name: 'erasure_has_any',
    text: `SELECT FROM erasure WHERE requested_at > now() - interval '40 days' LIMIT 1`,
  });
  return rows.length > 0;
}

/** Returns those of the digests of wamids whose sent messages are blank. */
export async function listErasedDigests(db: Queryable, digests: readonly string[]): Promise<string[]> {
  const rows = await db.query<{ digest: string }>({
    name: 'erasure_list_erased_digests',
    // A sent message loses its wamid only by being blanked. The LATERAL looks up each message singly.
    text: `
      SELECT r.wamid_digest AS digest
      FROM wamid_ref r
      CROSS JOIN LATERAL (
        SELECT FROM message
        WHERE organization_id = r.organization_id AND id = r.message_id AND direction = 0 AND status <> 0 AND wamid IS NULL OFFSET 0
      ) m
      WHERE r.wamid_digest = ANY ($1::uuid[])`,
    values: [digests],
  });
  return rows.map(({ digest }) => digest);
}
