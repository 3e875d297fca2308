import { arrayTable } from '../database/batching/array-table.ts';
import type { Queryable } from '../database/database.ts';
import type { OptOut, OptOutAct } from './opt-out.ts';

/** A sending number and a name of a person. */
export interface OptOutName {
  organizationId: string;
  phoneNumberId: string;
  /** The account of the number. */
  wabaId: string;
  /** The conversation key of a phone number, or a user id. */
  name: string;
}

const NAMES = arrayTable<OptOutName>()({
  organization_id: ['uuid', (one) => one.organizationId],
  phone_number_id: ['text', (one) => one.phoneNumberId],
  waba_id: ['text', (one) => one.wabaId],
  name: ['text', (one) => one.name],
});

/** Returns for each name, in order, if its person has opted out. */
export async function findOptedOut(db: Queryable, names: readonly OptOutName[]): Promise<boolean[]> {
  const rows = await db.query<{ ord: number }>({
    name: 'opt_out_find',
    text: `
      SELECT k.ord
      FROM ${NAMES.from('k', 'ord')}
      LEFT JOIN person_alias a ON a.organization_id = k.organization_id AND a.alias = k.name AND a.waba_id = k.waba_id
      JOIN opt_out o ON o.organization_id = k.organization_id AND o.phone_number_id = k.phone_number_id
        AND o.person = coalesce(a.person, CASE WHEN k.name ~ '^[0-9]+$' THEN k.name::bigint END)
      WHERE o.ended_at IS NULL`,
    values: NAMES.values(names),
  });
  const found = new Set(rows.map(({ ord }) => ord));
  return names.map((_, index) => found.has(index + 1));
}

const ACTS = arrayTable<OptOutAct & { id: string }>()({
  organization_id: ['uuid', (act) => act.organizationId],
  phone_number_id: ['text', (act) => act.phoneNumberId],
  person: ['bigint', (act) => act.person],
  id: ['uuid', (act) => act.id],
  phone_number: ['text', (act) => act.phoneNumber],
  user_id: ['text', (act) => act.userId],
  source: ['text', (act) => act.source],
  opted_out_at: ['timestamptz', ({ atMs }) => new Date(atMs)],
  ended_at: ['timestamptz', ({ stops, atMs }) => (stops ? null : new Date(atMs))],
  waba_id: ['text', (act) => act.wabaId],
  name: ['text', (act) => act.name],
});

const FIELDS = `
  id, phone_number_id AS "phoneNumberId", phone_number AS "phoneNumber", user_id AS "userId", source, opted_out_at AS "optedOutAt"`;

/** The small id of the number of an opt-out `o`, for the event; null if the number is not connected now. */
const NUMBER_ID = `
  (SELECT n.number_id FROM sending_number n WHERE n.organization_id = o.organization_id AND n.phone_number_id = o.phone_number_id)
    AS "numberId"`;

/** An opt-out that was made or ended. */
export interface ChangedOptOut extends OptOut {
  numberId: number | null;
}

/** An opt-out as an act has left it. */
export interface StoredOptOut extends ChangedOptOut {
  organizationId: string;
  endedAt: Date | null;
}

/**
 * Stores acts of different people, and returns the opt-outs that they have changed. An opt-out in force keeps its id. A new or ended one
 * takes the id of the act.
 *
 * Stored names are locked, and their present keys used. Without this, an opt-out would be stored under a key that a merge of people has just
 * given up, and would not be found.
 *
 * The platform's times are whole seconds. Of two acts in one second the one that stops marketing counts. An act that is older than the
 * last one changes nothing. The API decides whatever came before. An opt-out that the API has made is ended by the API only.
 */
