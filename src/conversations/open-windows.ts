import { inSets } from '../database/batching/in-sets.ts';
import type { Queryable } from '../database/database.ts';
import { recordGroupInbound, recordInbound } from './queries.ts';
import type { WindowOpener } from './window.ts';

/** A person of an account. */
export interface PersonKey {
  /** The person's key as it was read. */
  contact: string;
  /** A name that the key is stored under, so that it is found anew if it has changed since: see `recordInbound`. */
  name: string;
  wabaId: string;
}

/** An act of a person that opens or refreshes a window: the person's own, or that of the group it happened in. */
export interface WindowOpening {
  organizationId: string;
  numberId: number;
  of: PersonKey | { groupId: string };
  /** Epoch ms. */
  atMs: number;
  by: WindowOpener;
  /** The person's contact object as the platform reported it with the act: JSON text. */
  card?: string | undefined;
}

/**
 * Opens or extends windows: each keeps its newest opening, so that repeated and reordered reports change nothing. Call it once a
 * transaction. Windows are locked in the order of their keys; two calls of two transactions could deadlock.
 */
export async function openWindows(tx: Queryable, openings: readonly WindowOpening[]): Promise<void> {
  const merged = mergeOpenings(openings);
  const people = merged.flatMap(({ of, ...opening }) => ('contact' in of ? [{ ...opening, ...of }] : []));
  for (const set of inSets(people)) await recordInbound(tx, set);
  const groups = merged.flatMap(({ of, ...opening }) => ('groupId' in of ? [{ ...opening, ...of }] : []));
  for (const set of inSets(groups)) await recordGroupInbound(tx, set);
}

interface MergedOpening extends WindowOpening {
  callAtMs: number | undefined;
  card: string | undefined;
}

/** Merges the openings of each window, and sorts the windows by their keys. */
function mergeOpenings(openings: readonly WindowOpening[]): MergedOpening[] {
  const byKey = new Map<string, MergedOpening>();
  for (const opening of openings) {
    const { organizationId, numberId, of } = opening;
    const person = 'contact' in of ? of.contact.padStart(20, '0') : of.groupId;
    const key = `${organizationId}:${String(numberId).padStart(10, '0')}:${person}`;
    const known = byKey.get(key);
    const callAtMs = opening.by === 'call' ? Math.max(opening.atMs, known?.callAtMs ?? 0) : known?.callAtMs;
    const isNewest = known === undefined || opening.atMs >= known.atMs;
    const card = isNewest ? (opening.card ?? known?.card) : (known.card ?? opening.card);
    byKey.set(key, { ...opening, atMs: isNewest ? opening.atMs : known.atMs, callAtMs, card });
  }
  return [...byKey].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, one]) => one);
}
