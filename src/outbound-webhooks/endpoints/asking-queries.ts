import type { Queryable } from '../../database/database.ts';
import type { EventType } from '../../events/index.ts';

/** Lists the organizations that have an enabled endpoint of the format `standard` that names this type of event. */
export async function listOrganizationsAsking(db: Queryable, type: EventType): Promise<string[]> {
  const rows = await db.query<{ organizationId: string }>({
    name: 'webhook_endpoint_list_asking',
    text: `
      SELECT DISTINCT organization_id AS "organizationId" FROM webhook_endpoint
      WHERE event_types @> ARRAY[$1::text] AND format = 'standard' AND disabled_at IS NULL AND deleted_at IS NULL`,
    values: [type],
  });
  return rows.map(({ organizationId }) => organizationId);
}
