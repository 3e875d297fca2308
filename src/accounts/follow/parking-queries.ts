import type { Queryable } from '../../database/database.ts';
import type { UsedToken } from '../keys/token.ts';
import type { Parked } from '../sending-number.ts';
import { DELETED, DISABLED, LOCKED_CODES, NAME_NOT_APPROVED, REJECTED, RESTRICTED } from './account-change.ts';

/** SET clause that ends a parking. */
export const UNPARKED = 'parked_code = NULL, parked_reason = NULL, parked_at = NULL, parked_until = NULL';

/** Holds if a refusal parked it: its code is one of the upstream's numbers. Reports about the account, such as a ban, have word codes. */
const IS_REFUSED = "parked_code ~ '^-?[0-9]+$'";

/** Holds for a ban or a restriction, which hides a rejected review until it ends. */
const IS_BAN = `(NOT ${IS_REFUSED} AND parked_code <> '${REJECTED.code}')`;

/** Holds if its present parking stays although it is to be parked for `code`: a restriction ends at its term, a ban does not. */
const isOutlasting = (code: string) =>
  `coalesce(parked_code IN ('${DISABLED}', '${DELETED}') AND ${code} = '${RESTRICTED}', false)`;

/** SET clause that ends a WABA's ban or restriction: the parking ends, or becomes that of a rejected review. */
const UNBANNED = `
  parked_code = CASE WHEN rejected_too THEN '${REJECTED.code}' END,
  parked_reason = CASE WHEN rejected_too THEN '${REJECTED.reason}' END,
  parked_at = CASE WHEN rejected_too THEN parked_at END, parked_until = NULL, rejected_too = false`;

/** The upstream's code for a number whose registration is not complete. */
export const NOT_REGISTERED = '133010';

/** Holds if a WABA still has the token version and the reading that a call was made with. */
const stillAsKnown = (version: string, readAt: string) =>
  // Dates arrive here with millisecond precision.
  `token_version = ${version} AND date_trunc('milliseconds', synced_at) IS NOT DISTINCT FROM ${readAt}::timestamptz`;

/**
 * Holds if a refusal with one of `codes` is older than the upstream's last report on their matter. The upstream stamps whole seconds. A
 * refusal in the same second counts as older, because the next attempt produces a newer one.
 */
const isOutdated = (code: string, codes: readonly string[], toldAt: string, begunAt: string) =>
  `coalesce(${code} IN (${codes.map((one) => `'${one}'`).join(', ')})
    AND ${toldAt} > ${begunAt}::timestamptz - interval '1 second', false)`;

/**
 * Parks a WABA unless its token was replaced, or it was read or reported on since, or it is parked for this code already. Returns true if
 * it changed. A parking that the upstream reported stays and ends with its own report: refusals of sends in flight are its consequence.
 */
export async function parkWabaForToken(
  tx: Queryable,
  { wabaId, version, readAt, begunAtMs }: UsedToken,
  parked: Parked,
  now: Date,
): Promise<boolean> {
  const rows = await tx.query({
    name: 'waba_park_for_token',
    text: `
      UPDATE waba SET parked_code = $4, parked_reason = $5, parked_at = $6, parked_until = NULL
      WHERE waba_id = $1 AND ${stillAsKnown('$2', '$3')} AND parked_code IS DISTINCT FROM $4 AND coalesce(${IS_REFUSED}, true)
        AND NOT ${isOutdated('$4', LOCKED_CODES, 'ban_told_at', '$7')}
      RETURNING waba_id`,
    values: [wabaId, version, readAt, parked.code, parked.reason, now, new Date(begunAtMs)],
  });
  return rows.length > 0;
}

/**
 * Parks a WABA regardless of its token, until a time or, with null, until the upstream or an operator acts. A ban outlasts a restriction.
 */
export async function parkWabaUntil(
  tx: Queryable,
  wabaId: string,
  parked: Parked,
  until: Date | null,
  now: Date,
): Promise<void> {
  await tx.query({
    text: `
      UPDATE waba SET parked_code = $2, parked_reason = $3, parked_at = $4, parked_until = $5,
        rejected_too = coalesce($2 <> $6 AND (parked_code = $6 OR rejected_too AND ${IS_BAN}), false)
      WHERE waba_id = $1 AND NOT ${isOutlasting('$2')}`,
    values: [wabaId, parked.code, parked.reason, now, until, REJECTED.code],
  });
}

/** Records, on a WABA parked for a ban or a restriction, the result of its review. Returns false if it has no such parking. */
export async function noteReviewBesideBan(tx: Queryable, wabaId: string, isRejected: boolean): Promise<boolean> {
  const rows = await tx.query({
    text: `UPDATE waba SET rejected_too = $2 WHERE waba_id = $1 AND ${IS_BAN} RETURNING 1`,
    values: [wabaId, isRejected],
  });
  return rows.length > 0;
}

