import { pause } from '../core/run/waiting.ts';
import type { Clock } from '../core/time/clock.ts';
import { inSets } from '../database/batching/in-sets.ts';
import { publishChanges } from '../database/changes/change-feed.ts';
import type { Database, Queryable } from '../database/database.ts';
import { AccountPeople, type Alias, type Identified } from './account-people.ts';
import {
  type Account,
  addDebts,
  type KeyMerge,
  listAliases,
  listWaiting,
  listWriters,
  lockAccounts,
  lockNames,
  moveOptOuts,
  moveWindows,
  type PersonKey,
  storeAliases,
  takeNumbers,
} from './queries.ts';
import { ALIAS_KINDS, aliasesOf, isRecordNumber, type Sighting } from './sighting.ts';

export interface PeopleDeps {
  db: Database;
  clock: Pick<Clock, 'monotonicMs' | 'schedule'>;
}

/** Sightings of one account, and the places of their results. */
interface AccountSightings extends Account {
  sightings: { sighting: Sighting; index: number }[];
}

/** An account with its people after its sightings. */
interface Taught {
  account: AccountSightings;
  people: AccountPeople;
}

/** Longest wait for sends that are being stored to the people of a merge, ms. A statement may take longer. */
const LOCKED_WITHIN_MS = 2_000;
const LOOK_MS = 5;

/**
 * Returns the person of each sighting, in order; undefined for one without a name. New names are stored first, in a
 * transaction of its own, one at a time for each account. If all is known, this is one query.
 */
export async function identifyPeople(
  deps: PeopleDeps,
  sightings: readonly Sighting[],
): Promise<(Identified | undefined)[]> {
  if (sightings.length === 0) return [];
  const { db } = deps;
  const accounts = byAccount(sightings);
  const known = await loadAliases(db, accounts);
  const untaught = accounts.map((account) => tryLearning(account, known));
  const isTaught = ({ people }: Taught) => people.changed.size === 0;
  const teaching = untaught.filter((one) => !isTaught(one)).map(({ account }) => account);
  const taught = teaching.length === 0 ? [] : await teach(deps, teaching);
  const found: (Identified | undefined)[] = new Array(sightings.length).fill(undefined);
  for (const { account, people } of [...untaught.filter(isTaught), ...taught]) {
    for (const { sighting, index } of account.sightings) found[index] = people.find(sighting);
  }
  return found;
}

/** Returns the people as they would be if no message waited, with made-up numbers for new records. */
function tryLearning(account: AccountSightings, known: ReadonlyMap<string, Alias[]>): Taught {
  let number = Number.MAX_SAFE_INTEGER;
  const options = { waiting: new Set<string>(), nextNumber: () => String(number--) };
  return learnAll(account, new AccountPeople(known.get(keyOf(account)) ?? [], options));
}

