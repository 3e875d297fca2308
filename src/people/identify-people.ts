import { inSets } from '../database/batching/in-sets.ts';
import type { Database, Queryable } from '../database/database.ts';
import { AccountPeople, type Alias, type Identified } from './account-people.ts';
import {
  type Account,
  listAliases,
  listWaiting,
  lockAccounts,
  moveDebts,
  moveWindows,
  storeAliases,
  takeNumbers,
} from './queries.ts';
import { aliasesOf, type Sighting } from './sighting.ts';

/** Sightings of one account, and the places of their results. */
interface AccountSightings extends Account {
  sightings: { sighting: Sighting; index: number }[];
}

/**
 * Returns the person of each sighting, in order; undefined for one without a name. New names are stored first, in a
 * transaction of its own, one at a time for each account. If all is known, this is one query.
 */
export async function identifyPeople(
  db: Database,
  sightings: readonly Sighting[],
): Promise<(Identified | undefined)[]> {
  if (sightings.length === 0) return [];
  const accounts = byAccount(sightings);
  const known = await loadAliases(db, accounts);
  const untaught = accounts.map((account) => {
    const people = new AccountPeople(known.get(keyOf(account)) ?? [], { waiting: new Set(), nextNumber: () => '0' });
    return { account, people, teaches: learnAll(people, account) };
  });
  const teaching = untaught.filter(({ teaches }) => teaches).map(({ account }) => account);
  const taught = teaching.length === 0 ? [] : await db.transaction((tx) => teach(tx, teaching));
  const found: (Identified | undefined)[] = new Array(sightings.length).fill(undefined);
  for (const { account, people } of [...untaught.filter(({ teaches }) => !teaches), ...taught]) {
    for (const { sighting, index } of account.sightings) found[index] = people.find(sighting);
  }
  return found;
}

function byAccount(sightings: readonly Sighting[]): AccountSightings[] {
  const accounts = new Map<string, AccountSightings>();
  for (const [index, sighting] of sightings.entries()) {
    const { organizationId, wabaId } = sighting;
    const key = keyOf(sighting);
    const account = accounts.get(key) ?? { organizationId, wabaId, sightings: [] };
    accounts.set(key, account);
    account.sightings.push({ sighting, index });
  }
  for (const { sightings: of } of accounts.values()) of.sort((one, other) => one.sighting.atMs - other.sighting.atMs);
  return [...accounts.values()];
}

function keyOf({ organizationId, wabaId }: Account): string {
  return `${organizationId} ${wabaId}`;
}

/** Returns the known names of everybody whom the sightings may concern, by account. */
async function loadAliases(
  db: Queryable,
  accounts: readonly AccountSightings[],
): Promise<Map<string, (Account & Alias)[]>> {
  const rows: (Account & Alias)[] = [];
  for (const set of inSets(namesOf(accounts))) rows.push(...(await listAliases(db, set)));
  return Map.groupBy(rows, keyOf);
}

function namesOf(accounts: readonly AccountSightings[]): (Account & { alias: string })[] {
  return accounts.flatMap(({ organizationId, wabaId, sightings }) => {
    const aliases = new Set(sightings.flatMap(({ sighting }) => aliasesOf(sighting)));
    return [...aliases].map((alias) => ({ organizationId, wabaId, alias }));
  });
}

/** Returns true if the sightings taught anything. */
function learnAll(people: AccountPeople, { sightings }: AccountSightings): boolean {
  for (const { sighting } of sightings) people.learn(sighting);
  return people.changed.size > 0;
}

/** Stores the lessons of these accounts' sightings, and returns the accounts' people. */
async function teach(
  tx: Queryable,
  accounts: readonly AccountSightings[],
): Promise<{ account: AccountSightings; people: AccountPeople }[]> {
  await lockAccounts(tx, accounts);
  const known = await loadAliases(tx, accounts);
  const named = namesOf(accounts).flatMap(({ alias, ...account }) =>
    /^\d+$/.test(alias) ? [{ ...account, person: alias }] : [],
  );
  const recorded = [...known.values()].flat().map(({ person, ...alias }) => ({ ...alias, person: person.number }));
  const waiting = Map.groupBy(await listWaiting(tx, [...named, ...recorded]), keyOf);
  // A sighting makes at most two records: one of a number's former owner, and one of its new owner.
  const numbers = await takeNumbers(tx, 2 * accounts.reduce((sum, { sightings }) => sum + sightings.length, 0));
  const nextNumber = () => {
    const number = numbers.pop();
    if (number === undefined) throw new Error('More new people than sightings can make.');
    return number;
  };
  const taught = accounts.map((account) => {
    const waits = new Set(waiting.get(keyOf(account))?.map(({ person }) => person));
    const people = new AccountPeople(known.get(keyOf(account)) ?? [], { waiting: waits, nextNumber });
    learnAll(people, account);
    return { account, people };
  });
  const changed = taught.flatMap(({ account: { organizationId, wabaId }, people }) =>
    [...people.changed.values()].map((alias) => ({ ...alias, organizationId, wabaId })),
  );
  if (changed.length > 0) await storeAliases(tx, changed);
  for (const { account, people } of taught) {
    for (const change of people.keyChanges) {
      await moveWindows(tx, account, change);
      if (change.isMerge) await moveDebts(tx, account, change);
    }
  }
  return taught;
}
