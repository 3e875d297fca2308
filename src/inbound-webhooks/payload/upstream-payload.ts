import type { AccountChange } from '../../accounts/index.ts';
import { keptCallbackData } from '../../core/callback-data.ts';
import { digestUuid, digestUuidAt } from '../../core/ids.ts';
import { isObject, jsonLevels, membersOf, readJsonDocument } from '../../core/json/index.ts';
import type { InboundToStore, MessagePerson, StatusUpdate } from '../../messages/index.ts';
import type { PersonNames } from '../../people/index.ts';
import { readCalls, type WindowCall } from './calls.ts';
import { contactFinder, type PersonIds, personNames, recipientOf, senderOf } from './contact-finder.ts';
import { type ReportedOutside, readEchoes, readHistory } from './outside-messages.ts';
import { type MarketingPreference, readPreferences } from './preferences.ts';
import { type ChangeValue, type ItemList, restOfStandby, restOfValue } from './rest-of-value.ts';
import { readSystemMessage, readUserIdUpdates, type StatedNames } from './stated-names.ts';
import { listOf, statedTimeMs, textOf, timeMs } from './upstream-values.ts';

/** Message of a person to a connected number, of any organization. */
interface InboundMessage extends Omit<InboundToStore, 'organizationId' | 'numberId' | keyof MessagePerson> {
  phoneNumberId: string;
  person: PersonNames;
  /** Business account that it is reported under. */
  wabaId: string | undefined;
}

/** Status of a message of a connected number, of any organization. */
interface ReportedStatus extends Omit<StatusUpdate, 'contact' | 'userId'> {
  person: PersonNames;
}

/** Contents of one payload. */
export interface UpstreamPayload {
  statuses: ReportedStatus[];
  inbound: InboundMessage[];
  /** Messages that came about outside of the gateway: echoes and the past. */
  outside: ReportedOutside[];
  /** Calls that open windows. */
  calls: WindowCall[];
  /** People's choices about marketing. */
  preferences: MarketingPreference[];
  changes: AccountChange[];
  /** Names of which the platform states that they are one person's. */
  sameness: StatedNames[];
  /** Places of the payload that are neither applied nor passed on, each with the reason. */
  unreadable: string[];
}

const ROOT = jsonLevels();
const FAILURE_CHARACTERS_MAX = 1_000;
const STATUS_WORDS = ['sent', 'delivered', 'read', 'failed'] as const;

/** Returns a payload without contents. */
export function emptyPayload(): UpstreamPayload {
  return {
    statuses: [],
    inbound: [],
    outside: [],
    calls: [],
    preferences: [],
    changes: [],
    sameness: [],
    unreadable: [],
  };
}

/** Returns the items that people caused at a number: all but statuses. */
export function listNumberItems({ inbound, outside, calls, preferences }: UpstreamPayload) {
  return [...inbound, ...outside, ...calls, ...preferences];
}

/**
 * Reads a signed webhook payload that arrived at `receivedAtMs` (epoch ms): every entry, every change, and every status and message in
 * it. `unreadable` names the parts that are neither applied nor passed on. Raises VALIDATION_ERROR only if the bytes are no JSON object.
 */
export function readUpstreamPayload(bytes: Buffer, receivedAtMs: number): UpstreamPayload {
  const document = readJsonDocument(bytes, ROOT);
  const payload: UpstreamPayload = emptyPayload();
  const room = { characters: document.text.length };
  let digest: string | undefined;
  const payloadDigest = () => {
    digest ??= digestUuid(document.text);
    return digest;
  };
  const { unreadable } = payload;
  const entries = listOf(document.value.entry);
  if (entries.length === 0) unreadable.push('entry: empty or no list');
  for (const [entryIndex, entry] of entries.entries()) {
    const changes = listOf(entry.changes);
    if (changes.length === 0) unreadable.push(`entry[${entryIndex}].changes: empty or no list`);
    for (const [changeIndex, change] of changes.entries()) {
      const { value } = change;
      const place = `entry[${entryIndex}].changes[${changeIndex}]`;
      const field = textOf(change.field);
      const path = ['entry', entryIndex, 'changes', changeIndex, 'value'];
      if (field === undefined || !isObject(value)) {
        unreadable.push(`${place}: no field, or a value that is no object`);
        continue;
      }
      const told = { document, path, value };
      if (field === 'user_id_update')
        payload.sameness.push(...readUserIdUpdates(value, textOf(entry.id), receivedAtMs));
      const phoneNumberId = textOf(membersOf(value.metadata).phone_number_id);
      const raw =
        phoneNumberId === undefined
          ? document.rawOf(path)
          : readNumberChange(field, told, { phoneNumberId, wabaId: textOf(entry.id), receivedAtMs, room }, payload);
      if (raw === undefined) continue;
      const wabaId = textOf(entry.id);
      if (wabaId === undefined) unreadable.push(`entry[${entryIndex}]: no id`);
      else payload.changes.push(accountChangeOf(told, { wabaId, field, raw, time: entry.time, payloadDigest }));
    }
  }
  return payload;
}

