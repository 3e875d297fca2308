import type { Queryable } from '../database/database.ts';
import type { Dispatcher } from '../dispatch/index.ts';
import type { EventLoopDelay } from '../telemetry/index.ts';
import { writeReport } from './queries.ts';

/** Most numbers in one report, so that a node with very many of them does not write megabytes. */
const NUMBERS_MAX = 2_000;
/** Most messages that a report foretells, and that it lists as kept back. */
const NEXT_MAX = 50;

/** Reports the figures of this node, for the overview and the queue that other nodes show. */
export async function reportNode({
  db,
  nodeId,
  dispatcher,
  eventLoopDelay,
}: {
  db: Queryable;
  nodeId: string;
  dispatcher: Pick<Dispatcher, 'totals' | 'listActive' | 'listNext'>;
  eventLoopDelay: Pick<EventLoopDelay, 'p99Ms'>;
}): Promise<void> {
  const { inFlight, numbers } = dispatcher.totals();
  const active = dispatcher.listActive();
  await writeReport(db, nodeId, {
    inFlight,
    numbers,
    eventLoopDelaySeconds: eventLoopDelay.p99Ms / 1000,
    memoryBytes: process.memoryUsage.rss(),
    sentPerSecond: active.reduce((sum, { usedPerSecond }) => sum + usedPerSecond, 0),
    paces: active.slice(0, NUMBERS_MAX).map(({ numberId, pacePerSecond, usedPerSecond }) => ({
      number_id: numberId,
      pace: pacePerSecond,
      used: usedPerSecond,
    })),
    next: await dispatcher.listNext(NEXT_MAX),
  });
}