function learnAll(account: AccountSightings, people: AccountPeople): Taught {
  for (const { sighting } of account.sightings) people.learn(sighting);
  return { account, people };
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

/**
 * Stores the lessons of these accounts' sightings, and returns the accounts' people. A merge that meets a send is tried again until the send
 * is stored. After two seconds it is left to a later report.
 */
async function teach(deps: PeopleDeps, accounts: readonly AccountSightings[]): Promise<Taught[]> {
  const { db, clock } = deps;
  const endsMs = clock.monotonicMs() + LOCKED_WITHIN_MS;
  for (;;) {
    const { taught, named, busy } = await db.transaction((tx) => teachOnce(tx, accounts));
    if (!named && !busy) return taught;
    const isFree = await (named ? waitForWriters(deps, endsMs) : waitShortly(deps, endsMs));
    if (!isFree) return taught;
  }
}

/** Waits until each send and window that is being stored now is committed or rolled back. Returns false if one takes too long. */
async function waitForWriters(deps: PeopleDeps, endsMs: number): Promise<boolean> {
  const writers = new Set(await listWriters(deps.db));
  while (writers.size > 0) {
    if (!(await waitShortly(deps, endsMs))) return false;
    const present = new Set(await listWriters(deps.db));
    for (const writer of writers) if (!present.has(writer)) writers.delete(writer);
  }
  return true;
}

/** Returns false if no time is left. */
async function waitShortly({ clock }: PeopleDeps, endsMs: number): Promise<boolean> {
  if (clock.monotonicMs() >= endsMs) return false;
  await pause(clock, LOOK_MS);
  return true;
}

interface Lesson {
  taught: Taught[];
  /** True if a phone number got a stored name, so that its key can change once the sends that may have missed it are over. */
  named: boolean;
  /** True if a send to one of the people to merge is being stored. */
  busy: boolean;
}

/**
 * Stores what the sightings teach. A key loses a name only while all its names are locked, and no message waits under it: without this, a send
 * that was being stored would appear under it later. A phone number without a stored name cannot be locked. It keeps its key, or its name is
 * stored first.
 */
async function teachOnce(tx: Queryable, accounts: readonly AccountSightings[]): Promise<Lesson> {
  await lockAccounts(tx, accounts);
  const known = await loadAliases(tx, accounts);
  const moved = accounts.flatMap((account) => {
    const { keyChanges, left } = tryLearning(account, known).people;
    const keys = new Set([...keyChanges.flatMap(({ from, to }) => [from, to]), ...left]);
    return [...keys].map((person) => ({ ...accountOf(account), person }));
  });
  const names = [...known.values()].flat();
  const nameless = moved.filter((key) => !isRecordNumber(key.person) && !names.some((name) => isNameOf(name, key)));
  const locked = new Set(moved.length === 0 ? [] : (await lockNames(tx, names)).map(nameKeyOf));
  const unlocked = moved.filter((key) =>
    names.some((name) => name.person.number === key.person && isOfAccount(name, key) && !locked.has(nameKeyOf(name))),
  );
  const waiting = moved.length === 0 ? [] : [...nameless, ...unlocked, ...(await listWaiting(tx, moved))];
  const taught = await learn(tx, accounts, known, waiting);
  const isPostponed = (key: PersonKey) =>
    taught.some(({ account, people }) => isOfAccount(account, key) && people.postponed.has(key.person));
  const unnamed = nameless.filter(isPostponed);
  await storeLessons(tx, taught, unnamed);
  return { taught, named: unnamed.length > 0, busy: unlocked.some(isPostponed) };
}

async function storeLessons(tx: Queryable, taught: readonly Taught[], unnamed: readonly PersonKey[]): Promise<void> {
  const aliases = [
    ...taught.flatMap(({ account, people }) =>
      [...people.changed.values()].map((alias) => ({ ...alias, ...accountOf(account) })),
    ),
    ...unnamed.flatMap(({ person: number, ...account }) => {
      const isLearned = taught.some((one) => isOfAccount(one.account, account) && one.people.changed.has(number));
      const person = { number, name: number };
      return isLearned ? [] : [{ ...account, alias: number, kind: ALIAS_KINDS.number, person, learnedAtMs: 0 }];
    }),
  ];
  if (aliases.length > 0) await storeAliases(tx, aliases);
  for (const { account, people } of taught) {
    for (const change of people.keyChanges) {
      await moveWindows(tx, account, change);
      await moveOptOuts(tx, account, change);
      if (change.isMerge) await addDebts(tx, account, change);
    }
    const merges = people.keyChanges.filter(({ isMerge }) => isMerge);
    const keys = merges.map(({ from, to }): KeyMerge => ({ ...accountOf(account), from, to }));
    await publishChanges(
      tx,
      'person',
      keys.map((key) => JSON.stringify(key)),
    );
  }
}

async function learn(
  tx: Queryable,
  accounts: readonly AccountSightings[],
  known: ReadonlyMap<string, Alias[]>,
  waiting: readonly PersonKey[],
): Promise<Taught[]> {
  // A sighting makes at most two records: one of a number's former owner, and one of its new owner.
  const numbers = await takeNumbers(tx, 2 * accounts.reduce((sum, { sightings }) => sum + sightings.length, 0));
  const nextNumber = () => {
    const number = numbers.pop();
    if (number === undefined) throw new Error('More new people than sightings can make.');
    return number;
  };
  const waitingOf = Map.groupBy(waiting, keyOf);
  return accounts.map((account) => {
    const waits = new Set(waitingOf.get(keyOf(account))?.map(({ person }) => person));
    return learnAll(account, new AccountPeople(known.get(keyOf(account)) ?? [], { waiting: waits, nextNumber }));
  });
}

function accountOf({ organizationId, wabaId }: Account): Account {
  return { organizationId, wabaId };
}

function isOfAccount(one: Account, other: Account): boolean {
  return one.organizationId === other.organizationId && one.wabaId === other.wabaId;
}

/** Returns true for the stored name of a key's own phone number. */
function isNameOf(name: Account & { alias: string }, key: PersonKey): boolean {
  return name.alias === key.person && isOfAccount(name, key);
}

function nameKeyOf(name: Account & { alias: string }): string {
  return `${keyOf(name)} ${name.alias}`;
}
