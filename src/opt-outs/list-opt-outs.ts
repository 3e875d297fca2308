import type { Queryable } from '../database/database.ts';
import { findStoredPeople } from '../people/index.ts';
import { readPerson } from './change-opt-outs.ts';
import type { OptOut } from './opt-out.ts';
import { listOptOuts, type OptOutSearch } from './queries.ts';

/** A page of the list. `person` is a phone number or a user id. */
export interface OptOutQuery extends Omit<OptOutSearch, 'people'> {
  person: string | undefined;
}

/** Returns a page of opt-outs in force, newest first, and the cursor of the next page; null at the end. Raises VALIDATION_ERROR. */
export async function pageOfOptOuts(
  db: Queryable,
  organizationId: string,
  { person, ...query }: OptOutQuery,
): Promise<{ optOuts: OptOut[]; next: string | null }> {
  const people = person === undefined ? undefined : await keysOf(db, organizationId, person);
  const optOuts = await listOptOuts(db, organizationId, { ...query, people });
  return { optOuts, next: optOuts.length < query.limit ? null : (optOuts.at(-1)?.id ?? null) };
}

async function keysOf(db: Queryable, organizationId: string, person: string): Promise<string[]> {
  return (await findStoredPeople(db, organizationId, [readPerson(person) ?? person])).keys;
}
