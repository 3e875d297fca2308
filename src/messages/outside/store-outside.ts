import { newId } from '../../core/ids.ts';
import { inSets } from '../../database/batching/in-sets.ts';
import type { Queryable } from '../../database/database.ts';
import { insertOutside, type OutsideMessage } from './outside-queries.ts';

/**
 * Stores messages that the gateway neither sent nor received, once each, however often the upstream reports them. Ids follow the order of
 * `outside`. They open no window.
 */
export async function storeOutside(tx: Queryable, outside: readonly OutsideMessage[], nowMs: number): Promise<void> {
  const byWamid = new Map(outside.map((message) => [`${message.organizationId}:${message.wamid}`, message]));
  // Creates all ids in one go, because ids of one millisecond ascend only if no id of another moment is created in between.
  const unique = [...byWamid.values()].map((message) => ({ ...message, id: newId(nowMs) }));
  for (const set of inSets(unique)) await insertOutside(tx, set, nowMs);
}
