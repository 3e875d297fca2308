import type { Queryable } from '../../database/database.ts';
import type { Callback, CallbackPlace } from './callback.ts';

/** Returns the organization's registered addresses that are of one of these kinds. Those whose endpoint was deleted are left out. */
export async function listCallbacks(
  db: Queryable,
  organizationId: string,
  kinds: readonly CallbackPlace['kind'][],
): Promise<Callback[]> {
  return await db.query<Callback & Record<string, unknown>>({
    name: 'webhook_callback_list',
    text: `
      SELECT c.kind, c.object_id AS "objectId", c.fields, e.url
      FROM webhook_callback c
      LEFT JOIN webhook_endpoint e ON e.organization_id = c.organization_id AND e.id = c.endpoint_id AND e.deleted_at IS NULL
      WHERE c.organization_id = $1 AND c.kind = ANY($2::text[]) AND (c.endpoint_id IS NULL OR e.id IS NOT NULL)
      ORDER BY c.kind, c.object_id`,
    values: [organizationId, kinds],
  });
}

/**
 * Stores a registration and locks it until the transaction ends. Returns the id of its endpoint: the one that it had, or `endpointId`.
 * An `endpointId` of null keeps no endpoint.
 */
export async function claimCallback(
  tx: Queryable,
  organizationId: string,
  { kind, objectId }: CallbackPlace,
  { endpointId, fields }: { endpointId: string | null; fields: readonly string[] | null },
): Promise<string | null> {
  const rows = await tx.query<{ endpointId: string | null }>({
    name: 'webhook_callback_claim',
    text: `
      INSERT INTO webhook_callback AS c (organization_id, kind, object_id, endpoint_id, fields) VALUES ($1, $2, $3, $4, $5)
      ON CONFLICT (organization_id, kind, object_id) DO UPDATE
        SET endpoint_id = CASE WHEN $4 IS NULL THEN NULL ELSE coalesce(c.endpoint_id, $4) END, fields = $5
      RETURNING endpoint_id AS "endpointId"`,
    values: [organizationId, kind, objectId, endpointId, fields],
  });
  return rows[0]?.endpointId ?? null;
}

/** Locks a registration until the transaction ends. Returns the id of its endpoint, null without one; undefined if there is none. */
export async function lockCallback(
  tx: Queryable,
  organizationId: string,
  { kind, objectId }: CallbackPlace,
): Promise<{ endpointId: string | null; fields: string[] | null } | undefined> {
  const rows = await tx.query<{ endpointId: string | null; fields: string[] | null }>({
    name: 'webhook_callback_lock',
    text: `
      SELECT endpoint_id AS "endpointId", fields FROM webhook_callback
      WHERE organization_id = $1 AND kind = $2 AND object_id = $3 FOR UPDATE`,
    values: [organizationId, kind, objectId],
  });
  return rows[0];
}

/** Deletes a registration. */
export async function deleteCallback(
  tx: Queryable,
  organizationId: string,
  { kind, objectId }: CallbackPlace,
): Promise<void> {
  await tx.query({
    name: 'webhook_callback_delete',
    text: 'DELETE FROM webhook_callback WHERE organization_id = $1 AND kind = $2 AND object_id = $3',
    values: [organizationId, kind, objectId],
  });
}

/** Deletes the registration that an endpoint serves. Call it before `announceChange`: registrations are locked in this order everywhere. */
export async function deleteCallbackOf(tx: Queryable, organizationId: string, endpointId: string): Promise<void> {
  await tx.query({
    name: 'webhook_callback_delete_of_endpoint',
    text: 'DELETE FROM webhook_callback WHERE organization_id = $1 AND endpoint_id = $2',
    values: [organizationId, endpointId],
  });
}
