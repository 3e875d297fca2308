import type { Logger } from 'pino';
import { shareRuns } from '../../core/run/share-runs.ts';
import type { Clock } from '../../core/time/clock.ts';
import type { Queryable } from '../database.ts';
import { type ChangeTopic, pruneChanges, readChangesSince, takeSnapshot } from './change-queries.ts';

export { type ChangeTopic, publishChange, publishChanges } from './change-queries.ts';

/**
 * The feed as its subscribers see it. `onChange` is called with the key of every committed change of the given topics. `catchUp` waits
 * for promises that callbacks return. If a callback rejects, a change may not be in force; the subscriber is then reset at every look
 * until its reset succeeds.
 */
export interface Changes {
  /**
   * For caches. Calls `onReset` if changes may have been missed, or if the cache was not compared with the database for too long; cached
   * values must not be trusted afterwards. `onChange` or `onReset` reaches every node within a second of the commit.
   */
  on(topics: ChangeTopic | ChangeTopic[], onChange: (key: string) => unknown, onReset: () => unknown): void;
  /**
   * For state that stays valid until a change arrives and is expensive to read again. A change may arrive late; `onMissed` is called only
   * if changes may have been missed.
   */
  follow(topics: ChangeTopic | ChangeTopic[], onChange: (key: string) => unknown, onMissed: () => unknown): void;
}

/** Follows the changes of all nodes. Dispose it with `stop()`. */
export interface ChangeFeed extends Changes {
  /** Starts following. Resolves after the first look at the database, even if that look failed. */
  start(): Promise<void>;
  /** Makes the next look start over, as after a failure. Call it when the database may be another one, or may have crashed. */
  doubt(): void;
  /** Notes that this process publishes changes. Call the returned function once their transaction has ended. */
  publishing(): () => void;
  /**
   * Looks at once. Resolves when all changes committed before the call are in force on this node, so that a caller sees its own change
   * when it is answered. Never rejects; if the database does not answer, the next look catches up.
   */
  catchUp(): Promise<void>;
  /** From now on, looks less often while `isAlone` returns true: the only live node sees the changes of its callers by `catchUp`. */
  relaxWhile(isAlone: () => boolean): void;
  /**
   * Resets caches if that is overdue. Call it before a cache decides about a request: after a process stood still, queued requests are
   * handled before the timers.
   */
  resetOverdue(): void;
  /** Stops following; resolves when no look runs any more. */
  stop(): Promise<void>;
}

export interface ChangeFeedOptions {
  db: Queryable;
  clock: Clock;
  log: Logger;
  /** Delay between two looks at the database beside other nodes, in milliseconds. */
  pollMs?: number;
  /** True if no other process works on the database: then every change is announced by `publishing` or `doubt`. */
  alone?: boolean;
}

interface Subscriber {
  topics: ChangeTopic[];
  onChange: (key: string) => unknown;
  beginAnew: () => unknown;
  /** Also reset if its memory was not compared with the database for too long. */
  isForgetful: boolean;
  /** Its last callback failed. */
  isBehind: boolean;
}

/** Longest time a cache may go without comparison; leaves time for a last answer within the promised second. */
const UNCOMPARED_MS_MAX = 700;
/** Delay between two looks of a node that is alone. With a slow database it is shorter, so that no cache is reset for want of a look. */
const ALONE_POLL_MS = 600;
/** Delay between two looks while the feed is settled. */
const SETTLED_POLL_MS = 5_000;
/** Time after a broken connection in which the server may still commit its transaction: the limit of a statement, and some slack. */
const DOUBT_MS = 15_000;
const PRUNE_EVERY_MS = 10 * 60_000;
/** Longest time between two looks in which no row can have been pruned: half the retention, as clocks differ. */
const TOLD_MS_MAX = 30 * 60_000;

/**
 * Creates the feed of one node.
 *
 * Each look takes a snapshot and reads the rows that it sees and the previous snapshot did not. Neither commit order nor the length of
 * a transaction can hide a row: a transaction still open in the old snapshot is found with the new one.
 *
 * In a process that is alone, the feed is settled if the last look began after everything that was published, and no connection has broken
 * lately. As nothing changes then, looks are rare and no cache is reset (decision 0076).
 *
 * Caches that were not compared for too long are reset, and again each time that span passes, because values loaded meanwhile may go
 * stale unnoticed. The first look after a failure or a broken connection starts from a new snapshot and resets all subscribers: the
 * database may be another one, or may have crashed and recovered between two looks. The old snapshot cannot recognize transaction ids
 * that such a database gives out a second time.
 */
