import type { Queryable } from '../database/database.ts';
import type { NumberUpdate } from './account-change.ts';

/** Whose WABAs these are; those nobody has connected are left out. */
export async function listWabaOwners(tx: Queryable, wabaIds: readonly string[]): Promise<Map<string, string>> {
  const rows = await tx.query<{ wabaId: string; organizationId: string }>({
    name: 'waba_list_owners',
    text: 'SELECT waba_id AS "wabaId", organization_id AS "organizationId" FROM waba WHERE waba_id = ANY ($1::text[])',
    values: [wabaIds],
  });
  return new Map(rows.map(({ wabaId, organizationId }) => [wabaId, organizationId]));
}

/** A number as the upstream names it: by its id, or by its digits within a WABA. */
export interface NamedNumber {
  organizationId: string;
  wabaId: string;
  phoneNumberId: string | undefined;
  phoneNumber: string | undefined;
}

/** Our small ids of numbers so named, in their order; undefined for one the organization does not have. */
export async function findNamedNumbers(tx: Queryable, named: readonly NamedNumber[]): Promise<(number | undefined)[]> {
  const rows = await tx.query<{ place: number; numberId: number }>({
    name: 'sending_number_find_named',
    text: `
      SELECT i.place::int AS place, n.number_id AS "numberId"
      FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[]) WITH ORDINALITY
        AS i(organization_id, waba_id, phone_number_id, phone_number, place)
      JOIN sending_number n ON n.organization_id = i.organization_id AND CASE
        WHEN i.phone_number_id IS NOT NULL THEN n.phone_number_id = i.phone_number_id
        ELSE n.waba_id = i.waba_id AND n.phone_number = i.phone_number
      END`,
    values: [
      named.map((number) => number.organizationId),
      named.map((number) => number.wabaId),
      named.map((number) => number.phoneNumberId),
      named.map((number) => number.phoneNumber),
    ],
  });
  const numberIds = new Map(rows.map(({ place, numberId }) => [place - 1, numberId]));
  return named.map((_, index) => numberIds.get(index));
}

/** What may make an account's messages wait because the upstream says so. Of each its last word counts. */
export type StandingMatter = 'ban' | 'review';

/** Notes that the upstream told of a WABA's ban or review at `told`. False when it has told of a later moment already. */
export async function noteWabaStanding(
  tx: Queryable,
  wabaId: string,
  matter: StandingMatter,
  told: Date,
): Promise<boolean> {
  const column = { ban: 'ban_told_at', review: 'review_told_at' }[matter];
  const rows = await tx.query({
    text: `UPDATE waba SET ${column} = $2 WHERE waba_id = $1 AND coalesce(${column} <= $2, true) RETURNING 1`,
    values: [wabaId, told],
  });
  return rows.length > 0;
}

/** Notes that the upstream told of a number's ban at `told`. False when it has told of a later moment already, of the number or its WABA. */
export async function noteNumberStanding(tx: Queryable, phoneNumberId: string, told: Date): Promise<boolean> {
  const rows = await tx.query({
    text: `
      UPDATE sending_number n SET ban_told_at = $2
      FROM waba w
      WHERE n.phone_number_id = $1 AND w.organization_id = n.organization_id AND w.waba_id = n.waba_id
        AND coalesce(greatest(n.ban_told_at, w.ban_told_at) <= $2, true)
      RETURNING 1`,
    values: [phoneNumberId, told],
  });
  return rows.length > 0;
}

/** Sets what the upstream told about numbers; what it did not tell stays. Gives the upstream ids of those it changes anything for. */
export async function updateToldNumbers(
  tx: Queryable,
  phoneNumberIds: readonly string[],
  update: NumberUpdate,
  now: Date,
): Promise<string[]> {
  const rows = await tx.query<{ phoneNumberId: string }>({
    text: `
      UPDATE sending_number
      SET throughput_level = coalesce($2, throughput_level), messaging_limit = coalesce($3, messaging_limit),
        verified_name = coalesce($4, verified_name), updated_at = $5
      WHERE phone_number_id = ANY ($1::text[])
        AND (coalesce($2, throughput_level), coalesce($3, messaging_limit), coalesce($4, verified_name))
          IS DISTINCT FROM (throughput_level, messaging_limit, verified_name)
      RETURNING phone_number_id AS "phoneNumberId"`,
    values: [phoneNumberIds, update.throughputLevel, update.messagingLimit, update.verifiedName, now],
  });
  return rows.map((row) => row.phoneNumberId);
}