/** Does the same as `readUpstreamPayload`, and returns the reasons why the bytes, or parts of them, cannot be read. */
export function tryReadPayload(
  bytes: Buffer,
  receivedAtMs: number,
): { parsed: UpstreamPayload | undefined; unreadable: string[] } {
  try {
    const parsed = readUpstreamPayload(bytes, receivedAtMs);
    return { parsed, unreadable: parsed.unreadable };
  } catch (error) {
    return { parsed: undefined, unreadable: [error instanceof Error ? error.message : 'unreadable'] };
  }
}

/** Joins reasons into the journal's text, shortened; undefined if there are none. */
export function failureOf(reasons: readonly string[]): string | undefined {
  return reasons.length === 0 ? undefined : reasons.join('; ').slice(0, FAILURE_CHARACTERS_MAX);
}

function accountChangeOf(
  { document, path, value }: ChangeValue,
  change: { wabaId: string; field: string; raw: string; time: unknown; payloadDigest: () => string },
): AccountChange {
  const { wabaId, field, raw } = change;
  const atMs = statedTimeMs(change.time);
  // Without a time, equal values may be two separate changes: only the same payload reports the same one again.
  const id =
    atMs === undefined
      ? digestUuid('upstream change', wabaId, field, `${change.payloadDigest()}/${path.join('/')}`, raw)
      : digestUuidAt(atMs, 'upstream change', wabaId, field, String(atMs), raw);
  return { id, wabaId, field, atMs, value, raw, rawOf: (member) => document.rawOf([...path, member]) };
}

/** A change of a number, and the bound on what may be repeated of its payload. */
interface NumberChange {
  phoneNumberId: string;
  wabaId: string | undefined;
  receivedAtMs: number;
  room: { characters: number };
}

/** Adds the messages, statuses and calls in a value to the payload. Returns what is left to be passed on; undefined if nothing is. */
function readNumberChange(
  field: string,
  told: ChangeValue,
  change: NumberChange,
  payload: UpstreamPayload,
): string | undefined {
  const { phoneNumberId, wabaId, receivedAtMs } = change;
  const place = { phoneNumberId, wabaId, receivedAtMs };
  switch (field) {
    case 'messages':
      readMessagesChange(told, { ...change, origin: 'api' }, payload);
      return restOfValue(told, (list, item) => list !== 'message_echoes' && isRead(list, item));
    case 'standby': {
      const standby = { ...told, path: [...told.path, 'standby'], value: membersOf(told.value.standby) };
      readMessagesChange(standby, { ...change, origin: 'agent' }, payload);
      payload.outside.push(...readEchoes(standby, { field, origin: 'agent' }, place));
      return restOfStandby(told, isRead);
    }
    case 'message_echoes':
    case 'smb_message_echoes': {
      const origin = field === 'message_echoes' ? 'agent' : 'app';
      payload.outside.push(...readEchoes(told, { field, origin }, place));
      return restOfValue(told, (list, item) => list === 'message_echoes' && isRead(list, item));
    }
    case 'history':
      payload.outside.push(...readHistory(told, place));
      return told.document.rawOf(told.path);
    case 'calls':
      payload.calls.push(...readCalls(told.value, { phoneNumberId, wabaId }, receivedAtMs));
      return told.document.rawOf(told.path);
    case 'user_preferences':
      payload.preferences.push(...readPreferences(told.value, { phoneNumberId, wabaId }, receivedAtMs));
      return told.document.rawOf(told.path);
    default:
      return told.document.rawOf(told.path);
  }
}