export function createChangeFeed(options: ChangeFeedOptions): ChangeFeed {
  const { db, clock, log, pollMs = 200, alone = false } = options;
  const subscribers: Subscriber[] = [];
  /** Snapshot and start time of the last look; undefined during a look and after a failed one. */
  let lastLook: { snapshot: string; atMs: number } | undefined;
  let timesDoubted = 0;
  /** Every cached value was compared with the database, or loaded, after this time. */
  let comparedAtMs = 0;
  let prunedAtMs = 0;
  /** Start of the last look that succeeded. */
  let lookedAtMs = Number.NEGATIVE_INFINITY;
  /** A look that begins later covers all changes so far, except those of transactions in progress or in doubt. */
  let unsettledAtMs = Number.NEGATIVE_INFINITY;
  let doubtUntilMs = Number.NEGATIVE_INFINITY;
  let publications = 0;
  let failing = false;
  let stopped = false;
  let isAlone = () => false;
  /** True if a timer is set for the next look. */
  let isResting = false;
  /** Duration of the last run in ms. */
  let lookMs = 0;
  let cancelRun = () => {};
  let cancelWatch = () => {};
  let running: Promise<void> = Promise.resolve();
  /** Work of subscribers that their callbacks have started and not finished. */
  const effects = new Set<Promise<unknown>>();

  function subscribing(isForgetful: boolean): Changes['on'] {
    return (topics, onChange, beginAnew) => {
      subscribers.push({ topics: [topics].flat(), onChange, beginAnew, isForgetful, isBehind: false });
    };
  }

  /** Runs a callback of one subscriber. Its failure does not affect the others. */
  function tell(subscriber: Subscriber, action: () => unknown): void {
    const failed = (error: unknown) => {
      unsettle(() => {
        subscriber.isBehind = true;
      });
      if (!stopped) log.warn({ err: error }, 'a change could not be applied on this node yet; trying again');
    };
    try {
      const effect = action();
      if (!(effect instanceof Promise)) return;
      const ended = effect.catch(failed).finally(() => effects.delete(ended));
      effects.add(ended);
    } catch (error) {
      failed(error);
    }
  }

  function beginAnew(concerned: readonly Subscriber[]): void {
    for (const subscriber of concerned) {
      subscriber.isBehind = false;
      tell(subscriber, subscriber.beginAnew);
    }
  }

  function isSettled(): boolean {
    return alone && publications === 0 && lookedAtMs > unsettledAtMs && clock.monotonicMs() >= doubtUntilMs;
  }

  /** Applies `change`, after which the feed is not settled. */
  function unsettle(change: () => void): void {
    const wasSettled = isSettled();
    change();
    unsettledAtMs = clock.monotonicMs();
    if (!wasSettled || stopped) return;
    // Every cached value was right until now.
    comparedAtMs = unsettledAtMs;
    watch();
    if (isResting) lookAfter(restMs());
  }

  /** Resets caches that were not compared with the database recently. */
  function resetOverdue(): void {
    if (isSettled()) comparedAtMs = clock.monotonicMs();
    if (clock.monotonicMs() - comparedAtMs < UNCOMPARED_MS_MAX) return;
    beginAnew(subscribers.filter(({ isForgetful }) => isForgetful));
    comparedAtMs = clock.monotonicMs();
  }

  /** Has its own timer, because a look can hang. */
  function watch(): void {
    cancelWatch();
    resetOverdue();
    if (isSettled()) return;
    cancelWatch = clock.schedule(comparedAtMs + UNCOMPARED_MS_MAX - clock.monotonicMs(), watch);
  }

  async function look(): Promise<void> {
    const atMs = clock.monotonicMs();
    const before = lastLook;
    const doubtedBefore = timesDoubted;
    lastLook = undefined;
    const hasMissed = before === undefined || atMs - before.atMs > TOLD_MS_MAX;
    const snapshot = await (hasMissed ? startOver() : tellChanges(before.snapshot)).catch((error) => {
      unsettle(() => {});
      throw error;
    });
    if (timesDoubted === doubtedBefore) lastLook = { snapshot, atMs };
    lookedAtMs = atMs;
    resetOverdue();
    comparedAtMs = Math.max(comparedAtMs, atMs);
  }

  async function startOver(): Promise<string> {
    const snapshot = await takeSnapshot(db);
    beginAnew(subscribers);
    comparedAtMs = clock.monotonicMs();
    return snapshot;
  }

  async function tellChanges(since: string): Promise<string> {
    const { snapshot, changes } = await readChangesSince(db, since);
    beginAnew(subscribers.filter(({ isBehind }) => isBehind));
    for (const { topic, key } of changes) {
      for (const subscriber of subscribers) {
        if (subscriber.topics.includes(topic)) tell(subscriber, () => subscriber.onChange(key));
      }
    }
    return snapshot;
  }

  /** Runs one look at a time, so that each continues where the previous one ended. */
  const lookInTurn = shareRuns(look);

  async function prune(): Promise<void> {
    if (clock.monotonicMs() - prunedAtMs < PRUNE_EVERY_MS) return;
    prunedAtMs = clock.monotonicMs();
    await pruneChanges(db);
  }

  async function run(): Promise<void> {
    const startedAtMs = clock.monotonicMs();
    isResting = false;
    try {
      await lookInTurn();
      await prune();
      if (failing) log.info('following the change feed again');
      failing = false;
    } catch (error) {
      if (!failing)
        log.warn({ err: error }, 'cannot follow the change feed; nothing is cached for longer than a second');
      failing = true;
    }
    lookMs = clock.monotonicMs() - startedAtMs;
    if (!stopped) lookAfter(restMs());
  }

  function restMs(): number {
    if (isSettled()) return SETTLED_POLL_MS;
    return isAlone() ? Math.max(pollMs, ALONE_POLL_MS - 3 * lookMs) : pollMs;
  }

  function lookAfter(delayMs: number): void {
    cancelRun();
    isResting = true;
    cancelRun = clock.schedule(delayMs, () => {
      running = run();
    });
  }

  return {
    on: subscribing(true),
    follow: subscribing(false),
    async catchUp() {
      await lookInTurn().catch(() => {});
      // Includes effects of earlier looks: one in progress at the call may have found the change.
      await Promise.allSettled(effects);
    },
    relaxWhile(condition) {
      isAlone = condition;
    },
    resetOverdue,
    doubt() {
      timesDoubted += 1;
      lastLook = undefined;
      unsettle(() => {
        doubtUntilMs = clock.monotonicMs() + DOUBT_MS;
      });
    },
    publishing() {
      unsettle(() => {
        publications += 1;
      });
      return () =>
        unsettle(() => {
          publications -= 1;
        });
    },
    start() {
      comparedAtMs = clock.monotonicMs();
      prunedAtMs = comparedAtMs;
      watch();
      running = run();
      return running;
    },
    async stop() {
      stopped = true;
      cancelRun();
      cancelWatch();
      await running;
    },
  };
}
