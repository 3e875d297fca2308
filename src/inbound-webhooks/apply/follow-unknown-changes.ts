import {
  type AccountChange,
  type Follower,
  findNamedNumbers,
  lockWabas,
  type NamedNumber,
} from '../../accounts/index.ts';
import { membersOf } from '../../core/json/index.ts';
import type { Queryable } from '../../database/database.ts';
import { recordEvents } from '../../events/index.ts';
import { textOf } from '../payload/upstream-values.ts';
import { followMessageChanges } from './follow-message-changes.ts';

/** Records changes under fields that none of `followers` has as events, so that a new field needs no new version of Fairway. */
export async function followUnknownChanges(
  tx: Queryable,
  changes: readonly AccountChange[],
  followers: readonly Follower[],
  nowMs: number,
): Promise<void> {
  const known = new Set(followers.flatMap(({ fields }) => fields));
  const unknown = changes.filter((change) => !known.has(change.field));
  if (unknown.length === 0) return;
  const owners = await lockWabas(tx, [...new Set(unknown.map((change) => change.wabaId))]);
  const told = unknown.flatMap((change) => {
    const organizationId = owners.get(change.wabaId);
    return organizationId === undefined ? [] : [{ ...change, organizationId, ...numberNamedBy(change) }];
  });
  const owned = await followMessageChanges(tx, told, nowMs);
  const numberIds = await findNamedNumbers(tx, owned);
  await recordEvents(
    tx,
    owned.map((change, index) => ({
      id: change.id,
      organizationId: change.organizationId,
      type: 'upstream.other' as const,
      wabaId: change.wabaId,
      numberId: numberIds[index],
      occurredAtMs: change.atMs ?? nowMs,
      detail: '{}',
      upstream: { field: change.field, value: change.raw },
    })),
  );
}

/**
 * Returns the number that a change is about: by its id, as in webhooks of messages, or by its digits, as in others. A handover of a
 * conversation has it under `recipient`.
 */
function numberNamedBy({ value }: AccountChange): Pick<NamedNumber, 'phoneNumberId' | 'phoneNumber'> {
  const id = membersOf(value.metadata).phone_number_id ?? membersOf(value.recipient).phone_number_id;
  const shown = textOf(value.display_phone_number)?.replace(/\D/g, '');
  return {
    phoneNumberId: typeof id === 'string' && /^\d+$/.test(id) ? id : undefined,
    phoneNumber: shown === '' ? undefined : shown,
  };
}
