import type { Queryable } from '../../database/database.ts';
import { firstRow } from '../../database/first-row.ts';
import { JOIN_NUMBER, MESSAGE_COLUMNS, type MessageRow } from '../queries.ts';

/** Conditions of a search; undefined members do not narrow it. */
export interface MessageSearch {
  organizationId: string;
  /** Range of scanned ids: [fromId, beforeId). */
  fromId: string;
  beforeId: string;
  /** Accepted or received within [from, to). */
  from: Date;
  to: Date;
  numberIds: number[] | undefined;
  /** The person's numbers and keys. */
  contacts: string[] | undefined;
  status: number | undefined;
  type: string | undefined;
  template: string | undefined;
  direction: number | undefined;
  errorCode: string | undefined;
  callbackData: string | undefined;
  limit: number;
}

/** Most messages scanned by one call. */
const SCAN_MAX = 5_000;
/** Most characters of all returned bodies together. The first message is returned whatever its length. */
const CHARACTERS_MAX = 4 * 1024 * 1024;

/**
 * Returns messages newest first, and in `next` the id from which to continue; undefined once everything has been scanned.
 * A call scans at most `SCAN_MAX` messages, however rare the matches, and returns those found.
 * Searches by person or by callback data use indexes of their own. All others scan by id, which is the order of time.
 */
export async function searchMessages(
  db: Queryable,
  search: MessageSearch,
): Promise<{ rows: MessageRow[]; next: string | undefined }> {
  const by = search.callbackData !== undefined ? 'callback' : search.contacts !== undefined ? 'contact' : 'id';
  const rows = await db.query<
    { lastId: string | null; scanned: number | null; found: number } & (MessageRow | { id: null })
  >({
    name: `message_search_by_${by}`,
    text: `
      WITH scanned AS MATERIALIZED (
        SELECT id, number_id, contact, status, type, template_name, direction, error_code, accepted_at
        FROM message
        WHERE organization_id = $1 AND id >= $2 AND id < $3 AND ${DRIVERS[by]}
        ORDER BY id DESC LIMIT $12
      ),
      found AS MATERIALIZED (
        SELECT id FROM scanned
        WHERE ($4::int[] IS NULL OR number_id = ANY ($4)) AND ($5::bigint[] IS NULL OR contact = ANY ($5))
          AND ($6::smallint IS NULL OR status = $6) AND ($7::text IS NULL OR type = $7)
          AND ($8::text IS NULL OR template_name = $8) AND ($9::smallint IS NULL OR direction = $9)
          AND ($10::text IS NULL OR error_code = $10) AND accepted_at >= $15 AND accepted_at < $16
        ORDER BY id DESC LIMIT $13
      )
      SELECT whole."lastId", whole.scanned, whole.found, page.*
      FROM (
        SELECT found, CASE WHEN found < $13 THEN (SELECT count(*)::int FROM scanned) END AS scanned,
               CASE WHEN found < $13 THEN (SELECT id FROM scanned ORDER BY id LIMIT 1) END AS "lastId"
        FROM (SELECT count(*)::int AS found FROM found) f
      ) whole
      LEFT JOIN (
        SELECT ${MESSAGE_COLUMNS}, sum(length(m.body)) OVER (ORDER BY m.id DESC) AS characters,
               row_number() OVER (ORDER BY m.id DESC) AS place
        FROM found f
        JOIN message m ON m.organization_id = $1 AND m.id = f.id
        ${JOIN_NUMBER}
      ) page ON page.place = 1 OR page.characters <= $14
      ORDER BY page.place`,
    values: [
      search.organizationId,
      search.fromId,
      search.beforeId,
      search.numberIds,
      search.contacts,
      search.status,
      search.type,
      search.template,
      search.direction,
      search.errorCode,
      search.callbackData,
      SCAN_MAX,
      search.limit,
      CHARACTERS_MAX,
      search.from,
      search.to,
    ],
  });
  const messages = rows.filter((row) => row.id !== null);
  const whole = firstRow(rows);
  const cutShort = messages.length < whole.found || messages.length === search.limit;
  if (cutShort) return { rows: messages, next: messages.at(-1)?.id };
  return { rows: messages, next: whole.scanned === SCAN_MAX ? (whole.lastId ?? undefined) : undefined };
}

// Mentions the parameters that a variant does not use, so that all three statements take the same list.
const DRIVERS = {
  id: '$11::text IS NULL',
  contact: 'contact = ANY ($5) AND $11::text IS NULL',
  // The index holds the hash, because callback data may be long.
  callback:
    'callback_data IS NOT NULL AND hashtextextended(callback_data, 0) = hashtextextended($11, 0) AND callback_data = $11',
};
