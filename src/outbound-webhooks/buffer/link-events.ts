import type { Queryable } from '../../database/database.ts';
import { type Event, linkQuoted, linkRecipientCards } from '../../events/index.ts';
import type { Endpoint } from '../endpoint.ts';

/** An event on its way to an endpoint. */
interface Addressed {
  endpoint: Pick<Endpoint, 'format' | 'messageIds'>;
  event: Event;
}

/** Adds to events the facts that the formats of their endpoints show beyond the event itself. */
export async function linkEvents(db: Queryable, deliveries: readonly Addressed[]): Promise<void> {
  const inUpstreamFormat = deliveries.filter(({ endpoint }) => endpoint.format === 'cloud_api');
  const withOurIds = inUpstreamFormat.filter(({ endpoint }) => endpoint.messageIds === 'gateway');
  await linkQuoted(db, eventsOf(withOurIds));
  await linkRecipientCards(db, eventsOf(inUpstreamFormat));
}

/** Returns each event once, although it may go to several endpoints. */
function eventsOf(deliveries: readonly Addressed[]): Event[] {
  return [...new Set(deliveries.map(({ event }) => event))];
}
