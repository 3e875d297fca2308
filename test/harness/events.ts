import type { Queryable } from '../../src/database/database.ts';
import type { Gateway } from './gateway.ts';
import { type Answer, call, type Served, type Tenant, until } from './tenant.ts';

/** An event as the pull API lists it. */
export type ListedEvent = Answer['json'];

/**
 * Waits until everything committed so far can be read. Open transactions of the whole server delay that, including those in other test
 * files' databases.
 */
export async function untilSettled(db: Queryable): Promise<void> {
  const [now] = await db.query<{ xid: string }>({ text: 'SELECT pg_current_xact_id()::text AS xid' });
  await until('what is committed is settled', async () => {
    const text = 'SELECT pg_snapshot_xmin(pg_current_snapshot()) > $1::xid8 AS settled';
    const [row] = await db.query<{ settled: boolean }>({ text, values: [now?.xid] });
    return row?.settled || undefined;
  });
}

/** Returns one page of a tenant's events; fails unless the answer is 200. */
export async function pullPage(
  gateway: Served,
  tenant: Pick<Tenant, 'apiKey'>,
  query: Record<string, string | number> = {},
): Promise<{ data: ListedEvent[]; next: string }> {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) parameters.set(name, String(value));
  const answer = await call(gateway, tenant, 'GET', `/v1/events?${parameters}`);
  if (answer.status !== 200) throw new Error(`GET events: ${answer.status} ${answer.text}`);
  return answer.json;
}

/** Returns all readable events of a tenant after a cursor, page after page. */
export async function pullPages(
  gateway: Served,
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

/** Returns all events of a tenant, including everything committed before this call. */
export async function pullAll(
  gateway: Gateway,
  tenant: Pick<Tenant, 'apiKey'>,
  after?: string,
  limit?: number,
): Promise<ListedEvent[]> {
  await untilSettled(gateway.app.db);
  return await pullPages(gateway, tenant, after, limit);
}

/** Waits until a message has `count` events, and returns them. */
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

/** Returns the cursor behind all present events. */
export async function currentCursor(gateway: Gateway, tenant: Tenant): Promise<string> {
  await untilSettled(gateway.app.db);
  return (await pullPage(gateway, tenant, { after: 'now' })).next;
}

/** Waits for the first event of this type that `matches`, and returns it. */
export function untilEvent(
  gateway: Gateway,
  tenant: Pick<Tenant, 'apiKey'>,
  type: string,
  matches: (event: ListedEvent) => boolean = () => true,
): Promise<ListedEvent> {
  return until(`the event ${type}`, async () =>
    (await pullAll(gateway, tenant)).find((event) => event.type === type && matches(event)),
  );
}
