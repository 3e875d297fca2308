import { arrayTable } from '../../database/batching/array-table.ts';
import type { Queryable } from '../../database/database.ts';
import type { NumberUpdate } from './account-change.ts';

/**
 * Locks these WABAs in one order, so that their changes, readings and disconnects run one after the other. Returns their organizations;
 * WABAs that are not connected are left out.
 */
export async function lockWabas(tx: Queryable, wabaIds: readonly string[]): Promise<Map<string, string>> {
  const rows = await tx.query<{ wabaId: string; organizationId: string }>({
    name: 'waba_lock',
    text: `
      SELECT waba_id AS "wabaId", organization_id AS "organizationId" FROM waba WHERE waba_id = ANY ($1::text[])
      ORDER BY waba_id FOR NO KEY UPDATE`,
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

const NAMED = arrayTable<NamedNumber>()({
  organization_id: ['uuid', (number) => number.organizationId],
  waba_id: ['text', (number) => number.wabaId],
  phone_number_id: ['text', (number) => number.phoneNumberId],
  phone_number: ['text', (number) => number.phoneNumber],
});

/**
 * Returns the small ids of these numbers, in order; undefined for a number that the organization does not have. If several have the same
 * digits, a registered one is preferred, then the newest.
 */
export async function findNamedNumbers(tx: Queryable, named: readonly NamedNumber[]): Promise<(number | undefined)[]> {
  const rows = await tx.query<{ place: number; numberId: number }>({
    name: 'sending_number_find_named',
    text: `
      SELECT DISTINCT ON (i.place) i.place::int AS place, n.number_id AS "numberId"
      FROM ${NAMED.from('i', 'place')}
      JOIN sending_number n ON n.organization_id = i.organization_id AND CASE
        WHEN i.phone_number_id IS NOT NULL THEN n.phone_number_id = i.phone_number_id
        ELSE n.waba_id = i.waba_id AND n.phone_number = i.phone_number
      END
      ORDER BY i.place, n.registered DESC, n.number_id DESC`,
    values: NAMED.values(named),
  });
  const numberIds = new Map(rows.map(({ place, numberId }) => [place - 1, numberId]));
  return named.map((_, index) => numberIds.get(index));
}

/** The matters for which the upstream can make an account's messages wait. The last report on each counts. */
export type StandingMatter = 'ban' | 'review';

/** Records that the upstream reported a WABA's ban or review at `told`. Returns false if it has already reported at a later time. */
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

/**
 * Records that the upstream reported a number's ban at `told`. Returns false if it has already reported later on the number or its WABA.
 */
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

type Matter = keyof NumberUpdate;

/** The fields of a number that the upstream reports, with the time of the last report of each. */
export interface ToldOfNumber {
  numberId: number;
  values: Record<Matter, string | null>;
  toldAt: Record<Matter, Date | null>;
}

/** Returns the reported fields of these numbers, which the caller has locked. */
export async function listTold(tx: Queryable, numberIds: readonly number[]): Promise<ToldOfNumber[]> {
  if (numberIds.length === 0) return [];
  const rows = await tx.query<{
    numberId: number;
    throughputLevel: string | null;
    messagingLimit: string | null;
    verifiedName: string | null;
    throughputToldAt: Date | null;
    limitToldAt: Date | null;
    nameToldAt: Date | null;
  }>({
    text: `
      SELECT number_id AS "numberId", throughput_level AS "throughputLevel", messaging_limit AS "messagingLimit",
        verified_name AS "verifiedName", throughput_told_at AS "throughputToldAt", limit_told_at AS "limitToldAt",
        name_told_at AS "nameToldAt"
      FROM sending_number WHERE number_id = ANY ($1::int[])`,
    values: [numberIds],
  });
  return rows.map(({ numberId, throughputToldAt, limitToldAt, nameToldAt, ...values }) => ({
    numberId,
    values,
    toldAt: { throughputLevel: throughputToldAt, messagingLimit: limitToldAt, verifiedName: nameToldAt },
  }));
}

/** The numbers of a statement, after the time now. */
const TOLD = arrayTable<ToldOfNumber>(2)({
  number_id: ['int', ({ numberId }) => numberId],
  throughput_level: ['text', ({ values }) => values.throughputLevel],
  messaging_limit: ['text', ({ values }) => values.messagingLimit],
  verified_name: ['text', ({ values }) => values.verifiedName],
  throughput_told_at: ['timestamptz', ({ toldAt }) => toldAt.throughputLevel],
  limit_told_at: ['timestamptz', ({ toldAt }) => toldAt.messagingLimit],
  name_told_at: ['timestamptz', ({ toldAt }) => toldAt.verifiedName],
});

/** Stores the reported fields of locked numbers. */
export async function storeTold(tx: Queryable, numbers: readonly ToldOfNumber[], now: Date): Promise<void> {
  if (numbers.length === 0) return;
  await tx.query({
    text: `
      UPDATE sending_number n
      SET throughput_level = t.throughput_level, messaging_limit = t.messaging_limit, verified_name = t.verified_name,
        throughput_told_at = t.throughput_told_at, limit_told_at = t.limit_told_at, name_told_at = t.name_told_at,
        updated_at = $1
      FROM ${TOLD.from('t')}
      WHERE n.number_id = t.number_id`,
    values: [now, ...TOLD.values(numbers)],
  });
}