export async function storeActs(tx: Queryable, acts: readonly (OptOutAct & { id: string })[]): Promise<StoredOptOut[]> {
  return await tx.query<StoredOptOut>({
    name: 'opt_out_store_acts',
    text: `
      INSERT INTO opt_out AS o (organization_id, phone_number_id, person, id, phone_number, user_id, source, opted_out_at, ended_at)
      SELECT DISTINCT ON (organization_id, phone_number_id, key)
        organization_id, phone_number_id, key, id, phone_number, user_id, source, opted_out_at, ended_at
      FROM (
        SELECT i.*, coalesce(a.person, i.person) AS key
        FROM ${ACTS.from('i')}
        LEFT JOIN LATERAL (
          SELECT p.person FROM person_alias p
          WHERE p.organization_id = i.organization_id AND p.alias = i.name AND (p.waba_id = i.waba_id) IS TRUE
          FOR KEY SHARE
        ) a ON true
      ) k
      ORDER BY organization_id, phone_number_id, key, opted_out_at DESC
      ON CONFLICT (organization_id, phone_number_id, person) DO UPDATE
        SET id = CASE WHEN o.ended_at IS NULL THEN o.id ELSE excluded.id END,
          source = CASE WHEN excluded.ended_at IS NULL THEN excluded.source ELSE o.source END,
          opted_out_at = CASE WHEN excluded.ended_at IS NULL AND o.ended_at IS NOT NULL THEN excluded.opted_out_at ELSE o.opted_out_at END,
          phone_number = coalesce(excluded.phone_number, o.phone_number), user_id = coalesce(excluded.user_id, o.user_id),
          ended_at = excluded.ended_at
        WHERE CASE
          WHEN excluded.ended_at IS NULL THEN excluded.source = 'api' OR date_trunc('second', o.ended_at) <= excluded.opted_out_at
          WHEN o.ended_at IS NULL THEN o.source <> 'api' AND date_trunc('second', o.opted_out_at) < excluded.ended_at
          ELSE o.ended_at < excluded.ended_at
        END
      RETURNING organization_id AS "organizationId", ended_at AS "endedAt", ${FIELDS}, ${NUMBER_ID}`,
    values: ACTS.values(acts),
  });
}

/** Ends an opt-out of one of these numbers; undefined permits any number. Returns the opt-out; undefined if none is in force. */
export async function endOptOut(
  tx: Queryable,
  organizationId: string,
  { id, phoneNumberIds }: { id: string; phoneNumberIds: readonly string[] | undefined },
  now: Date,
): Promise<ChangedOptOut | undefined> {
  const rows = await tx.query<ChangedOptOut>({
    text: `
      UPDATE opt_out o SET ended_at = greatest($4, opted_out_at)
      WHERE organization_id = $1 AND id = $2 AND ended_at IS NULL AND ($3::text[] IS NULL OR phone_number_id = ANY ($3))
      RETURNING ${FIELDS}, ${NUMBER_ID}`,
    values: [organizationId, id, phoneNumberIds, now],
  });
  return rows[0];
}

/** A search among the opt-outs in force. Absent members do not restrict it. */
export interface OptOutSearch {
  phoneNumberIds: readonly string[] | undefined;
  /** Keys of people. */
  people: readonly string[] | undefined;
  /** Only opt-outs with a smaller id. */
  before: string | undefined;
  limit: number;
}

/** Lists opt-outs in force, newest first. */
export async function listOptOuts(
  db: Queryable,
  organizationId: string,
  { phoneNumberIds, people, before, limit }: OptOutSearch,
): Promise<OptOut[]> {
  return await db.query<OptOut>({
    text: `
      SELECT ${FIELDS} FROM opt_out
      WHERE organization_id = $1 AND ended_at IS NULL AND ($2::text[] IS NULL OR phone_number_id = ANY ($2))
        AND ($3::bigint[] IS NULL OR person = ANY ($3)) AND ($4::uuid IS NULL OR id < $4)
      ORDER BY id DESC LIMIT $5`,
    values: [organizationId, phoneNumberIds, people, before, limit],
  });
}
