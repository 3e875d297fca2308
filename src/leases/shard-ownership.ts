import { sha256Hex } from '../core/digest.ts';

/**
 * The node among `nodes` that should own `shard`. Uses rendezvous hashing: a node that comes or goes moves only its own share. All nodes
 * with the same list get the same result. Undefined without nodes.
 */
export function preferredOwner(shard: number, nodes: readonly string[]): string | undefined {
  if (nodes.length <= 1) return nodes[0];
  let best: string | undefined;
  let bestWeight = '';
  for (const node of nodes) {
    const weight = sha256Hex(`${shard}:${node}`);
    if (best === undefined || weight > bestWeight) {
      best = node;
      bestWeight = weight;
    }
  }
  return best;
}

/** The shards of `shardCount` that `nodeId` should own, given the live nodes. */
export function preferredShards(nodeId: string, nodes: readonly string[], shardCount: number): number[] {
  return Array.from({ length: shardCount }, (_, shard) => shard).filter(
    (shard) => preferredOwner(shard, nodes) === nodeId,
  );
}
