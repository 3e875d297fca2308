import { wamidDigest } from '../../core/ids.ts';
import type { Queryable } from '../../database/database.ts';
import type { OwnedStatus } from './status-input.ts';

/** A status of a message that another system sent from a number of the organization. */
export interface ElsewhereStatus extends OwnedStatus {
  numberId: number;
  wabaId: string;
  /** Digits of the sending number. */
  phoneNumber: string;
}

/**
 * Returns the statuses whose messages other systems sent: their wamids are unknown, and no send of the gateway to this person waits or is
 * in flight, which has a queue row until its wamid is recorded. One statement looks for both; between two, a send could end. A status that
 * names no phone number is left out.
 */
export async function listElsewhereStatuses(
  tx: Queryable,
  statuses: readonly OwnedStatus[],
): Promise<ElsewhereStatus[]> {
  const rows = await tx.query<{ place: number; numberId: number; wabaId: string; phoneNumber: string }>({
    name: 'status_list_elsewhere',
    text: `
      SELECT u.place::int AS place, n.number_id AS "numberId", n.waba_id AS "wabaId", n.phone_number AS "phoneNumber"
      FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::bigint[]) WITH ORDINALITY
        AS u(wamid_digest, organization_id, phone_number_id, contact, place)
      JOIN sending_number n ON n.phone_number_id = u.phone_number_id AND n.organization_id = u.organization_id
      WHERE u.contact IS NOT NULL
        -- OFFSET forces a look-up for each status, however few rows the planner expects.
        AND NOT EXISTS (SELECT FROM wamid_ref r WHERE r.wamid_digest = u.wamid_digest OFFSET 0)
        AND NOT EXISTS (
          SELECT FROM send_queue q
          WHERE q.number_id = n.number_id AND q.contact = coalesce((
            SELECT a.person FROM person_alias a
            WHERE a.organization_id = n.organization_id AND a.alias = u.contact::text AND a.waba_id = n.waba_id
          ), u.contact) OFFSET 0
        )
      ORDER BY u.place`,
    values: [
      statuses.map(({ wamid }) => wamidDigest(wamid)),
      statuses.map(({ organizationId }) => organizationId),
      statuses.map(({ phoneNumberId }) => phoneNumberId),
      statuses.map(({ contact }) => contact),
    ],
  });
  return rows.flatMap(({ place, ...number }) => {
    const status = statuses[place - 1];
    return status === undefined ? [] : [{ ...status, ...number }];
  });
}
