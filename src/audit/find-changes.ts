import type { Queryable } from '../database/database.ts';
import type { ChangeFacts, ResultFacts } from './entry.ts';
import { type ChangeSearch, listChanges, type StoredChange } from './queries.ts';
import { readChange, readResult } from './stored-facts.ts';

/** Rows of one statement with filters: it finds more than match. */
const FILTERED_AT_ONCE = 200;

/** A change with its facts; `facts` are undefined if they cannot be read. */
export interface FoundChange {
  stored: Omit<StoredChange, 'facts' | 'result'>;
  facts: ChangeFacts | undefined;
  result: ResultFacts | undefined;
}

/** Returns one page of changes, newest first. Filters match no row that cannot be read. */
export async function findChanges(db: Queryable, search: ChangeSearch): Promise<FoundChange[]> {
  const found: FoundChange[] = [];
  const { operation, actorId, objectId } = search;
  const isFiltered = [operation, actorId, objectId].some((value) => value !== undefined);
  const limit = isFiltered ? Math.max(search.limit, FILTERED_AT_ONCE) : search.limit;
  for (let beforeId = search.beforeId; ; ) {
    const rows = await listChanges(db, { ...search, beforeId, limit });
    found.push(...rows.map(readRow).filter((change) => matches(change, search)));
    const last = rows.at(-1);
    if (last === undefined || rows.length < limit || found.length >= search.limit) break;
    beforeId = last.id;
  }
  return found.slice(0, search.limit);
}

function readRow({ facts, result, ...stored }: StoredChange): FoundChange {
  return { stored, facts: readChange(facts), result: result === null ? undefined : readResult(result) };
}

function matches({ facts, result }: FoundChange, { operation, actorId, objectId }: ChangeSearch): boolean {
  return (
    (operation === undefined || facts?.operation === operation) &&
    (actorId === undefined || facts?.actor.id === actorId) &&
    (objectId === undefined || facts?.object?.id === objectId || result?.object?.id === objectId)
  );
}
