import type { Clock } from '../core/time/clock.ts';
import type { Queryable } from '../database/database.ts';
import { countQueued } from './queries.ts';

/** How many messages an organization may have waiting to be sent. */
export interface QueueBounds {
  /**
   * Claims a place for one message in the organization's queue; false when `queueMax` places are taken. To be followed by
   * `stored` or `giveBack`. At once, except for an organization not heard of lately.
   */
  claim(organizationId: string, queueMax: number): boolean | Promise<boolean>;
  /** The message a place was claimed for is queued. */
  stored(organizationId: string): void;
  /** The message a place was claimed for will not be. */
  giveBack(organizationId: string): void;
  /** A message has left the queue. */
  settled(organizationId: string): void;
}

interface Queue {
  /** Messages queued, as far as this node knows. */
  queued: number;
  /** Places claimed for messages that are not stored yet. */
  claimed: number;
  /** What was queued by the last count. */
  counted: number;
  countedAtMs: number;
  /** How long no other count may begin after it. */
  pauseMs: number;
  /** How long the last one that succeeded took. One alone says nothing of the queue: the database may have stood still. */
  lastTookMs: number;
  /** The first count, until it is there. */
  opening: Promise<void> | undefined;
  counting: boolean;
}

const COUNT_EVERY_MS = 3_000;
/** As soon as this after the last count where much was stored here since: of what has left meanwhile by other nodes only a count tells. */
const COUNT_SOON_MS = 250;
/** So much of the bound is much. */
const STORED_SHARE = 1 / 4;
/** A count may take at most this share of the time, up to a pause: the longer the queue, the rarer it is counted. */
const COUNTING_SHARE = 0.05;
/** So long a queue that has emptied may be thought full. */
const PAUSE_MS_MAX = 10_000;
/** Counted beyond the bound, so that a queue that is over it is not thought below it after the first few leave. */
const COUNT_BEYOND = 10_000;
const QUEUES_MAX = 20_000;

/**
 * Keeps organizations from queueing without end. Counted in the database now and then and followed in between by what this node
 * stores and settles, so that no request costs a query; what other nodes do shows within seconds. The bound may therefore be
 * passed by what they let through in that time.
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
      // What was stored or left meanwhile may be in the count already; the next one puts that right.
      queue.queued = Math.max(0, counted + queue.queued - before);
      queue.counted = queue.queued;
      // One that fails tells how the database is, and not how long the queue takes to count.
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
    // Forgetting a queue costs it another count.
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
        // If it fails, what is known serves until the next.
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
