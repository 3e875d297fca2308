import type { Queryable } from '../database/database.ts';
import type { WindowOpener } from './window.ts';

/** A window that closes soon. */
export interface ClosingWindow {
  organizationId: string;
  numberId: number;
  accountId: string;
  /** The person's key. */
  contact: string;
  /** The person's phone number, or else the user id last reported. */
  person: string;
  /** The name of the person's conversation. */
  name: string;
  openedAtMs: number;
  by: WindowOpener;
}

/** Holds if nothing but user ids are known of the person of window `c`. */
const IS_RECORD = 'c.contact >= 1000000000000000';
/** Returns a query for a column of the newest name of the person of window `c`, due as `d`. */
const NAME_OF_PERSON = (column: string, condition: string) => `
          SELECT ${column} FROM person_alias
          WHERE organization_id = c.organization_id AND person = c.contact AND waba_id = d.waba_id ${condition}
          ORDER BY learned_at DESC LIMIT 1`;

/**
 * Marks windows of these organizations that were opened within (`afterMs`, `untilMs`] (epoch ms), and returns those that were not marked
 * for this opening before: at most `limit`. A row that another transaction changes is skipped, because its window is being refreshed or
 * another node marks it. Reads all windows of these organizations: an index on age would be written with every message.
 */
export async function markClosing(
  tx: Queryable,
  organizationIds: readonly string[],
  { afterMs, untilMs }: { afterMs: number; untilMs: number },
  limit: number,
): Promise<ClosingWindow[]> {
  const rows = await tx.query<
    Omit<ClosingWindow, 'openedAtMs' | 'by' | 'contact'> & { contact: number; at: Date; isCall: boolean }
  >({
    name: 'conversation_mark_closing',
    text: `
      WITH due AS MATERIALIZED (
        SELECT c.organization_id, c.number_id, c.contact, n.account_id, n.waba_id
        FROM conversation c
        JOIN sending_number n ON n.organization_id = c.organization_id AND n.number_id = c.number_id AND n.released_at IS NULL
        WHERE c.organization_id = ANY ($1::uuid[]) AND c.last_inbound_at > $2 AND c.last_inbound_at <= $3
          AND c.closing_noted_for IS DISTINCT FROM c.last_inbound_at
        ORDER BY c.organization_id, c.number_id, c.contact LIMIT $4
        FOR NO KEY UPDATE OF c SKIP LOCKED
      )
      UPDATE conversation c SET closing_noted_for = c.last_inbound_at
      FROM due d
      WHERE c.organization_id = d.organization_id AND c.number_id = d.number_id AND c.contact = d.contact
      RETURNING c.organization_id AS "organizationId", c.number_id AS "numberId", d.account_id AS "accountId", c.contact,
        c.last_inbound_at AS at, coalesce(c.last_call_at = c.last_inbound_at, false) AS "isCall",
        coalesce((${NAME_OF_PERSON('person_name', '')}), c.contact::text) AS name,
        CASE WHEN ${IS_RECORD} THEN (${NAME_OF_PERSON('alias', 'AND kind = 1')}) ELSE c.contact::text END AS person`,
    values: [organizationIds, new Date(afterMs), new Date(untilMs), limit],
  });
  return rows.map(({ at, isCall, contact, ...window }) => ({
    ...window,
    contact: String(contact),
    openedAtMs: at.getTime(),
    by: isCall ? 'call' : 'message',
  }));
}
