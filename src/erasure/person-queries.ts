import type { Queryable } from '../database/database.ts';

/** A window of the person, as the export shows it. */
interface ExportedWindow {
  phone_number_id: string | null;
  last_inbound_at: Date;
  /** The person's contact object as the platform reported it. */
  contact: unknown;
}

/** Returns the windows of a person with all numbers of the organization. */
export async function listWindows(
  db: Queryable,
  organizationId: string,
  keys: readonly string[],
): Promise<ExportedWindow[]> {
  return db.query<ExportedWindow & Record<string, unknown>>({
    name: 'erasure_list_windows',
    text: `
      SELECT coalesce(n.phone_number_id, n.former_phone_number_id) AS phone_number_id, c.last_inbound_at, c.contact_card::json AS contact
      FROM sending_number n
      JOIN conversation c ON c.organization_id = $1 AND c.number_id = n.number_id AND c.contact = ANY ($2::bigint[])
      WHERE n.organization_id = $1 ORDER BY n.number_id`,
    values: [organizationId, keys],
  });
}

/** Returns the user ids of the people with these keys, in all accounts of the organization. */
export async function listUserIds(db: Queryable, organizationId: string, keys: readonly string[]): Promise<string[]> {
  const rows = await db.query<{ alias: string }>({
    name: 'erasure_list_user_ids',
    text: `
      SELECT DISTINCT alias FROM person_alias
      WHERE organization_id = $1 AND person = ANY ($2::bigint[]) AND alias !~ '^[0-9]+$' ORDER BY alias`,
    values: [organizationId, keys],
  });
  return rows.map(({ alias }) => alias);
}
