import { type AccountChange, type Follower, lockWabas } from '../../accounts/index.ts';
import { membersOf } from '../../core/json/index.ts';
import type { Queryable } from '../../database/database.ts';
import { OBJECT_ID } from '../answer/learned-ids.ts';
import type { MappedKind } from '../table/edge.ts';
import { storeOwnedObjects } from './queries.ts';

/** Learns the flows and groups that signed webhooks name. The fields have no events of their own here, so they stay `upstream.other`. */
export const ownedObjectFollower: Follower = { fields: [], follow: followOwnedObjects };

interface Named {
  kind: MappedKind;
  objectId: string;
  phoneNumberId: string | null;
}

async function followOwnedObjects(tx: Queryable, changes: readonly AccountChange[], nowMs: number): Promise<void> {
  const named = changes.flatMap((change) => listNamed(change).map((object) => ({ ...object, wabaId: change.wabaId })));
  if (named.length === 0) return;
  const owners = await lockWabas(tx, [...new Set(named.map(({ wabaId }) => wabaId))]);
  const objects = named.flatMap((object) => {
    const organizationId = owners.get(object.wabaId);
    return organizationId === undefined ? [] : [{ ...object, organizationId }];
  });
  await storeOwnedObjects(tx, objects, new Date(nowMs));
}

function listNamed({ field, value, rawOf }: AccountChange): Named[] {
  if (field === 'flows') {
    // Ids of flows may be written as numbers too large to be read as such.
    const objectId = rawOf('flow_id')?.replaceAll('"', '');
    return objectId !== undefined && OBJECT_ID.test(objectId) ? [{ kind: 'flow', objectId, phoneNumberId: null }] : [];
  }
  if (!/^group_(?:lifecycle|participants|settings|status)_update$/.test(field)) return [];
  const phoneNumberId = membersOf(value.metadata).phone_number_id;
  if (typeof phoneNumberId !== 'string') return [];
  const groups = Array.isArray(value.groups) ? value.groups.map((group) => membersOf(group).group_id) : [];
  return groups.flatMap((objectId) =>
    typeof objectId === 'string' && OBJECT_ID.test(objectId)
      ? [{ kind: 'group' as const, objectId, phoneNumberId }]
      : [],
  );
}
