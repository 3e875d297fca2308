import type { Clock } from '../core/time/clock.ts';
import type { Queryable } from '../database/database.ts';
import { countQueued } from './queries.ts';

/** Bounds the messages that an organization may have waiting to be sent. */
export interface QueueBounds {
  /**
   * Claims a place for one message in the organization's queue; false if all `queueMax` places are taken. The caller must then call
   * `stored` or `giveBack`. Answers at once, except for an organization that is not cached.
   */
  claim(organizationId: string, queueMax: number): boolean | Promise<boolean>;
  /** Confirms a claim: its message is queued. */
  stored(organizationId: string): void;
  /** Returns a claim: its message will not be queued. */
  giveBack(organizationId: string): void;
  /** Reports that a message has left the queue. */
  settled(organizationId: string): void;
}

interface Queue {
  /** Messages queued, as far as this node knows. */
  queued: number;
  /** Places claimed for messages that are not stored yet. */
  claimed: number;
  /** Messages queued at the last count. */
  counted: number;
  countedAtMs: number;
  /** Shortest time between this count and the next. */
  pauseMs: number;
  /** Duration of the last successful count. One slow count alone says nothing about the queue: the database may have stalled. */
  lastTookMs: number;
  /** The first count, until it completes. */
  opening: Promise<void> | undefined;
  counting: boolean;
}

const COUNT_EVERY_MS = 3_000;
/** Interval after many messages were stored here: only a count can show how many of them other nodes have sent since. */
const COUNT_SOON_MS = 250;
/** Share of the bound that counts as many. */
const STORED_SHARE = 1 / 4;
/** Highest share of time spent counting, up to PAUSE_MS_MAX between counts: the longer the queue, the less often it is counted. */
const COUNTING_SHARE = 0.05;
/** Longest time for which an emptied queue may still count as full. */
const PAUSE_MS_MAX = 10_000;
/** Rows counted beyond the bound. Without it, a queue far over its bound would seem below it after a few messages leave. */
const COUNT_BEYOND = 10_000;
const QUEUES_MAX = 20_000;

/**
 * Bounds the queue of each organization. The database is counted now and then; in between, the count follows the messages this node
 * stores and settles, so that requests cost no query. Changes by other nodes show within seconds. The bound may therefore be exceeded
 * by the messages they accept in that time.
 */
export function createQueueBounds(deps: { db: Queryable; clock: Clock }): QueueBounds {
  const { db, clock } = deps;
  const queues = new Map<string, Queue>();

  const count = async (organizationId: string, queue: Queue, queueMax: number) => {
    const startedAtMs = clock.monotonicMs();
    const before = queue.queued;
    queue.counting = true;
    queue.pauseMs = 0;
    try {
      const counted = await countQueued(db, organizationId, queueMax + COUNT_BEYOND);
      // Messages stored or settled during the count may be counted twice; the next count corrects that.
      queue.queued = Math.max(0, counted + queue.queued - before);
      queue.counted = queue.queued;
      // A failed count says something about the database, but nothing about the time the queue takes to count.
      const tookMs = clock.monotonicMs() - startedAtMs;
      queue.pauseMs = Math.min(Math.min(tookMs, queue.lastTookMs) / COUNTING_SHARE, PAUSE_MS_MAX);
      queue.lastTookMs = tookMs;
    } finally {
      queue.countedAtMs = clock.monotonicMs();
      queue.counting = false;
    }
  };

  const open = (organizationId: string, queueMax: number): Queue => {
    const queue: Queue = {
      queued: 0,
      claimed: 0,
      counted: 0,
      countedAtMs: 0,
      pauseMs: 0,
      lastTookMs: 0,
      opening: undefined,
      counting: false,
    };
    // Evicting a queue only costs it another count.
    const [oldest] = queues.size >= QUEUES_MAX ? queues.keys() : [];
    if (oldest !== undefined) queues.delete(oldest);
    queues.set(organizationId, queue);
    queue.opening = count(organizationId, queue, queueMax).then(
      () => {
        queue.opening = undefined;
      },
      (error) => {
        queues.delete(organizationId);
        throw error;
      },
    );
    return queue;
  };

  const isCountDue = ({ queued, claimed, counted, countedAtMs, pauseMs }: Queue, queueMax: number): boolean => {
    const everyMs = queued + claimed - counted >= queueMax * STORED_SHARE ? COUNT_SOON_MS : COUNT_EVERY_MS;
    return clock.monotonicMs() >= countedAtMs + Math.max(everyMs, pauseMs);
  };

  const take = (queue: Queue, queueMax: number): boolean => {
    if (queue.queued + queue.claimed >= queueMax) return false;
    queue.claimed += 1;
    return true;
  };

  return {
    claim(organizationId, queueMax) {
      const queue = queues.get(organizationId) ?? open(organizationId, queueMax);
      if (queue.opening !== undefined) return queue.opening.then(() => take(queue, queueMax));
      if (!queue.counting && isCountDue(queue, queueMax)) {
        // If the count fails, the known value serves until the next count.
        count(organizationId, queue, queueMax).catch(() => {});
      }
      return take(queue, queueMax);
    },
    stored(organizationId) {
      const queue = queues.get(organizationId);
      if (queue === undefined) return;
      queue.claimed = Math.max(0, queue.claimed - 1);
      queue.queued += 1;
    },
    giveBack(organizationId) {
      const queue = queues.get(organizationId);
      if (queue !== undefined) queue.claimed = Math.max(0, queue.claimed - 1);
    },
    settled(organizationId) {
      const queue = queues.get(organizationId);
      if (queue !== undefined) queue.queued = Math.max(0, queue.queued - 1);
    },
  };
}
