import { otherSpellingOf } from '../core/phone-number.ts';
import { arrayTable } from '../database/batching/array-table.ts';
import type { Queryable } from '../database/database.ts';
import { firstRow } from '../database/first-row.ts';
import type { WindowOpener } from './window.ts';

/** A sending number and a name of a person. */
export interface ConversationName {
  organizationId: string;
  numberId: number;
  /** The account of the number. */
  wabaId: string;
  /** The conversation key of a phone number, or a user id. */
  name: string;
}

/** The newest opening of a person's window, and the newest call among them; both in epoch ms. */
interface OpenedByPerson {
  organizationId: string;
  numberId: number;
  /** The person's key as it was read, and a name that it is stored under. */
  contact: string;
  name: string;
  wabaId: string;
  atMs: number;
  callAtMs: number | undefined;
  /** The person's contact object as the platform reported it with the newest opening: JSON text. */
  card: string | undefined;
}

/** The newest opening of a group's window, in epoch ms. */
interface OpenedByGroup {
  organizationId: string;
  numberId: number;
  groupId: string;
  atMs: number;
}

export const NAMES = arrayTable<ConversationName>()({
  organization_id: ['uuid', (one) => one.organizationId],
  number_id: ['int', (one) => one.numberId],
  waba_id: ['text', (one) => one.wabaId],
  name: ['text', (one) => one.name],
  respelt: ['bigint', ({ name }) => (/^\d+$/.test(name) ? otherSpellingOf(name) : undefined)],
});
/** The window of each name `k`, if there is one. A node of an earlier version may have opened it under another spelling of the number. */
const WINDOWS_OF_NAMES = `
      ${NAMES.from('k', 'ord')}
      LEFT JOIN person_alias a ON a.organization_id = k.organization_id AND a.alias = k.name AND a.waba_id = k.waba_id
      CROSS JOIN LATERAL (
        SELECT c.last_inbound_at, c.last_call_at, c.contact_card FROM conversation c
        WHERE c.organization_id = k.organization_id AND c.number_id = k.number_id AND c.contact = ANY (
          ARRAY[coalesce(a.person, CASE WHEN k.name ~ '^[0-9]+$' THEN k.name::bigint END), k.respelt]
        )
        ORDER BY c.last_inbound_at DESC LIMIT 1
      ) c`;
export const INBOUND = arrayTable<OpenedByPerson>()({
  organization_id: ['uuid', (opened) => opened.organizationId],
  number_id: ['int', (opened) => opened.numberId],
  contact: ['bigint', (opened) => opened.contact],
  last_inbound_at: ['timestamptz', ({ atMs }) => new Date(atMs)],
  last_call_at: ['timestamptz', ({ callAtMs }) => (callAtMs === undefined ? null : new Date(callAtMs))],
  contact_card: ['text', ({ card }) => card],
  waba_id: ['text', (opened) => opened.wabaId],
  name: ['text', (opened) => opened.name],
});
const GROUP_INBOUND = arrayTable<OpenedByGroup>()({
  organization_id: ['uuid', (opened) => opened.organizationId],
  number_id: ['int', (opened) => opened.numberId],
  group_id: ['text', (opened) => opened.groupId],
  last_inbound_at: ['timestamptz', ({ atMs }) => new Date(atMs)],
});

/** Newest inbound time (epoch ms) per name, in order; undefined for a person that never wrote. One statement for all names. */
export async function findLastInbound(db: Queryable, names: ConversationName[]): Promise<(number | undefined)[]> {
  const rows = await db.query<{ ord: number; last_inbound_at: Date }>({
    name: 'conversation_find_last_inbound',
    text: `
      SELECT k.ord, c.last_inbound_at
      FROM ${WINDOWS_OF_NAMES}`,
    values: NAMES.values(names),
  });
  const found: (number | undefined)[] = new Array(names.length).fill(undefined);
  for (const row of rows) found[row.ord - 1] = row.last_inbound_at.getTime();
  return found;
}

/**
 * Moves people's windows forward: each key keeps the later of its stored and its new opening, and of its calls, and the newest contact
 * object. They are locked in order; without that, two batches could deadlock. Stored names are locked as well, and their present keys
 * used: without this, a window would open under a key that a merge of people has just given up, and nobody would find it.
 */
