import { arrayTable } from '../../database/batching/array-table.ts';
import { heldLeasesSql } from '../../leases/index.ts';
import type { Journaled } from './journal-queries.ts';

/** A journal row for each shard of some messages, written by the statement that accepts them. */
export interface AcceptanceJournal {
  batch: number;
  epochs: ReadonlyMap<number, number>;
  /** By the platform's clock. */
  atMs: number;
  /** Start of the statement, on the monotonic clock. */
  journaledAtMs: number;
}

/** The messages that an acceptance has journaled, by id. */
export interface AcceptedJournal extends AcceptanceJournal {
  entries: ReadonlyMap<string, Journaled>;
}

/**
 * Returns the part of an accepting statement that journals the queue rows of its CTE `queued` (shard, number_id, flow_id, contact, seq), and
 * the parameters from number `first` on. `$1` is the owner. Like `journalDispatch`, it writes nothing if the owner no longer leases each of
 * the shards under the known epoch; nor if another transaction has locked one, because no acceptance waits for a lease. It leaves out numbers that are paused or released, and people who want no marketing from the number:
 * their other messages are journaled later. `journal` returns the journaled `seqs` of each shard.
 */
export function acceptanceJournal(first: number) {
  const leases = arrayTable<readonly [shard: number, epoch: number]>(first + 2)({
    shard: ['smallint', ([shard]) => shard],
    epoch: ['bigint', ([, epoch]) => epoch],
  });
  const sql = `
  lease AS MATERIALIZED (
    ${heldLeasesSql(leases, 'SKIP LOCKED')}
  ),
  journal AS (
    INSERT INTO dispatch_journal (shard, owner, batch, number_ids, flow_ids, seqs, at)
    SELECT q.shard, $1, $${first}::bigint, array_agg(q.number_id), array_agg(q.flow_id), array_agg(q.seq), $${first + 1}::timestamptz
    FROM queued q JOIN sending_number n USING (number_id)
    WHERE NOT n.paused AND n.released_at IS NULL
      AND NOT EXISTS (
        SELECT FROM opt_out o
        WHERE o.organization_id = n.organization_id AND o.phone_number_id = n.phone_number_id AND o.person = q.contact AND o.ended_at IS NULL
      )
      AND (SELECT count(*) FROM lease) = cardinality($${first + 2}::smallint[])
    GROUP BY q.shard
    RETURNING seqs
  )`;
  const values = ({ batch, atMs, epochs }: AcceptanceJournal) => [batch, new Date(atMs), ...leases.values([...epochs])];
  return { sql, values, leases };
}
