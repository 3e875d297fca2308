import { shareRuns } from '../core/run/share-runs.ts';
import type { Clock } from '../core/time/clock.ts';
import type { Queryable } from '../database/database.ts';
import type { ReadTotals } from '../dispatch/index.ts';
import { listTraffic, type MinuteOfTraffic } from '../organizations/index.ts';
import { type Attention, listAttention } from './attention.ts';
import {
  findPendingPayload,
  type ListedNode,
  listFailing,
  listNodes,
  listStopped,
  readWebhookLag,
  type WebhookLag,
} from './queries.ts';

const MINUTE_MS = 60_000;
const MINUTES = 60;
/** All pages that are open share one reading for this long. */
const FRESH_MS = 1_500;

export interface OverviewDeps {
  db: Queryable;
  clock: Clock;
  readTotals: ReadTotals;
}

export interface Overview {
  at: Date;
  /** One entry for each minute of the last hour, oldest first; the last two still grow. */
  minutes: MinuteOfTraffic[];
  /** Undefined if the queue could not be counted. */
  queue: { queued: number; held: number; oldestWaitSeconds: number } | undefined;
  webhooks: WebhookLag;
  nodes: ListedNode[];
  attention: Attention[];
}

/** Returns a reader of the overview. However many pages poll it, the database is read once in 1.5 seconds. */
export function createOverviewReader(deps: OverviewDeps): () => Promise<Overview> {
  let last: { overview: Overview; readAtMs: number } | undefined;
  const refresh = shareRuns(async () => {
    const readAtMs = deps.clock.monotonicMs();
    if (last !== undefined && readAtMs - last.readAtMs < FRESH_MS) return last.overview;
    last = { overview: await readOverview(deps), readAtMs };
    return last.overview;
  });
  return refresh;
}

async function readOverview({ db, clock, readTotals }: OverviewDeps): Promise<Overview> {
  const nowMs = clock.now();
  const firstMs = Math.floor(nowMs / MINUTE_MS) * MINUTE_MS - (MINUTES - 1) * MINUTE_MS;
  const [traffic, queue, webhooks, nodes, stopped, failing, pendingSince] = await Promise.all([
    listTraffic(db, firstMs),
    readTotals(),
    readWebhookLag(db),
    listNodes(db),
    listStopped(db),
    listFailing(db),
    findPendingPayload(db),
  ]);
  const byMinute = new Map(traffic.map((minute) => [minute.atMs, minute]));
  const minutes = Array.from({ length: MINUTES }, (_, index) => {
    const atMs = firstMs + index * MINUTE_MS;
    return byMinute.get(atMs) ?? { atMs, accepted: 0, sent: 0, delivered: 0, failed: 0 };
  });
  const attention = listAttention({ stopped, failing, nodes, pendingSince, waiting: queue?.queued ?? 0 }, nowMs);
  return { at: new Date(nowMs), minutes, queue, webhooks, nodes, attention };
}
