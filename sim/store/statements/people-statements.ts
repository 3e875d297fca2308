import { ACCOUNTS, ALIASES, KEYS, NAMES } from '../../../src/people/queries.ts';
import { byText, number, text, time } from '../columns.ts';
import { SHARED } from '../lock-table.ts';
import { reading, type Session, type StatementModel } from '../model-store.ts';
import { type AliasRow, aliasKey, conversationKey, type NumberRow, pairKey, type Tables } from '../tables.ts';

type Input = Record<'organization_id' | 'waba_id', unknown>;

/** Returns the keys of records that were merged into a person, and of the person's other phone numbers. */
export function mergedKeys({ aliases }: Tables, { organization_id, waba_id }: Input, person: string): string[] {
  return [...aliases.values()]
    .filter((row) => row.organizationId === organization_id && row.wabaId === waba_id && row.person === person)
    .flatMap(({ kind, alias }) => (kind === 0 ? [alias] : []));
}

/** Returns the key of the person with a name: digits of a phone number, or a user id. Null for a user id that is not known. */
export function keyOfName(tables: Tables, { organization_id, waba_id }: Input, name: string): string | null {
  const alias = tables.aliases.get(aliasKey(text(organization_id), text(waba_id), name));
  return alias?.person ?? (/^\d+$/.test(name) ? name : null);
}

const listAliases = reading(({ tables }, values) => {
  const wanted = new Map<string, AliasRow>();
  for (const input of NAMES.parse(values)) {
    const person = keyOfName(tables, input, text(input.alias));
    for (const row of tables.aliases.values()) {
      const isOfAccount = row.organizationId === input.organization_id && row.wabaId === input.waba_id;
      if (!isOfAccount || (row.person !== person && row.alias !== person)) continue;
      wanted.set(aliasKey(row.organizationId, row.wabaId, row.alias), row);
    }
  }
  return [...wanted.values()].map(({ personName, learnedAtMs, ...row }) => {
    return { ...row, person: Number(row.person), person_name: personName, learned_at: new Date(learnedAtMs) };
  });
});

const lockAccounts: StatementModel = function* lockAccounts(_session, values) {
  const locks = ACCOUNTS.parse(values).map((one) => `people/${one.organization_id}/${one.waba_id}`);
  yield [...new Set(locks)].sort(byText);
  return [];
};

const nameLock = (key: string) => `name/${key}`;

/** Returns the locks with which a statement keeps these stored names as they are. */
export function nameLocks(names: Iterable<string>): string[] {
  return [...new Set(names)].map((name) => `${SHARED}${nameLock(name)}`);
}

const lockNames: StatementModel = function* lockNames(session, values) {
  const { tables, store } = session;
  const free = NAMES.parse(values).filter((row) => {
    const key = aliasKey(text(row.organization_id), text(row.waba_id), text(row.alias));
    return tables.aliases.has(key) && !store.locks.isHeldByOther(nameLock(key), session);
  });
  yield free.map((row) => nameLock(aliasKey(text(row.organization_id), text(row.waba_id), text(row.alias))));
  return free.map((row) => ({ organizationId: row.organization_id, wabaId: row.waba_id, alias: row.alias }));
};

const listWriters = reading(({ store }) => store.writers().map((xid) => ({ writer: String(xid) })));

const listWaiting = reading(({ tables }, values) =>
  KEYS.parse(values).flatMap(({ organization_id: organizationId, waba_id: wabaId, person }) => {
    const numbers = numbersOf(tables, organizationId, wabaId).map(({ numberId }) => numberId);
    const waits = [...tables.queue.values()].some((row) => numbers.includes(row.numberId) && row.contact === person);
    return waits ? [{ organizationId, wabaId, person: Number(person) }] : [];
  }),
);

function numbersOf(tables: Tables, organizationId: unknown, wabaId: unknown): NumberRow[] {
  return [...tables.numbers.values()].filter((row) => row.organizationId === organizationId && row.wabaId === wabaId);
}

