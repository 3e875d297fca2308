import { digestUuidAt } from '../../core/ids.ts';
import { join, object, quoted } from '../../core/json/index.ts';
import { inSets } from '../../database/batching/in-sets.ts';
import type { Queryable } from '../../database/database.ts';
import { recordEvents } from '../../events/index.ts';
import { type ElsewhereStatus, listElsewhereStatuses, type OwnedStatus } from '../../messages/index.ts';

/**
 * Records statuses of messages that other systems sent as events, because no message of the gateway will ever show them. Statuses of sends
 * in flight are left out.
 */
export async function passOnStatuses(tx: Queryable, unknown: readonly OwnedStatus[]): Promise<void> {
  for (const set of inSets(unknown)) {
    const elsewhere = await listElsewhereStatuses(tx, set);
    await recordEvents(tx, elsewhere.flatMap(eventsOf));
  }
}

function eventsOf(status: ElsewhereStatus) {
  const { organizationId, wamid, wabaId, numberId } = status;
  const reports = [
    ['sent', status.sentAtMs, status.sentValue],
    ['delivered', status.deliveredAtMs, status.deliveredValue],
    ['read', status.readAtMs, status.readValue],
    ['failed', status.failedAtMs, status.failedValue],
  ] as const;
  return reports.flatMap(([word, atMs, value]) => {
    if (atMs === undefined || value === undefined) return [];
    return [
      {
        id: digestUuidAt(atMs, 'status sent elsewhere', organizationId, wamid, word),
        organizationId,
        type: 'upstream.other' as const,
        wabaId,
        numberId,
        occurredAtMs: atMs,
        detail: '{}',
        upstream: { field: 'messages', value: join(frameOf(status), value) },
      },
    ];
  });
}

function frameOf({ phoneNumber, phoneNumberId }: ElsewhereStatus): string {
  const metadata = object([
    ['display_phone_number', quoted(phoneNumber)],
    ['phone_number_id', quoted(phoneNumberId)],
  ]);
  return object([
    ['messaging_product', '"whatsapp"'],
    ['metadata', metadata],
  ]);
}
