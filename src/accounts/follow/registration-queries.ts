import type { Queryable } from '../../database/database.ts';
import { UNPARKED } from './parking-queries.ts';

/** Calls that register or deregister a number, within the period in which the platform counts them. */
const CALLS_MAX = 10;
const PERIOD = "interval '72 hours'";

/** Holds for the calls of a number that the platform still counts at `now`. */
const countedAt = (now: string) =>
  `SELECT t FROM unnest(registration_calls) AS t WHERE t > ${now}::timestamptz - ${PERIOD}`;

/**
 * Counts a call that registers or deregisters a number. Returns null, or the time until which no more are allowed; then nothing is counted.
 */
export async function countRegistrationCall(
  db: Queryable,
  organizationId: string,
  phoneNumberId: string,
  now: Date,
): Promise<Date | null> {
  const counted = await db.query({
    text: `
      UPDATE sending_number SET registration_calls = ARRAY (${countedAt('$3')}) || $3::timestamptz
      WHERE organization_id = $1 AND phone_number_id = $2 AND (SELECT count(*) FROM (${countedAt('$3')}) AS c) < ${CALLS_MAX}
      RETURNING 1`,
    values: [organizationId, phoneNumberId, now],
  });
  if (counted.length > 0) return null;
  const rows = await db.query<{ until: Date | null }>({
    text: `
      SELECT (SELECT min(t) FROM (${countedAt('$3')}) AS c(t)) + ${PERIOD} AS until
      FROM sending_number WHERE organization_id = $1 AND phone_number_id = $2`,
    values: [organizationId, phoneNumberId, now],
  });
  return rows[0]?.until ?? null;
}

/** Stores that a number has been registered, and ends its parking for this reason. */
export async function setRegistered(
  tx: Queryable,
  organizationId: string,
  phoneNumberId: string,
  code: string,
  now: Date,
): Promise<void> {
  await tx.query({
    text: `
      UPDATE sending_number SET registered = true, status = 'CONNECTED', platform_type = 'CLOUD_API', updated_at = $3
      WHERE organization_id = $1 AND phone_number_id = $2`,
    values: [organizationId, phoneNumberId, now],
  });
  await tx.query({
    text: `
      UPDATE sending_number SET ${UNPARKED}
      WHERE organization_id = $1 AND phone_number_id = $2 AND parked_code = $3`,
    values: [organizationId, phoneNumberId, code],
  });
}

/** Stores that a number is no longer registered. */
export async function setDeregistered(
  tx: Queryable,
  organizationId: string,
  phoneNumberId: string,
  now: Date,
): Promise<void> {
  await tx.query({
    text: `
      UPDATE sending_number SET registered = false, status = 'DISCONNECTED', platform_type = 'NOT_APPLICABLE', updated_at = $3
      WHERE organization_id = $1 AND phone_number_id = $2`,
    values: [organizationId, phoneNumberId, now],
  });
}
