import { arrayTable } from '../database/batching/array-table.ts';
import type { Queryable } from '../database/database.ts';
import type { Alias } from './account-people.ts';
import type { ALIAS_KINDS } from './sighting.ts';

/** An account whose people are read or changed. */
export interface Account {
  organizationId: string;
  wabaId: string;
}

interface AccountAlias extends Account {
  alias: string;
}

const ACCOUNT = {
  organization_id: ['uuid', (one: Account) => one.organizationId],
  waba_id: ['text', (one: Account) => one.wabaId],
} as const;
export const NAMES = arrayTable<AccountAlias>()({ ...ACCOUNT, alias: ['text', ({ alias }) => alias] });

/** Returns all names of the people with one of these names or keys, and the present owners of their keys' numbers. */
export async function listAliases(db: Queryable, names: readonly AccountAlias[]): Promise<(Account & Alias)[]> {
  const rows = await db.query<
    Account & { alias: string; kind: Alias['kind']; person: number; person_name: string; learned_at: Date }
  >({
    name: 'person_list_aliases',
    // `OFFSET 0` makes PostgreSQL look each name up; it may underestimate the table of a new account.
    text: `
      WITH input AS MATERIALIZED (${NAMES.rows()}),
      person AS MATERIALIZED (
        SELECT DISTINCT organization_id, waba_id, coalesce(a.person, CASE WHEN alias ~ '^[0-9]{1,15}$' THEN alias::bigint END) AS person
        FROM input i
        LEFT JOIN LATERAL (
          SELECT a.person FROM person_alias a
          WHERE a.organization_id = i.organization_id AND a.alias = i.alias AND a.waba_id = i.waba_id OFFSET 0
        ) a ON true
      )
      SELECT p.organization_id AS "organizationId", p.waba_id AS "wabaId", a.*
      FROM person p
      CROSS JOIN LATERAL (
        SELECT alias, kind, person, person_name, learned_at FROM person_alias a
        WHERE a.organization_id = p.organization_id AND a.person = p.person AND a.waba_id = p.waba_id
        UNION
        SELECT alias, kind, person, person_name, learned_at FROM person_alias a
        WHERE a.organization_id = p.organization_id AND a.alias = p.person::text AND a.waba_id = p.waba_id
        OFFSET 0
      ) a`,
    values: NAMES.values(names),
  });
  return rows.map(({ organizationId, wabaId, alias, kind, person, person_name: name, learned_at }) => {
    return {
      organizationId,
      wabaId,
      alias,
      kind,
      person: { number: String(person), name },
      learnedAtMs: learned_at.getTime(),
    };
  });
}

export const ACCOUNTS = arrayTable<Account>()(ACCOUNT);

/** Lets one transaction at a time change the people of these accounts, until it ends. */
export async function lockAccounts(tx: Queryable, accounts: readonly Account[]): Promise<void> {
  await tx.query({
    name: 'person_lock_accounts',
    text: `
      SELECT pg_advisory_xact_lock(key) FROM (
        SELECT DISTINCT hashtextextended('people ' || organization_id || ' ' || waba_id, 0) AS key
        FROM ${ACCOUNTS.from('a')} ORDER BY key
      ) k`,
    values: ACCOUNTS.values(accounts),
  });
}

/**
 * Makes later sends and windows of people with these names wait until the transaction ends: they then find the names' new people. Returns the
 * names that are locked; a send or a window of each of the others is being stored. Never waits: these may hold names in any order.
 */
export async function lockNames(tx: Queryable, names: readonly AccountAlias[]): Promise<AccountAlias[]> {
  return await tx.query<Account & { alias: string }>({
    name: 'person_lock_names',
    text: `
      SELECT a.organization_id AS "organizationId", a.waba_id AS "wabaId", a.alias
      FROM ${NAMES.from('n')}
      JOIN person_alias a USING (organization_id, alias, waba_id)
      FOR UPDATE OF a SKIP LOCKED`,
    values: NAMES.values(names),
  });
}

/**
 * Returns the transactions that may be storing sends, windows or opt-outs with names read before this statement. A transaction locks the table that
 * it writes before it takes its snapshot, and holds the lock until its end.
 */
