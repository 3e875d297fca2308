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

/** Name of the statement that publishes changes. */
export const PUBLISH_STATEMENT = 'publish_changes';

/**
 * Notifies every node, once `tx` commits, that the objects of `keys` have changed. Must run in the changing transaction: then a change
 * that is rolled back notifies no node, and no committed change goes unnoticed.
 */
export async function publishChanges(tx: Queryable, topic: ChangeTopic, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return;
  await tx.query({
    name: PUBLISH_STATEMENT,
    text: 'INSERT INTO change_feed (topic, key) SELECT $1, unnest($2::text[])',
    values: [topic, keys],
  });
}

/** `publishChanges` for one key. */
export function publishChange(tx: Queryable, topic: ChangeTopic, key: string): Promise<void> {
  return publishChanges(tx, topic, [key]);
}

interface Change {
  topic: ChangeTopic;
  key: string;
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
export async function readChangesSince(
  db: Queryable,
  snapshot: string,
): Promise<{ snapshot: string; changes: Change[] }> {
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

/** Deletes changes older than an hour. */
export async function pruneChanges(db: Queryable): Promise<void> {
  await db.query({ text: "DELETE FROM change_feed WHERE at < now() - interval '1 hour'" });
}
