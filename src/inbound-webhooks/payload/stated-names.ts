import { membersOf } from '../../core/json/index.ts';
import type { PersonNames } from '../../people/index.ts';
import { digits, listOf, textOf, timeMs } from './upstream-values.ts';

/** Names that the platform states to be one person's in an account: before and after a change. */
export interface StatedNames {
  wabaId: string;
  names: PersonNames;
  /** Those of the numbers that the person had before. */
  formerNumbers: readonly string[];
  /** Epoch ms. */
  atMs: number;
}

/** Reads the changes of user ids in a value of the field `user_id_update`. */
export function readUserIdUpdates(
  value: Readonly<Record<string, unknown>>,
  wabaId: string | undefined,
  receivedAtMs: number,
): StatedNames[] {
  if (wabaId === undefined) return [];
  return listOf(value.user_id_update).flatMap(({ wa_id, user_id, parent_user_id, timestamp }) => {
    const [ids, parentIds] = [membersOf(user_id), membersOf(parent_user_id)];
    const names = {
      numbers: present([digits(wa_id)]),
      userIds: present([textOf(ids.previous), textOf(ids.current)]),
      parentUserIds: present([textOf(parentIds.previous), textOf(parentIds.current)]),
    };
    return [{ wabaId, names, formerNumbers: [], atMs: timeMs(timestamp, receivedAtMs) }];
  });
}

/** Types of the platform's notes that a person goes on under another name. */
const CHANGES = new Set(['user_changed_number', 'user_changed_user_id', 'customer_changed_number']);

/** Reads the change of a number or of a user id that a message of the platform reports; none for all other messages. */
export function readSystemMessage(
  message: Readonly<Record<string, unknown>>,
  wabaId: string | undefined,
  receivedAtMs: number,
): StatedNames[] {
  const system = membersOf(message.system);
  if (wabaId === undefined || message.type !== 'system' || !CHANGES.has(String(system.type))) return [];
  const names = {
    numbers: present([digits(message.from), digits(system.wa_id), digits(system.new_wa_id)]),
    userIds: present([textOf(message.from_user_id), textOf(system.user_id)]),
    parentUserIds: present([textOf(message.from_parent_user_id), textOf(system.parent_user_id)]),
  };
  const formerNumbers = present([digits(message.from)]);
  return [{ wabaId, names, formerNumbers, atMs: timeMs(message.timestamp, receivedAtMs) }];
}

function present(names: readonly (string | undefined)[]): string[] {
  return [...new Set(names.filter((name) => name !== undefined))];
}
