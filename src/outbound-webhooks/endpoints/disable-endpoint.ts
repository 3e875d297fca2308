import { newId } from '../../core/ids.ts';
import type { Clock } from '../../core/time/clock.ts';
import { publishChange } from '../../database/changes/change-feed.ts';
import type { Database } from '../../database/database.ts';
import { recordEvents } from '../../events/index.ts';
import type { DisabledReason, Endpoint } from '../endpoint.ts';
import type { EndpointEventDetail } from './endpoint-match.ts';
import { lockEndpoint, updateEndpoint } from './endpoint-queries.ts';

/**
 * Disables an endpoint that is gone or has failed for too long, and records an event about it. Its deliveries wait in its queue.
 * Returns the endpoint as it is now. Returns undefined if it no longer exists, or was changed after the state given here: it may have
 * been enabled, or have moved.
 */
export async function disableEndpoint(
  deps: { db: Database; clock: Clock },
  { organizationId, id, url, updatedAtMs }: Endpoint,
  reason: Exclude<DisabledReason, 'owner'>,
): Promise<Endpoint | undefined> {
  const nowMs = deps.clock.now();
  return await deps.db.transaction(async (tx) => {
    const endpoint = await lockEndpoint(tx, organizationId, id);
    if (endpoint?.url !== url) return undefined;
    if (endpoint.disabled !== null) return endpoint;
    if (endpoint.updatedAtMs > updatedAtMs) return undefined;
    const disabled = await updateEndpoint(tx, { ...endpoint, disabled: { atMs: nowMs, reason } }, nowMs);
    const detail: EndpointEventDetail = { webhook_id: id, url, reason };
    await recordEvents(tx, [
      {
        id: newId(nowMs),
        organizationId,
        type: 'webhook.disabled',
        occurredAtMs: nowMs,
        detail: JSON.stringify(detail),
      },
    ]);
    await publishChange(tx, 'webhook', id);
    return disabled;
  });
}
