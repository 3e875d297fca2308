import { arrayTable } from '../database/batching/array-table.ts';
import type { Queryable } from '../database/database.ts';
import { UNPARKED } from './follow/parking-queries.ts';

/**
 * Locks a WABA that is about to end; returns false if the organization does not have it. Must come first in the transaction, so that it
 * waits for other writers without holding locks. They all lock the WABA first, or only one number or template.
 */
export async function lockWabaToEnd(tx: Queryable, organizationId: string, wabaId: string): Promise<boolean> {
  const rows = await tx.query({
    text: 'SELECT waba_id FROM waba WHERE organization_id = $1 AND waba_id = $2 FOR UPDATE',
    values: [organizationId, wabaId],
  });
  return rows.length > 0;
}

/** Deletes a WABA without numbers or templates, and its sealed token. */
export async function deleteWaba(tx: Queryable, organizationId: string, wabaId: string): Promise<void> {
  await tx.query({
    text: 'DELETE FROM waba WHERE organization_id = $1 AND waba_id = $2',
    values: [organizationId, wabaId],
  });
}

/**
 * Locks the numbers of these WABAs, which the caller has locked, and those with these upstream ids, of any organization. Must come before
 * they are written. Locks in one order: without this, two transactions could deadlock when a number moves between WABAs.
 */
export async function lockNumbers(
  tx: Queryable,
  wabaIds: readonly string[],
  phoneNumberIds: readonly string[] = [],
): Promise<void> {
  await tx.query({
    text: `
      SELECT FROM sending_number WHERE number_id = ANY (ARRAY (
        SELECT n.number_id FROM waba w JOIN sending_number n USING (organization_id, waba_id) WHERE w.waba_id = ANY ($1::text[])
        UNION ALL
        SELECT number_id FROM sending_number WHERE phone_number_id = ANY ($2::text[])))
      ORDER BY number_id FOR NO KEY UPDATE`,
    values: [wabaIds, phoneNumberIds],
  });
}

/** SET clause of a release: a later connect can use its ids, and nothing makes its messages wait. */
const RELEASE = `
  former_phone_number_id = phone_number_id, phone_number_id = NULL, former_waba_id = waba_id, waba_id = NULL,
  released_at = $1, updated_at = $1, registered = false, paused = false, ${UNPARKED}`;

/** Releases all numbers of a WABA, which the caller has locked. Returns their upstream ids. */
export async function releaseNumbers(
  tx: Queryable,
  organizationId: string,
  wabaId: string,
  now: Date,
): Promise<string[]> {
  const rows = await tx.query<{ phoneNumberId: string }>({
    text: `
      UPDATE sending_number SET ${RELEASE}
      WHERE organization_id = $2 AND waba_id = $3
      RETURNING former_phone_number_id AS "phoneNumberId"`,
    values: [now, organizationId, wabaId],
  });
  return rows.map((row) => row.phoneNumberId);
}

/** A number and the WABA under which it is stored here. */
export interface KnownNumber {
  organizationId: string;
  wabaId: string;
  phoneNumberId: string;
}

/** Lists the connected numbers with these upstream ids that another organization has. */
export async function listForeignNumbers(
  db: Queryable,
  organizationId: string,
  phoneNumberIds: readonly string[],
): Promise<KnownNumber[]> {
  return await db.query<KnownNumber>({
    text: `
      SELECT organization_id AS "organizationId", waba_id AS "wabaId", phone_number_id AS "phoneNumberId"
      FROM sending_number
      WHERE phone_number_id = ANY ($2::text[]) AND organization_id <> $1
      ORDER BY number_id`,
    values: [organizationId, phoneNumberIds],
  });
}

/** The numbers of a statement, after the time now. */
const MOVED = arrayTable<KnownNumber>(2)({
  organization_id: ['uuid', (number) => number.organizationId],
  waba_id: ['text', (number) => number.wabaId],
  phone_number_id: ['text', (number) => number.phoneNumberId],
});

/** Releases these numbers if they still belong to the given WABAs. The caller has locked them. */
export async function releaseMoved(tx: Queryable, moved: readonly KnownNumber[], now: Date): Promise<void> {
  await tx.query({
    text: `
      UPDATE sending_number SET ${RELEASE}
      WHERE (${MOVED.names}) IN (SELECT * FROM ${MOVED.from('moved')})`,
    values: [now, ...MOVED.values(moved)],
  });
}

/** An organization that has or had a number. */
export interface NumberOwner {
  organizationId: string;
  /** Time of its release, epoch ms; infinity while the organization has the number. */
  untilMs: number;
}

/**
 * Lists, for each of these upstream ids, the organizations whose messages were sent from the number: its present owner, then former owners,
 * the last one first.
 */
export async function listNumberOwners(
  db: Queryable,
  phoneNumberIds: readonly string[],
): Promise<Map<string, NumberOwner[]>> {
  const rows = await db.query<NumberOwner & { phoneNumberId: string }>({
    name: 'sending_number_list_owners',
    text: `
      SELECT "phoneNumberId", organization_id AS "organizationId", extract(epoch FROM max(until))::float8 * 1000 AS "untilMs" FROM (
        SELECT phone_number_id AS "phoneNumberId", organization_id, timestamptz 'infinity' AS until
        FROM sending_number WHERE phone_number_id = ANY ($1::text[])
        UNION ALL
        SELECT former_phone_number_id, organization_id, released_at
        FROM sending_number WHERE former_phone_number_id = ANY ($1::text[])
      ) had
      GROUP BY "phoneNumberId", organization_id
      ORDER BY max(until) DESC`,
    values: [phoneNumberIds],
  });
  return Map.groupBy(rows, (row) => row.phoneNumberId);
}

/** Returns the small ids under which an organization has or had the number with this upstream id. */
export async function listNumberIds(db: Queryable, organizationId: string, phoneNumberId: string): Promise<number[]> {
  const rows = await db.query<{ numberId: number }>({
    name: 'sending_number_list_ids',
    text: `
      SELECT number_id AS "numberId" FROM sending_number WHERE organization_id = $1 AND phone_number_id = $2
      UNION ALL
      SELECT number_id FROM sending_number WHERE organization_id = $1 AND former_phone_number_id = $2`,
    values: [organizationId, phoneNumberId],
  });
  return rows.map((row) => row.numberId);
}
