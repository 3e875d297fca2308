import { newId } from '../../core/ids.ts';
import { inSets } from '../../database/batching/in-sets.ts';
import type { Queryable } from '../../database/database.ts';
import { type InboundToStore, insertInbound } from './inbound-queries.ts';

/**
 * Stores inbound messages once each, however often the upstream delivers them, and returns the new ones. Ids follow the order of `inbound`.
 */
export async function storeInbound(tx: Queryable, inbound: InboundToStore[], nowMs: number): Promise<InboundToStore[]> {
  const byWamid = new Map(inbound.map((message) => [`${message.organizationId}:${message.wamid}`, message]));
  // Creates all ids in one go, because ids of one millisecond ascend only if no id of another moment is created in between.
  const unique = [...byWamid.values()].map((message) => ({ ...message, id: newId(nowMs) }));
  const added = new Set<string>();
  for (const set of inSets(unique)) for (const wamid of await insertInbound(tx, set, nowMs)) added.add(wamid);
  return unique.filter((message) => added.has(message.wamid));
}
