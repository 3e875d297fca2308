import { newId } from '../../../src/core/ids.ts';
import { eventId, recordEvents } from '../../../src/events/index.ts';
import type { Gateway } from '../../harness/gateway.ts';
import { type Answer, call, type Tenant, until } from '../../harness/tenant.ts';

/** Registers an endpoint; throws unless that succeeds. */
export async function createWebhook(
  gateway: Gateway,
  tenant: Tenant,
  body: { url: string } & Record<string, unknown>,
): Promise<{ id: string; secret: string; public_key?: string }> {
  const answer = await call(gateway, tenant, 'POST', '/v1/webhooks', { body });
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.json;
}

/** Records events of a tenant's business account; returns their ids. */
export async function emitEvents(gateway: Gateway, tenant: Tenant, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newId());
  await gateway.app.db.transaction((tx) =>
    recordEvents(
      tx,
      ids.map((id) => ({
        id,
        organizationId: tenant.organizationId,
        type: 'account.updated',
        wabaId: tenant.wabaId,
        occurredAtMs: Date.now(),
        detail: '{}',
        upstream: { field: 'account_update', value: `{"event":"TEST","n":12345678901234567890,"id":"${id}"}` },
      })),
    ),
  );
  return ids.map((id) => eventId({ subjectId: id, sequence: 1 }));
}

/** Returns one page of an endpoint's deliveries. */
export async function deliveriesOf(
  gateway: Gateway,
  tenant: Tenant,
  id: string,
  query = '',
): Promise<Answer['json'][]> {
  const answer = await call(gateway, tenant, 'GET', `/v1/webhooks/${id}/deliveries${query}`);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.json.data;
}

/** Waits until the delivery of an event has ended, and returns it. */
export function settledDelivery(gateway: Gateway, tenant: Tenant, id: string, event: string): Promise<Answer['json']> {
  return until(`${event} is settled`, async () =>
    (await deliveriesOf(gateway, tenant, id)).find(
      (delivery) => delivery.event_id === event && delivery.settled_at !== null,
    ),
  );
}
