import { AppError } from '../../core/errors.ts';
import { newId } from '../../core/ids.ts';
import { eventId, recordEvents } from '../../events/index.ts';
import { getEndpoint } from '../endpoints/change-endpoint.ts';
import type { EndpointDeps } from '../endpoints/create-endpoint.ts';
import type { EndpointEventDetail } from '../endpoints/endpoint-match.ts';

/**
 * Records a `webhook.test` event for this endpoint alone, which takes the path of all events. Returns its id.
 * Raises NOT_FOUND, and CONFLICT if the endpoint is disabled.
 */
export async function sendTestEvent(deps: EndpointDeps, organizationId: string, endpointId: string): Promise<string> {
  const endpoint = await getEndpoint(deps, organizationId, endpointId);
  if (endpoint.disabled !== null) throw new AppError('CONFLICT', 'The endpoint is disabled; enable it first.');
  const occurredAtMs = deps.clock.now();
  const id = newId(occurredAtMs);
  const detail: EndpointEventDetail = { webhook_id: endpointId, url: endpoint.url };
  const event = { id, organizationId, type: 'webhook.test', occurredAtMs } as const;
  await deps.db.transaction((tx) => recordEvents(tx, [{ ...event, detail: JSON.stringify(detail) }]));
  return eventId({ subjectId: id, sequence: 1 });
}