const takeNumbers = reading(({ store }, values) =>
  Array.from({ length: number(values[0]) }, () => ({ number: store.nextPersonNumber() })),
);

const storeAliases: StatementModel = function* storeAliases(session, values) {
  const { tables } = session;
  const rows = ALIASES.parse(values).map((row) => ({
    organizationId: text(row.organization_id),
    wabaId: text(row.waba_id),
    alias: text(row.alias),
    kind: number(row.kind),
    person: text(row.person),
    personName: text(row.person_name),
    learnedAtMs: time(row.learned_at),
  }));
  const keys = rows.map((row) => aliasKey(row.organizationId, row.wabaId, row.alias));
  if (new Set(keys).size < keys.length) throw new Error('ON CONFLICT DO UPDATE cannot change a row twice');
  yield [];
  for (const row of rows) {
    session.write(() => tables.aliases.set(aliasKey(row.organizationId, row.wabaId, row.alias), row));
  }
  return [];
};

const moveWindows: StatementModel = function* moveWindows(session, values) {
  const { tables } = session;
  const [organizationId, wabaId, from, to] = values.map(text);
  const keys = numbersOf(tables, organizationId, wabaId).map(({ numberId }) =>
    [from, to].map((contact) => conversationKey(text(organizationId), numberId, text(contact))),
  );
  yield keys
    .flat()
    .map((key) => `conversation/${key}`)
    .sort(byText);
  for (const [former = '', present = ''] of keys) {
    session.write(() => moveLatest(tables.conversations, former, present));
  }
  return [];
};

function moveLatest(conversations: Map<string, number>, former: string, present: string): void {
  const atMs = conversations.get(former);
  if (atMs === undefined) return;
  conversations.delete(former);
  conversations.set(present, Math.max(conversations.get(present) ?? 0, atMs));
}

const addDebts: StatementModel = function* addDebts(session: Session, values) {
  const { tables, nowMs } = session;
  const [organizationId, wabaId, from = '', to = ''] = values.map(text);
  const owing = numbersOf(tables, organizationId, wabaId).flatMap(({ numberId }) => {
    const debt = tables.pairDebt.get(pairKey(numberId, from));
    return debt === undefined || debt.freeAtMs <= nowMs ? [] : [debt];
  });
  yield owing.map(({ numberId }) => `pair/${pairKey(numberId, to)}`).sort(byText);
  for (const { numberId, freeAtMs } of owing) {
    session.write(() => {
      const known = tables.pairDebt.get(pairKey(numberId, to));
      const added = known === undefined ? freeAtMs : Math.max(known.freeAtMs, nowMs) + (freeAtMs - nowMs);
      tables.pairDebt.set(pairKey(numberId, to), { numberId, contact: to, freeAtMs: added });
    });
  }
  return [];
};

/** The simulation has no opt-outs. */
const moveOptOuts = reading(() => []);

const listNamesakes = reading(({ tables }, values) => {
  const [organizationId, names] = values as [string, string[]];
  const rows = [...tables.aliases.values()].filter((row) => row.organizationId === organizationId);
  const people = rows.filter(({ alias }) => names.includes(alias));
  return rows
    .filter((row) => people.some(({ person, wabaId }) => person === row.person && wabaId === row.wabaId))
    .map(({ person, alias, kind }) => ({ person: Number(person), alias, kind }));
});

export const peopleStatements: Record<string, StatementModel> = {
  person_list_aliases: listAliases,
  person_lock_accounts: lockAccounts,
  person_list_waiting: listWaiting,
  person_take_numbers: takeNumbers,
  person_store_aliases: storeAliases,
  person_move_windows: moveWindows,
  person_add_debts: addDebts,
  person_lock_names: lockNames,
  person_list_writers: listWriters,
  person_move_opt_outs: moveOptOuts,
  person_list_namesakes: listNamesakes,
};
