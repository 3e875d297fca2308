import type { ArrayTable } from '../database/batching/array-table.ts';

/**
 * SQL: the shards among `leases` that the owner `$1` holds under these epochs, locked. The locks block a takeover until the commit: this is
 * the fence of every statement that journals.
 */
export function heldLeasesSql(leases: ArrayTable<readonly [shard: number, epoch: number], 'shard' | 'epoch'>): string {
  return `SELECT l.shard FROM ${leases.from('e')}
        JOIN shard_lease l USING (shard, epoch)
        WHERE l.owner = $1 AND l.expires_at > now()
        ORDER BY l.shard FOR NO KEY UPDATE OF l`;
}
