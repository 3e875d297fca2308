import { findLastInbound, recordInbound } from '../../../src/conversations/queries.ts';
import type { Random } from '../../../src/core/seeded-random.ts';
import type { Queryable } from '../../../src/database/database.ts';
import {
  addDebts,
  listAliases,
  listNamesakes,
  listWaiting,
  lockNames,
  moveWindows,
  storeAliases,
} from '../../../src/people/queries.ts';
import { ORGANIZATION, SHARDS, wabaOf } from './account-history.ts';

const CONTACTS = [0, 1, 2, 3, 4].map((index) => `1555100000${index}`);
const RECORDS = ['1000000000000001', '1000000000000002'];
const USER_IDS = ['US.1', 'US.2', 'US.3'];

/** The operations on people's names and windows on both databases. */
export class PeopleHistory {
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  /** Returns a user id, or undefined for a person that is addressed by number. */
  userId(): string | undefined {
    return this.#random.chance(0.3) ? this.#random.pick(USER_IDS) : undefined;
  }

  /** Gives names to a person. */
  name() {
    const random = this.#random;
    const [person, learnedAtMs] = [random.pick([...CONTACTS, ...RECORDS]), Date.now()];
    const given = new Set(
      Array.from({ length: random.between(1, 3) }, () => random.pick([...CONTACTS, ...RECORDS, ...USER_IDS])),
    );
    const account = this.#account();
    const aliases = [...given].map((alias) => {
      const kind = USER_IDS.includes(alias) ? (1 as const) : (0 as const);
      return { ...account, alias, kind, person: { number: person, name: random.pick([alias, person]) }, learnedAtMs };
    });
    return (db: Queryable) => storeAliases(db, aliases);
  }

  /** Moves windows and debts from one key to another. */
  move() {
    const random = this.#random;
    const account = this.#account();
    const keys = [...CONTACTS, ...RECORDS];
    const [from, to] = [random.pick(keys), random.pick(keys)];
    return async (db: Queryable) => {
      if (from === to) return [];
      await lockNames(
        db,
        [...keys, ...USER_IDS].map((alias) => ({ ...account, alias })),
      );
      const waiting = await listWaiting(
        db,
        [from, to].map((person) => ({ ...account, person })),
      );
      await moveWindows(db, account, { from, to });
      await addDebts(db, account, { from, to });
      return waiting.map(({ person }) => person).sort();
    };
  }

  /** Opens windows. */
  open() {
    const random = this.#random;
    const atMs = Date.now() - random.between(0, 60_000);
    const keys = new Set(Array.from({ length: random.between(1, 3) }, () => random.pick([...CONTACTS, ...RECORDS])));
    const numberId = random.pick(SHARDS);
    const opened = [...keys].map((contact) => {
      const named = { contact, name: random.pick([contact, ...USER_IDS]), wabaId: wabaOf(numberId) };
      return { organizationId: ORGANIZATION, numberId, ...named, atMs, callAtMs: undefined, card: undefined };
    });
    return (db: Queryable) => recordInbound(db, opened);
  }

  /** Returns the names, and the windows under each. */
  async look(db: Queryable) {
    const names = [...CONTACTS, ...USER_IDS];
    const wanted = SHARDS.flatMap((shard) =>
      names.map((name) => ({ organizationId: ORGANIZATION, numberId: shard, wabaId: wabaOf(shard), name })),
    );
    const aliases = await listAliases(
      db,
      wanted.map(({ name, ...account }) => ({ ...account, alias: name })),
    );
    const namesakes = await listNamesakes(db, ORGANIZATION, names);
    // A name may be listed once for each person that it concerns.
    const listed = new Set(aliases.map((row) => JSON.stringify([row.wabaId, row.alias, row.kind, row.person])));
    return {
      aliases: [...listed].sort(),
      namesakes: namesakes.map((row) => JSON.stringify([row.person, row.alias, row.kind])).sort(),
      windows: await findLastInbound(db, wanted),
    };
  }

  #account() {
    return { organizationId: ORGANIZATION, wabaId: wabaOf(this.#random.pick(SHARDS)) };
  }
}
