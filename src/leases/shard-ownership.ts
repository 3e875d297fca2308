import { sha256Hex } from '../core/digest.ts';

/**
 * Which of `nodes` should own `shard`: rendezvous hashing, so that a node coming or going moves only its own share. Every node
 * that sees the same list answers alike. Undefined without nodes.
 */
export function preferredOwner(shard: number, nodes: readonly string[]): string | undefined {
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

/** The shards `nodeId` should own among `shardCount`, given the nodes alive. */
export function preferredShards(nodeId: string, nodes: readonly string[], shardCount: number): number[] {
  return Array.from({ length: shardCount }, (_, shard) => shard).filter(
    (shard) => preferredOwner(shard, nodes) === nodeId,
  );
}
