import { publishChange } from '../../database/changes/change-feed.ts';
import type { Endpoint } from '../endpoint.ts';
import type { EndpointDeps } from '../endpoints/create-endpoint.ts';
import { NO_NODE, renderNews } from './queue-deliveries.ts';
import { pullRetriesForward } from './queue-queries.ts';

/** Makes all retries of an endpoint due at once, and notifies all nodes: the node that works its queue knows other due times. */
export async function tryRetriesNow(deps: Pick<EndpointDeps, 'db' | 'clock'>, endpoint: Endpoint): Promise<void> {
  const { db, clock } = deps;
  await pullRetriesForward(db, endpoint, clock.now());
  await publishChange(db, 'webhook_queue', renderNews(NO_NODE, [endpoint]));
}
