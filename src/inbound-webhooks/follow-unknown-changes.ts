import { type AccountChange, listNumberOwners, listWabaOwners } from '../accounts/index.ts';
import { isObject } from '../core/json/index.ts';
import type { Queryable } from '../database/database.ts';
import { recordEvents } from '../events/index.ts';

/** Fields whose changes have event types of their own. */
const KNOWN_FIELDS = new Set([
  'message_template_status_update',
  'message_template_quality_update',
  'template_category_update',
  'phone_number_quality_update',
  'phone_number_name_update',
  'account_update',
  'account_review_update',
  'business_capability_update',
]);

/** Passes on what the upstream tells under fields nobody here acts on, so that a new one needs no new version of Fairway. */
export async function followUnknownChanges(
  tx: Queryable,
  changes: readonly AccountChange[],
  nowMs: number,
): Promise<void> {
  const unknown = changes.filter((change) => !KNOWN_FIELDS.has(change.field));
  if (unknown.length === 0) return;
  const owners = await listWabaOwners(tx, [...new Set(unknown.map((change) => change.wabaId))]);
  const numbers = await listNumberOwners(tx, [...new Set(unknown.flatMap((change) => numberOf(change) ?? []))]);
  await recordEvents(
    tx,
    unknown.flatMap((change) => {
      const organizationId = owners.get(change.wabaId);
      if (organizationId === undefined) return [];
      const number = numbers.get(numberOf(change) ?? '');
      return {
        id: change.id,
        organizationId,
        type: 'upstream.other' as const,
        wabaId: change.wabaId,
        numberId: number?.organizationId === organizationId ? number.numberId : undefined,
        occurredAtMs: change.atMs ?? nowMs,
        detail: '{}',
        upstream: { field: change.field, value: change.raw },
      };
    }),
  );
}

/** The number a change is about, by the upstream's id, where it says so as webhooks of messages do. */
function numberOf({ value: { metadata } }: AccountChange): string | undefined {
  const id = isObject(metadata) ? metadata.phone_number_id : undefined;
  return typeof id === 'string' && /^\d+$/.test(id) ? id : undefined;
}
