import { arrayTable } from '../../database/batching/array-table.ts';
import type { Queryable } from '../../database/database.ts';
import { deleteOlder } from '../../database/days/delete-older.ts';
import { STORED_KINDS, type StoredKind } from '../table/edge.ts';

/** An object of the platform, and the account it belongs to. */
export interface OwnedObject {
  organizationId: string;
  objectId: string;
  kind: StoredKind;
  wabaId: string;
  phoneNumberId: string | null;
}

/** The objects of a statement, after the time now. */
const OBJECTS = arrayTable<OwnedObject>(2)({
  organization_id: ['uuid', (object) => object.organizationId],
  object_id: ['text', (object) => object.objectId],
  kind: ['smallint', (object) => STORED_KINDS.indexOf(object.kind)],
  waba_id: ['text', (object) => object.wabaId],
  phone_number_id: ['text', (object) => object.phoneNumberId],
});

/** Stores the owners of objects. A known object keeps its row unless its account is another one. */
export async function storeOwnedObjects(tx: Queryable, objects: readonly OwnedObject[], now: Date): Promise<void> {
  if (objects.length === 0) return;
  await tx.query({
    name: 'owned_object_store',
    text: `
      INSERT INTO owned_object (${OBJECTS.names}, learned_at)
      SELECT DISTINCT ON (o.organization_id, o.object_id, o.kind) o.*, $1::timestamptz
      FROM ${OBJECTS.from('o')}
      ORDER BY o.organization_id, o.object_id, o.kind
      ON CONFLICT (organization_id, object_id, kind) DO UPDATE
      SET waba_id = excluded.waba_id, phone_number_id = excluded.phone_number_id, learned_at = excluded.learned_at
      WHERE (owned_object.waba_id, owned_object.phone_number_id) IS DISTINCT FROM (excluded.waba_id, excluded.phone_number_id)`,
    values: [now, ...OBJECTS.values(objects)],
  });
}

/** Forgets objects that were learned before `beforeMs` (epoch ms). Those that still exist are learned again when they are asked for. */
export function sweepOwnedObjects(db: Queryable, beforeMs: number): Promise<void> {
  return deleteOlder(db, 'owned_object', 'learned_at', beforeMs);
}

/** Returns those of these objects that the organization is known to own. */
export async function listOwnedObjects(
  db: Queryable,
  organizationId: string,
  objectIds: readonly string[],
): Promise<OwnedObject[]> {
  const rows = await db.query<Omit<OwnedObject, 'kind'> & { kind: number }>({
    name: 'owned_object_list',
    text: `
      SELECT organization_id AS "organizationId", object_id AS "objectId", kind, waba_id AS "wabaId",
        phone_number_id AS "phoneNumberId"
      FROM owned_object WHERE organization_id = $1 AND object_id = ANY ($2::text[]) ORDER BY kind`,
    values: [organizationId, objectIds],
  });
  return rows.flatMap(({ kind, ...row }) => {
    const word = STORED_KINDS[kind];
    return word === undefined ? [] : [{ ...row, kind: word }];
  });
}
