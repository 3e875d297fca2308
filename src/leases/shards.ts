/** Numbers are dealt out to nodes by shard. */
export const SHARD_COUNT = 64;

/** The shard a number's queue belongs to. */
export function shardOf(numberId: number): number {
  return numberId % SHARD_COUNT;
}