export async function recordInbound(tx: Queryable, opened: readonly OpenedByPerson[]): Promise<void> {
  await tx.query({
    name: 'conversation_record_inbound',
    text: `
      INSERT INTO conversation (organization_id, number_id, contact, last_inbound_at, last_call_at, contact_card)
      SELECT DISTINCT ON (organization_id, number_id, key) organization_id, number_id, key, last_inbound_at, last_call_at, contact_card
      FROM (
        SELECT i.*, coalesce(a.person, i.contact) AS key
        FROM ${INBOUND.from('i')}
        LEFT JOIN LATERAL (
          SELECT p.person FROM person_alias p
          WHERE p.organization_id = i.organization_id AND p.alias = i.name AND (p.waba_id = i.waba_id) IS TRUE
          FOR KEY SHARE
        ) a ON true
      ) k
      ORDER BY organization_id, number_id, key, last_inbound_at DESC
      ON CONFLICT (organization_id, number_id, contact) DO UPDATE
        SET last_inbound_at = greatest(conversation.last_inbound_at, excluded.last_inbound_at),
            last_call_at = greatest(conversation.last_call_at, excluded.last_call_at),
            contact_card = CASE WHEN excluded.last_inbound_at >= conversation.last_inbound_at
                                THEN coalesce(excluded.contact_card, conversation.contact_card) ELSE conversation.contact_card END`,
    values: INBOUND.values(opened),
  });
}

/** Moves the windows of groups forward, as `recordInbound` does for people. */
export async function recordGroupInbound(tx: Queryable, opened: readonly OpenedByGroup[]): Promise<void> {
  await tx.query({
    name: 'group_window_record_inbound',
    text: `
      INSERT INTO group_window (${GROUP_INBOUND.names})
      SELECT ${GROUP_INBOUND.names} FROM ${GROUP_INBOUND.from('i')}
      ORDER BY organization_id, number_id, group_id
      ON CONFLICT (organization_id, number_id, group_id) DO UPDATE
        SET last_inbound_at = greatest(group_window.last_inbound_at, excluded.last_inbound_at)`,
    values: GROUP_INBOUND.values(opened),
  });
}

/** The newest opening of a window. */
export interface StoredWindow {
  /** Epoch ms. */
  openedAtMs: number;
  by: WindowOpener;
}

/** Returns the newest opening of a person's window; undefined if there is none. */
export async function findWindow(db: Queryable, name: ConversationName): Promise<StoredWindow | undefined> {
  const rows = await db.query<{ at: Date; is_call: boolean }>({
    name: 'conversation_find_window',
    text: `
      SELECT c.last_inbound_at AS at, coalesce(c.last_call_at = c.last_inbound_at, false) AS is_call
      FROM ${WINDOWS_OF_NAMES}`,
    values: NAMES.values([name]),
  });
  return rows.map(({ at, is_call }) => ({
    openedAtMs: at.getTime(),
    by: is_call ? ('call' as const) : ('message' as const),
  }))[0];
}

/** Returns the newest opening of a group's window; undefined if there is none. */
export async function findGroupWindow(
  db: Queryable,
  key: { organizationId: string; numberId: number; groupId: string },
): Promise<StoredWindow | undefined> {
  const rows = await db.query<{ at: Date }>({
    name: 'group_window_find',
    text: `
      SELECT last_inbound_at AS at FROM group_window WHERE organization_id = $1 AND number_id = $2 AND group_id = $3`,
    values: [key.organizationId, key.numberId, key.groupId],
  });
  return rows.map(({ at }) => ({ openedAtMs: at.getTime(), by: 'message' as const }))[0];
}

/** Newest contact object per name, in order, as JSON text; undefined if none is known. One statement for all names. */
export async function findContactCards(db: Queryable, names: ConversationName[]): Promise<(string | undefined)[]> {
  const rows = await db.query<{ ord: number; card: string | null }>({
    name: 'conversation_find_cards',
    text: `
      SELECT k.ord, c.contact_card AS card
      FROM ${WINDOWS_OF_NAMES}`,
    values: NAMES.values(names),
  });
  const found: (string | undefined)[] = new Array(names.length).fill(undefined);
  for (const row of rows) found[row.ord - 1] = row.card ?? undefined;
  return found;
}

const DELETE_FROM = { conversation: 'DELETE FROM conversation', group_window: 'DELETE FROM group_window' };

/** A table of windows. */
type WindowTable = keyof typeof DELETE_FROM;

/**
 * Deletes windows in these blocks of a table whose newest opening came before `beforeMs` (epoch ms), except rows that are being changed.
 * Returns true if the table has more blocks. Reads by block, because an index on age would be written with every message.
 */
export async function deletePast(
  db: Queryable,
  table: WindowTable,
  beforeMs: number,
  { firstBlock, blocks }: { firstBlock: number; blocks: number },
): Promise<boolean> {
  const endBlock = firstBlock + blocks;
  const rows = await db.query<{ goes_on: boolean }>({
    name: `${table}_expire`,
    text: `
      WITH past AS (
        ${DELETE_FROM[table]} WHERE ctid = ANY (ARRAY(
          SELECT ctid FROM ${table} WHERE ctid >= $2::tid AND ctid < $3::tid AND last_inbound_at < $1 FOR UPDATE SKIP LOCKED
        ))
      )
      SELECT pg_relation_size('${table}') > $4 * current_setting('block_size')::bigint AS goes_on`,
    values: [new Date(beforeMs), `(${firstBlock},0)`, `(${endBlock},0)`, endBlock],
  });
  return firstRow(rows).goes_on;
}