export async function listWriters(db: Queryable): Promise<string[]> {
  const rows = await db.query<{ writer: string }>({
    name: 'person_list_writers',
    text: `
      SELECT DISTINCT virtualtransaction AS writer FROM pg_locks
      WHERE locktype = 'relation' AND relation IN ('send_queue'::regclass, 'conversation'::regclass, 'opt_out'::regclass) AND mode = 'RowExclusiveLock'
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
  });
  return rows.map(({ writer }) => writer);
}

/** The key of a person of an account. */
export interface PersonKey extends Account {
  person: string;
}

export const KEYS = arrayTable<PersonKey>()({ ...ACCOUNT, person: ['bigint', ({ person }) => person] });

/** Returns those of these people with messages waiting on a number of their account. */
export async function listWaiting(tx: Queryable, people: readonly PersonKey[]): Promise<PersonKey[]> {
  const rows = await tx.query<Account & { person: number }>({
    name: 'person_list_waiting',
    text: `
      SELECT k.organization_id AS "organizationId", k.waba_id AS "wabaId", k.person
      FROM ${KEYS.from('k')}
      WHERE EXISTS (
        SELECT FROM sending_number n
        CROSS JOIN LATERAL (
          SELECT 1 FROM send_queue q WHERE q.number_id = n.number_id AND q.contact = k.person LIMIT 1
        ) q
        WHERE n.organization_id = k.organization_id AND coalesce(n.waba_id, n.former_waba_id) = k.waba_id
      )`,
    values: KEYS.values(people),
  });
  return rows.map(({ person, ...account }) => ({ ...account, person: String(person) }));
}

/** Returns new numbers for records of people. */
export async function takeNumbers(tx: Queryable, count: number): Promise<string[]> {
  const rows = await tx.query<{ number: number }>({
    name: 'person_take_numbers',
    text: `SELECT nextval('person_number') AS number FROM generate_series(1, $1::int)`,
    values: [count],
  });
  return rows.map(({ number }) => String(number));
}

export const ALIASES = arrayTable<Account & Alias>()({
  ...ACCOUNT,
  alias: ['text', ({ alias }) => alias],
  kind: ['smallint', ({ kind }) => kind satisfies (typeof ALIAS_KINDS)[keyof typeof ALIAS_KINDS]],
  person: ['bigint', ({ person }) => person.number],
  person_name: ['text', ({ person }) => person.name],
  learned_at: ['timestamptz', ({ learnedAtMs }) => new Date(learnedAtMs)],
});

/** Stores names; a name that is known passes to the new person. */
export async function storeAliases(tx: Queryable, aliases: readonly (Account & Alias)[]): Promise<void> {
  await tx.query({
    name: 'person_store_aliases',
    text: `
      INSERT INTO person_alias (${ALIASES.names})
      SELECT ${ALIASES.names} FROM ${ALIASES.from('i')} ORDER BY organization_id, alias, waba_id
      ON CONFLICT (organization_id, alias, waba_id) DO UPDATE
        SET kind = excluded.kind, person = excluded.person, person_name = excluded.person_name, learned_at = excluded.learned_at`,
    values: ALIASES.values(aliases),
  });
}

/** Moves the windows of a person with the numbers of an account to another key, which keeps the newer one of each. */
export async function moveWindows(
  tx: Queryable,
  { organizationId, wabaId }: Account,
  { from, to }: { from: string; to: string },
): Promise<void> {
  await tx.query({
    name: 'person_move_windows',
    text: `
      WITH gone AS (
        DELETE FROM conversation c USING sending_number n
        WHERE n.organization_id = $1 AND coalesce(n.waba_id, n.former_waba_id) = $2
          AND c.organization_id = $1 AND c.number_id = n.number_id AND c.contact = $3
        RETURNING c.*
      )
      INSERT INTO conversation (organization_id, number_id, contact, last_inbound_at, last_call_at, contact_card, closing_noted_for)
      SELECT organization_id, number_id, $4, last_inbound_at, last_call_at, contact_card, closing_noted_for
      FROM gone ORDER BY organization_id, number_id
      ON CONFLICT (organization_id, number_id, contact) DO UPDATE
        SET last_inbound_at = greatest(conversation.last_inbound_at, excluded.last_inbound_at),
            last_call_at = greatest(conversation.last_call_at, excluded.last_call_at),
            closing_noted_for = greatest(conversation.closing_noted_for, excluded.closing_noted_for),
            contact_card = CASE WHEN excluded.last_inbound_at >= conversation.last_inbound_at
                                THEN coalesce(excluded.contact_card, conversation.contact_card)
                                ELSE coalesce(conversation.contact_card, excluded.contact_card) END`,
    values: [organizationId, wabaId, from, to],
  });
}

/**
 * Moves the opt-outs of a person from the numbers of an account to another key. Of two for one number, one in force stays, and of two in
 * force the one by the API, which the person cannot end.
 */
export async function moveOptOuts(
  tx: Queryable,
  { organizationId, wabaId }: Account,
  { from, to }: { from: string; to: string },
): Promise<void> {
  await tx.query({
    name: 'person_move_opt_outs',
    text: `
      WITH former AS (
        DELETE FROM opt_out o USING sending_number n
        WHERE n.organization_id = $1 AND coalesce(n.waba_id, n.former_waba_id) = $2
          AND o.organization_id = $1 AND o.phone_number_id = coalesce(n.phone_number_id, n.former_phone_number_id) AND o.person = $3
        RETURNING o.*
      )
      INSERT INTO opt_out AS o (organization_id, phone_number_id, person, id, phone_number, user_id, source, opted_out_at, ended_at)
      SELECT organization_id, phone_number_id, $4, id, phone_number, user_id, source, opted_out_at, ended_at
      FROM former ORDER BY organization_id, phone_number_id
      ON CONFLICT (organization_id, phone_number_id, person) DO UPDATE
        SET id = excluded.id, phone_number = coalesce(excluded.phone_number, o.phone_number),
            user_id = coalesce(excluded.user_id, o.user_id), source = excluded.source, opted_out_at = excluded.opted_out_at,
            ended_at = excluded.ended_at
        WHERE CASE
          WHEN o.ended_at IS NULL THEN excluded.ended_at IS NULL AND excluded.source = 'api' AND o.source <> 'api'
          ELSE excluded.ended_at IS NULL OR excluded.ended_at > o.ended_at
        END`,
    values: [organizationId, wabaId, from, to],
  });
}

/** A key of a person that was given up for another one. */
export interface KeyMerge extends Account {
  from: string;
  to: string;
}

/** Adds the pair debts of a person to those of another key, because the platform counts the messages of both. */
export async function addDebts(
  tx: Queryable,
  { organizationId, wabaId }: Account,
  { from, to }: { from: string; to: string },
): Promise<void> {
  await tx.query({
    name: 'person_add_debts',
    text: `
      INSERT INTO pair_debt (number_id, contact, free_at)
      SELECT d.number_id, $4, d.free_at FROM pair_debt d JOIN sending_number n USING (number_id)
      WHERE n.organization_id = $1 AND coalesce(n.waba_id, n.former_waba_id) = $2 AND d.contact = $3 AND d.free_at > now()
      ORDER BY d.number_id
      ON CONFLICT (number_id, contact) DO UPDATE
        SET free_at = greatest(pair_debt.free_at, now()) + (excluded.free_at - now())`,
    values: [organizationId, wabaId, from, to],
  });
}

/**
 * Returns the keys of people with one of these names, in any account of the organization, and all names of these people. An unknown name
 * adds nothing.
 */
export async function listNamesakes(
  db: Queryable,
  organizationId: string,
  aliases: readonly string[],
): Promise<{ person: string; alias: string; kind: Alias['kind'] }[]> {
  const rows = await db.query<{ person: number; alias: string; kind: Alias['kind'] }>({
    name: 'person_list_namesakes',
    text: `
      SELECT a.person, a.alias, a.kind
      FROM (
        SELECT DISTINCT person, waba_id FROM person_alias WHERE organization_id = $1 AND alias = ANY ($2::text[])
      ) p
      CROSS JOIN LATERAL (
        SELECT person, alias, kind FROM person_alias
        WHERE organization_id = $1 AND person = p.person AND waba_id = p.waba_id OFFSET 0
      ) a`,
    values: [organizationId, aliases],
  });
  return rows.map(({ person, ...rest }) => ({ person: String(person), ...rest }));
}
