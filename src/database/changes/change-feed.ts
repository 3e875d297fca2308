import type { Logger } from 'pino';
import { shareRuns } from '../../core/run/share-runs.ts';
import type { Clock } from '../../core/time/clock.ts';
import type { Queryable } from '../database.ts';
import { firstRow } from '../first-row.ts';

/** The subject of a change, which determines its key. */
export type ChangeTopic =
  /** Hex SHA-256 of the API key. */
  | 'api_key'
  /** Hex SHA-256 of an operator's token. */
  | 'operator'
  /** Id of a further Meta app. */
  | 'app'
  /** Hex SHA-256 of a console session's secret. */
  | 'console_session'
  /** Organization id. */
  | 'organization'
  /** Organization id. */
  | 'plan'
  /** The upstream's phone number id. */
  | 'number'
  /** The upstream's WABA id. */
  | 'waba'
  /** `organizationId/wabaId/name`: all languages of one template. */
  | 'template'
  /** Organization id: some of its waiting messages were cancelled. */
  | 'cancellation'
  /** Organization id: a person's data is to be erased, or has been. */
  | 'erasure'
  /** `numberId:n,…`: n messages came in for numbers that the publishing node does not lease. */
  | 'inbound'
  /** JSON of a throttle of the platform: of an account, an app or all numbers, for a limited time. */
  | 'throttle'
  /** JSON of a `KeyMerge`: two keys of an account's people were merged. */
  | 'person'
  /** Webhook endpoint id. */
  | 'webhook'
  /** `nodeId:n,n,…`: endpoint numbers for which a node has queued deliveries, or whose queues have changed otherwise. */
  | 'webhook_queue';

/**
 * Notifies every node, once `tx` commits, that the objects of `keys` have changed. Must run in the changing transaction: then a change
 * that is rolled back notifies no node, and no committed change goes unnoticed.
 */
export async function publishChanges(tx: Queryable, topic: ChangeTopic, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return;
  await tx.query({
    name: 'publish_changes',
    text: 'INSERT INTO change_feed (topic, key) SELECT $1, unnest($2::text[])',
    values: [topic, keys],
  });
}

/** `publishChanges` for one key. */
export function publishChange(tx: Queryable, topic: ChangeTopic, key: string): Promise<void> {
  return publishChanges(tx, topic, [key]);
}

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
  /**
   * Looks at once. Resolves when all changes committed before the call are in force on this node, so that a caller sees its own change
   * when it is answered. Never rejects; if the database does not answer, the next look catches up.
   */
  catchUp(): Promise<void>;
  /** From now on, looks less often while `isAlone` returns true: the only live node sees its own changes by `catchUp`. */
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
}