function readMessagesChange(
  { document, path, value }: ChangeValue,
  change: NumberChange & { origin: InboundMessage['origin'] },
  payload: UpstreamPayload,
): void {
  const { phoneNumberId, wabaId, receivedAtMs, room, origin } = change;
  const contactList = listOf(value.contacts);
  const findContact = contactFinder(contactList);
  const namesOf = (ids: PersonIds) => personNames(ids, contactList[findContact(ids) ?? -1]);
  // A contact is repeated for each of the person's items. `room` bounds the sum: without it, one large contact with thousands of items
  // would fill memory.
  const contactsOf = (person: PersonIds): string | undefined => {
    const index = findContact(person);
    const contact = index === undefined ? undefined : document.rawOf([...path, 'contacts', index]);
    if (contact === undefined || contact.length > room.characters) return undefined;
    room.characters -= contact.length;
    return `"contacts":[${contact}]`;
  };
  for (const [index, status] of listOf(value.statuses).entries()) {
    const wamid = textOf(status.id);
    const word = deliveryWordOf(status);
    if (wamid === undefined || word === undefined) continue;
    const raw = document.rawOf([...path, 'statuses', index]);
    const contacts = contactsOf(recipientOf(status));
    payload.statuses.push({
      ...toStatusUpdate(status, word),
      person: namesOf(recipientOf(status)),
      wamid,
      phoneNumberId,
      atMs: timeMs(status.timestamp, receivedAtMs),
      value: `{${contacts === undefined ? '' : `${contacts},`}"statuses":[${raw}]}`,
    });
  }
  for (const [index, message] of listOf(value.messages).entries()) {
    const wamid = textOf(message.id);
    const raw = document.rawOf([...path, 'messages', index]);
    if (wamid === undefined || raw === undefined) continue;
    const contacts = contactsOf(senderOf(message));
    payload.sameness.push(...readSystemMessage(message, wabaId, receivedAtMs));
    payload.inbound.push({
      phoneNumberId,
      wabaId,
      wamid,
      person: namesOf(senderOf(message)),
      groupId: textOf(message.group_id),
      origin,
      type: textOf(message.type) ?? 'unknown',
      atMs: timeMs(message.timestamp, receivedAtMs),
      raw,
      value: contacts && `{${contacts}}`,
    });
  }
}

/** Returns true if an item is applied as a message or as a delivery status; every other item is passed on unchanged. */
function isRead(list: ItemList, item: Readonly<Record<string, unknown>>): boolean {
  return textOf(item.id) !== undefined && (list !== 'statuses' || deliveryWordOf(item) !== undefined);
}

/** Returns the delivery status of an item. Undefined for other words, and for payments, calls and the like, which have their own `type`. */
function deliveryWordOf({ type, status }: Readonly<Record<string, unknown>>): StatusUpdate['status'] | undefined {
  if ((textOf(type) ?? 'message') !== 'message') return undefined;
  // A voice message that was played has also been read.
  return status === 'played' ? 'read' : STATUS_WORDS.find((known) => known === status);
}

function toStatusUpdate(
  status: Readonly<Record<string, unknown>>,
  word: StatusUpdate['status'],
): Omit<ReportedStatus, 'wamid' | 'phoneNumberId' | 'atMs' | 'value' | 'person'> {
  const pricing = membersOf(status.pricing);
  const origin = membersOf(membersOf(status.conversation).origin);
  return {
    status: word,
    ...(word === 'failed' ? reasonOf(listOf(status.errors)[0]) : { errorCode: undefined, errorMessage: undefined }),
    category: (textOf(pricing.category) ?? textOf(origin.type))?.toLowerCase(),
    pricingType: textOf(pricing.type),
    callbackData: keptCallbackData(status.biz_opaque_callback_data) || undefined,
  };
}

/**
 * Returns the reason why a message failed. Every failed message has a code and words (api-rules#message); without them, the upstream's
 * generic code is used.
 */
function reasonOf(error: Record<string, unknown> | undefined): { errorCode: string; errorMessage: string } {
  const told = membersOf(error?.error_data).details;
  return {
    errorCode: typeof error?.code === 'number' ? String(error.code) : (textOf(error?.code) ?? '131000'),
    errorMessage:
      textOf(told) ?? textOf(error?.message) ?? textOf(error?.title) ?? 'The upstream platform gave no reason.',
  };
}
