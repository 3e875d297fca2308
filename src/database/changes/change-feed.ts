import type { Logger } from 'pino';
import { shareRuns } from '../../core/run/share-runs.ts';
import type { Clock } from '../../core/time/clock.ts';
import type { Queryable } from '../database.ts';
import { firstRow } from '../first-row.ts';

/** What a change is about, and so what its key is. */
export type ChangeTopic =
  /** Hex SHA-256 of the API key. */
  | 'api_key'
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
  /** Organization id: some of its waiting messages are not to be sent. */
  | 'cancellation'
  /** `numberId:n,…`: so many messages have come in for numbers that the node which tells it does not work on. */
  | 'inbound'
  /** JSON of a throttle: what the platform refuses for an account, or for everybody, for some time. */
  | 'throttle'
  /** Webhook endpoint id. */
  | 'webhook'
  /** `nodeId:n,n,…`: endpoint numbers a node has queued deliveries for, or whose queues have changed otherwise. */
  | 'webhook_queue';

/**
 * Tells every node that what `keys` name has changed once `tx` commits. To be called in the changing transaction: nobody hears
 * of a change that was rolled back, and no committed change goes untold.
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
 * The feed as its subscribers see it. Each calls `onChange` with the key of every committed change of the topic, or of either of
 * several. `catchUp` waits for a promise that a callback answers. Where one rejects, a change may not be in force: the subscriber
 * begins anew, at each look, until that succeeds.
 */
export interface Changes {
  /**
   * For who remembers what can be forgotten: calls `onReset` when changes may go untold or memory has gone uncompared for too long,
   * after which nothing remembered may be trusted. One of the two reaches every node within a second of the commit.
   */
  on(topics: ChangeTopic | ChangeTopic[], onChange: (key: string) => unknown, onReset: () => unknown): void;
  /**
   * For who works with what it knows until it is told better, and for whom reading all of it anew is dear: a change may be told
   * late, and `onMissed` is called only when changes may go untold.
   */
  follow(topics: ChangeTopic | ChangeTopic[], onChange: (key: string) => unknown, onMissed: () => unknown): void;
}

/** Follows the changes of all nodes. Dispose it with `stop()`. */
export interface ChangeFeed extends Changes {
  /** Begins to follow. Resolves after the first look at the database, whether or not it succeeded. */
  start(): Promise<void>;
  /** Has the next look begin anew, as after one that failed. To be called when the database may be another one, or have crashed. */
  doubt(): void;
  /**
   * Looks at once: resolves when what was committed before the call holds on this node. So whoever changes something finds it in
   * force here when it is answered. Never rejects; where the database does not answer, it is left to the next look.
   */
  catchUp(): Promise<void>;
  /**
   * Resets who remembers if that is overdue. To be called before memory decides about a request: in a process that stood still, what
   * arrived meanwhile comes before the timers.
   */
  resetOverdue(): void;
  /** Ends following; resolves when nothing of it runs any more. */
  stop(): Promise<void>;
}

export interface ChangeFeedOptions {
  db: Queryable;
  clock: Clock;
  log: Logger;
  /** Wait between two looks at the database. */
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
  /** Begins anew, too, when memory has gone uncompared for too long. */
  isForgetful: boolean;
  /** It failed at what it was told last. */
  isBehind: boolean;
}

/** Longest time memory may go uncompared with the database; leaves room for a last answer within the second promised. */
const UNCOMPARED_MS_MAX = 700;
const PRUNE_EVERY_MS = 10 * 60_000;
/** Longest time between two looks after which all changes are still there: half of how long rows are kept, as clocks differ. */
const TOLD_MS_MAX = 30 * 60_000;

/**
 * The feed of one node.
 *
 * Each look takes a snapshot and asks for the rows it sees and the snapshot before did not. Neither commit order nor the length
 * of a transaction hides a row from that: what was running then is unseen by the old snapshot and found with the new one.
 *
 * When memory has gone uncompared for too long, those who remember are reset, and again each time that span passes, because what
 * they load meanwhile may go stale unseen. The first look after a failure, or after a connection broke, starts from a new snapshot and
 * has all begin anew: the database that answers may be another one, or have crashed and be back before a look could fail, and of the
 * transaction ids that it gives out again the old snapshot knows nothing.
 */
export function createChangeFeed(options: ChangeFeedOptions): ChangeFeed {
  const { db, clock, log, pollMs = 200 } = options;
  const subscribers: Subscriber[] = [];
  /** Where the last look ended, and when it began; undefined during a look, and after one that failed. */
  let lastLook: { snapshot: string; atMs: number } | undefined;
  let timesDoubted = 0;
  /** Everything remembered was compared with the database, or loaded, after this. */
  let comparedAtMs = 0;
  let prunedAtMs = 0;
  let failing = false;
  let stopped = false;
  let cancelRun = () => {};
  let cancelWatch = () => {};
  let running: Promise<void> = Promise.resolve();
  /** What subscribers are still doing about changes they were told of. */
  const effects = new Set<Promise<unknown>>();

  function subscribing(isForgetful: boolean): Changes['on'] {
    return (topics, onChange, beginAnew) => {
      subscribers.push({ topics: [topics].flat(), onChange, beginAnew, isForgetful, isBehind: false });
    };
  }

  /** One subscriber's failure is no other's. */
  function tell(subscriber: Subscriber, action: () => unknown): void {
    const failed = (error: unknown) => {
      subscriber.isBehind = true;
      if (!stopped) log.warn({ err: error }, 'a change is not in force here yet');
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

  /** Memory that was not compared with the database lately is not trusted. */
  function resetOverdue(): void {
    if (clock.monotonicMs() - comparedAtMs < UNCOMPARED_MS_MAX) return;
    beginAnew(subscribers.filter(({ isForgetful }) => isForgetful));
    comparedAtMs = clock.monotonicMs();
  }

  /** Keeps its own time, because a look can hang. */
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

  /** One look at a time, so that each goes on where the one before ended. */
  const lookInTurn = shareRuns(look);

  async function prune(): Promise<void> {
    if (clock.monotonicMs() - prunedAtMs < PRUNE_EVERY_MS) return;
    prunedAtMs = clock.monotonicMs();
    await pruneChanges(db);
  }

  async function run(): Promise<void> {
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
      cancelRun = clock.schedule(pollMs, () => {
        running = run();
      });
    }
  }

  return {
    on: subscribing(true),
    follow: subscribing(false),
    async catchUp() {
      await lookInTurn().catch(() => {});
      // Those of looks before, too: the change may have been found by one that was under way.
      await Promise.allSettled(effects);
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

/** What is committed now, as text: where a look at the changes after it begins. */
export async function takeSnapshot(db: Queryable): Promise<string> {
  const rows = await db.query<{ snapshot: string }>({
    name: 'take_snapshot',
    text: 'SELECT pg_current_snapshot()::text AS snapshot',
  });
  return firstRow(rows).snapshot;
}

/** The keys of one topic that changed since `snapshot`, which is not older than the feed's rows are kept, and where the next look begins. */
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

/** The changes that became visible since `snapshot`, each of them once, and the snapshot they were read with. */
async function readChangesSince(db: Queryable, snapshot: string): Promise<{ snapshot: string; changes: Change[] }> {
  const rows = await db.query<{ snapshot: string } & (Change | { topic: null; key: null })>({
    name: 'read_changes_since',
    // Everything below the old snapshot's xmin was settled then: that bound is for the index on xid. The function and the
    // statement see the same snapshot, as each statement of READ COMMITTED has exactly one.
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