interface Change {
  topic: ChangeTopic;
  key: string;
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
const PRUNE_EVERY_MS = 10 * 60_000;
/** Longest time between two looks in which no row can have been pruned: half the retention, as clocks differ. */
const TOLD_MS_MAX = 30 * 60_000;

/**
 * Creates the feed of one node.
 *
 * Each look takes a snapshot and reads the rows that it sees and the previous snapshot did not. Neither commit order nor the length of
 * a transaction can hide a row: a transaction still open in the old snapshot is found with the new one.
 *
 * Caches that were not compared for too long are reset, and again each time that span passes, because values loaded meanwhile may go
 * stale unnoticed. The first look after a failure or a broken connection starts from a new snapshot and resets all subscribers: the
 * database may be another one, or may have crashed and recovered between two looks. The old snapshot cannot recognize transaction ids
 * that such a database gives out a second time.
 */
export function createChangeFeed(options: ChangeFeedOptions): ChangeFeed {
  const { db, clock, log, pollMs = 200 } = options;
  const subscribers: Subscriber[] = [];
  /** Snapshot and start time of the last look; undefined during a look and after a failed one. */
  let lastLook: { snapshot: string; atMs: number } | undefined;
  let timesDoubted = 0;
  /** Every cached value was compared with the database, or loaded, after this time. */
  let comparedAtMs = 0;
  let prunedAtMs = 0;
  let failing = false;
  let stopped = false;
  let isAlone = () => false;
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
      subscriber.isBehind = true;
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

  /** Resets caches that were not compared with the database recently. */
  function resetOverdue(): void {
    if (clock.monotonicMs() - comparedAtMs < UNCOMPARED_MS_MAX) return;
    beginAnew(subscribers.filter(({ isForgetful }) => isForgetful));
    comparedAtMs = clock.monotonicMs();
  }

  /** Has its own timer, because a look can hang. */
  function watch(): void {
    cancelWatch();
    resetOverdue();
    cancelWatch = clock.schedule(comparedAtMs + UNCOMPARED_MS_MAX - clock.monotonicMs(), watch);
  }

  async function look(): Promise<void> {
    const atMs = clock.monotonicMs();
    const before = lastLook;
    const doubtedBefore = timesDoubted;
    lastLook = undefined;
    const hasMissed = before === undefined || atMs - before.atMs > TOLD_MS_MAX;
    const snapshot = hasMissed ? await startOver() : await tellChanges(before.snapshot);
    if (timesDoubted === doubtedBefore) lastLook = { snapshot, atMs };
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
    if (!stopped) {
      const tookMs = clock.monotonicMs() - startedAtMs;
      cancelRun = clock.schedule(isAlone() ? Math.max(pollMs, ALONE_POLL_MS - 3 * tookMs) : pollMs, () => {
        running = run();
      });
    }
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

/** The current snapshot as text; a later look at the changes starts from it. */
export async function takeSnapshot(db: Queryable): Promise<string> {
  const rows = await db.query<{ snapshot: string }>({
    name: 'take_snapshot',
    text: 'SELECT pg_current_snapshot()::text AS snapshot',
  });
  return firstRow(rows).snapshot;
}

/** The keys of one topic that changed since `snapshot`, which must not be older than the feed's retention, and the next start. */
export async function readChangedKeys(
  db: Queryable,
  topic: ChangeTopic,
  snapshot: string,
): Promise<{ snapshot: string; keys: string[] }> {
  const rows = await db.query<{ snapshot: string; keys: string[] }>({
    name: 'read_changed_keys',
    text: `
      SELECT pg_current_snapshot()::text AS snapshot, ARRAY(
        SELECT DISTINCT key FROM change_feed
        WHERE topic = $2 AND xid >= pg_snapshot_xmin($1::pg_snapshot) AND NOT pg_visible_in_snapshot(xid, $1::pg_snapshot)
      ) AS keys`,
    values: [snapshot, topic],
  });
  return firstRow(rows);
}

/** The changes that became visible since `snapshot`, each once, and the snapshot they were read with. */
async function readChangesSince(db: Queryable, snapshot: string): Promise<{ snapshot: string; changes: Change[] }> {
  const rows = await db.query<{ snapshot: string } & (Change | { topic: null; key: null })>({
    name: 'read_changes_since',
    // Transactions below the old snapshot's xmin had ended by then; that bound lets the index on xid serve the search. Function and
    // statement see the same snapshot: each statement of READ COMMITTED has exactly one.
    text: `
      SELECT now.snapshot::text, feed.topic, feed.key
      FROM (SELECT pg_current_snapshot() AS snapshot) AS now
      LEFT JOIN change_feed AS feed
        ON feed.xid >= pg_snapshot_xmin($1::pg_snapshot) AND NOT pg_visible_in_snapshot(feed.xid, $1::pg_snapshot)`,
    values: [snapshot],
  });
  return {
    snapshot: rows[0]?.snapshot ?? snapshot,
    changes: rows.filter((row) => row.topic !== null),
  };
}

async function pruneChanges(db: Queryable): Promise<void> {
  await db.query({ text: "DELETE FROM change_feed WHERE at < now() - interval '1 hour'" });
}
