import type { Gateway } from './gateway.ts';
import { type Answer, call, type Tenant, until } from './tenant.ts';

/** An event as the pull API lists it. */
export type ListedEvent = Answer['json'];

/** One page of a tenant's events; fails unless it is answered 200. */
export async function pullPage(
  gateway: Gateway,
  tenant: Pick<Tenant, 'apiKey'>,
  query: Record<string, string | number> = {},
): Promise<{ data: ListedEvent[]; next: string }> {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) parameters.set(name, String(value));
  const answer = await call(gateway, tenant, 'GET', `/v1/events?${parameters}`);
  if (answer.status !== 200) throw new Error(`GET events: ${answer.status} ${answer.text}`);
  return answer.json;
}

/** All of a tenant's events from a place on, page after page. */
export async function pullAll(
  gateway: Gateway,
  tenant: Pick<Tenant, 'apiKey'>,
  after?: string,
  limit = 100,
): Promise<ListedEvent[]> {
  const events: ListedEvent[] = [];
  for (let cursor = after; ; ) {
    const page = await pullPage(gateway, tenant, { limit, ...(cursor !== undefined && { after: cursor }) });
    if (page.data.length === 0) return events;
    events.push(...page.data);
    cursor = page.next;
  }
}

/** Waits until a message has so many events, and answers them. */
export function untilEvents(
  gateway: Gateway,
  tenant: Tenant,
  messageId: string,
  count: number,
): Promise<ListedEvent[]> {
  return until(`message ${messageId} has ${count} events`, async () => {
    const events = (await pullAll(gateway, tenant)).filter((event) => event.data.id === messageId);
    return events.length >= count ? events : undefined;
  });
}

/** The place after everything that has happened. */
export async function currentCursor(gateway: Gateway, tenant: Tenant): Promise<string> {
  return (await pullPage(gateway, tenant, { after: 'now' })).next;
}
