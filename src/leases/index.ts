export { Heartbeat } from './heartbeat.ts';
export { type HeldShard, heldLeasesSql, isApiServed, LEASE_MS, readLeasedShards } from './lease-queries.ts';
export { Leases } from './leases.ts';
export { SHARD_COUNT, shardOf } from './shards.ts';