/** Parks a number like `parkWabaUntil` parks a WABA, unless it has this parking already. */
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
      WHERE phone_number_id = $1 AND (parked_code, parked_until) IS DISTINCT FROM ($2, $5)
        AND NOT ${isOutlasting('$2')}`,
    values: [phoneNumberId, parked.code, parked.reason, now, until],
  });
}

/**
 * Parks a number until its WABA is connected or read again. Does nothing if the number is on another WABA, if that WABA's token was
 * replaced or it was read since, if the number was reported on since, or if it is parked for this code already. Returns true if it changed.
 * A number refused as not registered counts as not registered until it is read again. A parking that the upstream reported stays, as in
 * `parkWabaForToken`. Waits for a concurrent connect or reading of the WABA.
 */
export async function parkNumberForToken(
  tx: Queryable,
  phoneNumberId: string,
  { wabaId, version, readAt, begunAtMs }: UsedToken,
  parked: Parked,
  now: Date,
): Promise<boolean> {
  const rows = await tx.query({
    name: 'sending_number_park_for_token',
    text: `
      WITH used AS MATERIALIZED (SELECT waba_id FROM waba WHERE waba_id = $2 AND ${stillAsKnown('$3', '$4')} FOR NO KEY UPDATE)
      UPDATE sending_number n SET parked_code = $5, parked_reason = $6, parked_at = $7, parked_until = NULL,
        registered = n.registered AND $5 <> '${NOT_REGISTERED}'
      FROM used
      WHERE n.phone_number_id = $1 AND n.waba_id = used.waba_id
        AND n.parked_code IS DISTINCT FROM $5 AND coalesce(n.${IS_REFUSED}, true)
        AND NOT ${isOutdated('$5', [NAME_NOT_APPROVED], 'n.name_told_at', '$8')}
      RETURNING n.phone_number_id`,
    values: [phoneNumberId, wabaId, version, readAt, parked.code, parked.reason, now, new Date(begunAtMs)],
  });
  return rows.length > 0;
}

/** Ends the parking of all numbers of a WABA. */
export async function clearNumbersParked(tx: Queryable, organizationId: string, wabaId: string): Promise<void> {
  await tx.query({
    text: `
      UPDATE sending_number SET ${UNPARKED}
      WHERE organization_id = $1 AND waba_id = $2 AND parked_code IS NOT NULL`,
    values: [organizationId, wabaId],
  });
}

/** Ends the parkings of a WABA and its numbers that refusals caused. Parkings that the upstream reported stay. */
export async function clearParkedByRefusals(tx: Queryable, organizationId: string, wabaId: string): Promise<void> {
  await tx.query({
    text: `
      WITH numbers AS (
        UPDATE sending_number SET ${UNPARKED}
        WHERE organization_id = $1 AND waba_id = $2 AND ${IS_REFUSED}
      )
      UPDATE waba SET ${UNPARKED} WHERE organization_id = $1 AND waba_id = $2 AND ${IS_REFUSED}`,
    values: [organizationId, wabaId],
  });
}

/**
 * Ends the parking of those of these numbers that are still stored under another WABA of the organization: it applied to that WABA's token
 * and standing. Returns these WABAs.
 */
export async function clearParkedElsewhere(
  tx: Queryable,
  organizationId: string,
  wabaId: string,
  phoneNumberIds: readonly string[],
): Promise<string[]> {
  const rows = await tx.query<{ wabaId: string }>({
    text: `
      UPDATE sending_number SET ${UNPARKED}
      WHERE organization_id = $1 AND waba_id <> $2 AND phone_number_id = ANY ($3::text[])
      RETURNING waba_id AS "wabaId"`,
    values: [organizationId, wabaId, phoneNumberIds],
  });
  return rows.map((row) => row.wabaId);
}

/** Ends the parking of a WABA and its numbers if it has one of these codes. A rejected review outlasts a ban. */
export async function clearParkedWith(tx: Queryable, wabaId: string, codes: readonly string[]): Promise<void> {
  await tx.query({
    text: `
      WITH numbers AS (
        UPDATE sending_number SET ${UNPARKED} WHERE waba_id = $1 AND parked_code = ANY ($2::text[])
      )
      UPDATE waba SET ${UNBANNED} WHERE waba_id = $1 AND parked_code = ANY ($2::text[])`,
    values: [wabaId, codes],
  });
}

/** Ends the parking of a number if it has one of these codes. Returns true if it had. */
export async function clearNumberParkedWith(
  tx: Queryable,
  phoneNumberId: string,
  codes: readonly string[],
): Promise<boolean> {
  const rows = await tx.query({
    text: `
      UPDATE sending_number SET ${UNPARKED} WHERE phone_number_id = $1 AND parked_code = ANY ($2::text[])
      RETURNING 1`,
    values: [phoneNumberId, codes],
  });
  return rows.length > 0;
}

/** Lists the WABAs with an expired parking for this code, their own or a number's. */
export async function listParkedPast(tx: Queryable, code: string, now: Date): Promise<string[]> {
  const rows = await tx.query<{ wabaId: string }>({
    text: `
      SELECT waba_id AS "wabaId" FROM waba WHERE parked_code = $1 AND parked_until <= $2
      UNION SELECT waba_id FROM sending_number WHERE parked_code = $1 AND parked_until <= $2`,
    values: [code, now],
  });
  return rows.map((row) => row.wabaId);
}

/**
 * Ends expired parkings for this code of these WABAs and their numbers, locked by the caller; a rejected review outlasts them. Returns the
 * WABAs concerned.
 */
export async function clearParkedPast(
  tx: Queryable,
  code: string,
  now: Date,
  wabaIds: readonly string[],
): Promise<string[]> {
  const rows = await tx.query<{ wabaId: string }>({
    text: `
      WITH numbers AS (
        UPDATE sending_number SET ${UNPARKED} WHERE parked_code = $1 AND parked_until <= $2 AND waba_id = ANY ($3::text[])
        RETURNING waba_id
      ), wabas AS (
        UPDATE waba SET ${UNBANNED} WHERE parked_code = $1 AND parked_until <= $2 AND waba_id = ANY ($3::text[])
        RETURNING waba_id
      )
      SELECT waba_id AS "wabaId" FROM wabas UNION SELECT waba_id FROM numbers`,
    values: [code, now, wabaIds],
  });
  return rows.map((row) => row.wabaId);
}
