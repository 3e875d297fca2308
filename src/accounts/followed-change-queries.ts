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
