/** Number of shards by which sending numbers are distributed to nodes. */
export const SHARD_COUNT = 64;

/** The shard a number's queue belongs to. */
export function shardOf(numberId: number): number {
  return numberId % SHARD_COUNT;
}
