import type { Queryable } from '../database.ts';
import { firstRow } from '../first-row.ts';
import type { Changes } from './change-feed.ts';

/**
 * Calls `onFailover` after a standby, or a restored server, has taken the place of the server. The last commits may then be lost. A call that
 * rejects is repeated until it resolves.
 */
export function followFailovers(deps: { db: Queryable; changes: Changes }, onFailover: () => Promise<void>): void {
  let known: string | undefined;
  // The feed starts over after every broken connection, and each replacement of the server breaks connections.
  deps.changes.follow(
    [],
    () => {},
    async () => {
      const timeline = await readTimeline(deps.db);
      if (known !== undefined && known !== timeline) await onFailover();
      known = timeline;
    },
  );
}

/** Identifies the history of the server's commits. A promotion begins another timeline. */
async function readTimeline(db: Queryable): Promise<string> {
  const rows = await db.query<{ timeline: string }>({
    name: 'timeline',
    text: 'SELECT left(pg_walfile_name(pg_current_wal_lsn()), 8) AS timeline',
  });
  return firstRow(rows).timeline;
}
