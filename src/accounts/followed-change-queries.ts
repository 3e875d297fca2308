import type { Queryable } from '../database/database.ts';
import type { NumberUpdate } from './account-change.ts';
import type { Parked } from './sending-number.ts';

/** Whose WABAs these are; those nobody has connected are left out. */
export async function listWabaOwners(tx: Queryable, wabaIds: readonly string[]): Promise<Map<string, string>> {
  const rows = await tx.query<{ wabaId: string; organizationId: string }>({
    name: 'waba_list_owners',
    text: 'SELECT waba_id AS "wabaId", organization_id AS "organizationId" FROM waba WHERE waba_id = ANY ($1::text[])',
    values: [wabaIds],
  });
  return new Map(rows.map(({ wabaId, organizationId }) => [wabaId, organizationId]));
}

/** Which numbers the upstream means by these ids, and whose they are; those nobody has connected are left out. */
export async function listNumberOwners(
  tx: Queryable,
  phoneNumberIds: readonly string[],
): Promise<Map<string, { numberId: number; organizationId: string }>> {
  const rows = await tx.query<{ phoneNumberId: string; numberId: number; organizationId: string }>({
    name: 'sending_number_list_owners',
    text: `
      SELECT phone_number_id AS "phoneNumberId", number_id AS "numberId", organization_id AS "organizationId"
      FROM sending_number WHERE phone_number_id = ANY ($1::text[])`,
    values: [phoneNumberIds],
  });
  return new Map(rows.map((row) => [row.phoneNumberId, row]));
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

/** Parks a WABA whatever its token, until a moment or until someone acts. */
export async function parkWabaUntil(
  tx: Queryable,
  wabaId: string,
  parked: Parked,
  until: Date | null,
  now: Date,
): Promise<void> {
  await tx.query({
    text: `
      UPDATE waba SET parked_code = $2, parked_reason = $3, parked_at = $4, parked_until = $5 WHERE waba_id = $1`,
    values: [wabaId, parked.code, parked.reason, now, until],
  });
}

/** Parks a number, until a moment or until someone acts. */
export async function parkNumberUntil(
  tx: Queryable,
  phoneNumberId: string,
  parked: Parked,
  until: Date | null,
  now: Date,
): Promise<void> {
  await tx.query({
    text: `
      UPDATE sending_number SET parked_code = $2, parked_reason = $3, parked_at = $4, parked_until = $5
      WHERE phone_number_id = $1`,
    values: [phoneNumberId, parked.code, parked.reason, now, until],
  });
}

/** Ends the parking of a WABA and its numbers where it has one of these codes. */
export async function clearParkedWith(tx: Queryable, wabaId: string, codes: readonly string[]): Promise<void> {
  await tx.query({
    text: `
      WITH numbers AS (
        UPDATE sending_number SET parked_code = NULL, parked_reason = NULL, parked_at = NULL, parked_until = NULL
        WHERE waba_id = $1 AND parked_code = ANY ($2::text[])
      )
      UPDATE waba SET parked_code = NULL, parked_reason = NULL, parked_at = NULL, parked_until = NULL
      WHERE waba_id = $1 AND parked_code = ANY ($2::text[])`,
    values: [wabaId, codes],
  });
}

/** Ends parkings with this code whose time has come. Gives the WABAs concerned, by their own parking or by a number's. */
export async function clearParkedPast(tx: Queryable, code: string, now: Date): Promise<string[]> {
  const rows = await tx.query<{ wabaId: string }>({
    text: `
      WITH numbers AS (
        UPDATE sending_number SET parked_code = NULL, parked_reason = NULL, parked_at = NULL, parked_until = NULL
        WHERE parked_code = $1 AND parked_until <= $2
        RETURNING waba_id
      ), wabas AS (
        UPDATE waba SET parked_code = NULL, parked_reason = NULL, parked_at = NULL, parked_until = NULL
        WHERE parked_code = $1 AND parked_until <= $2
        RETURNING waba_id
      )
      SELECT waba_id AS "wabaId" FROM wabas UNION SELECT waba_id FROM numbers`,
    values: [code, now],
  });
  return rows.map((row) => row.wabaId);
}
