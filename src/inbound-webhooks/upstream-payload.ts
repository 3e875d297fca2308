import type { AccountChange } from '../accounts/index.ts';
import { keptCallbackData } from '../core/callback-data.ts';
import { digestUuid, digestUuidAt } from '../core/ids.ts';
import {
  isObject,
  type JsonDocument,
  type JsonPath,
  jsonLevels,
  membersOf,
  object,
  readJsonDocument,
} from '../core/json/index.ts';
import { conversationKeyOf } from '../core/phone-number.ts';
import { storableText } from '../core/storable-text.ts';
import type { InboundToStore, StatusUpdate } from '../messages/index.ts';

/** A person's message to one of our numbers, whose ever that is. */
export interface InboundMessage extends Omit<InboundToStore, 'organizationId' | 'numberId'> {
  phoneNumberId: string;
  /** The business account it is told under. */
  wabaId: string | undefined;
}

/** Everything one payload carries. */
export interface UpstreamPayload {
  statuses: StatusUpdate[];
  inbound: InboundMessage[];
  changes: AccountChange[];
}

/** The value of a change, and where it stands: what is told of it is told word for word. */
interface ChangeValue {
  document: JsonDocument;
  path: JsonPath;
  value: Record<string, unknown>;
}

const ROOT = jsonLevels();
const STATUS_WORDS = ['sent', 'delivered', 'read', 'failed'] as const;

/**
 * Reads a signed webhook payload: every entry, every change, every status and message of each. Raises VALIDATION_ERROR only
 * when the bytes are no JSON object at all; any single item that cannot be read is skipped.
 */
export function readUpstreamPayload(bytes: Buffer): UpstreamPayload {
  const document = readJsonDocument(bytes, ROOT);
  const payload: UpstreamPayload = { statuses: [], inbound: [], changes: [] };
  const room = { characters: document.text.length };
  let digest: string | undefined;
  const payloadDigest = () => {
    digest ??= digestUuid(document.text);
    return digest;
  };
  for (const [entryIndex, entry] of listOf(document.value.entry).entries()) {
    for (const [changeIndex, change] of listOf(entry.changes).entries()) {
      const { value } = change;
      const path = ['entry', entryIndex, 'changes', changeIndex, 'value'];
      if (!isObject(value)) continue;
      const field = textOf(change.field);
      const told = { document, path, value };
      if (field === 'messages') readMessagesChange(told, textOf(entry.id), room, payload);
      const raw = field === 'messages' ? restOfMessages(told) : document.rawOf(path);
      readAccountChange(told, { entry, field, raw, payloadDigest }, payload);
    }
  }
  return payload;
}

/** `readUpstreamPayload`, or why the bytes cannot be read at all. */
export function tryReadPayload(bytes: Buffer): { parsed: UpstreamPayload | undefined; failure: string | undefined } {
  try {
    return { parsed: readUpstreamPayload(bytes), failure: undefined };
  } catch (error) {
    return { parsed: undefined, failure: error instanceof Error ? error.message : 'unreadable' };
  }
}

/**
 * What a value under `messages` says besides messages and statuses: trouble of the number, and statuses that have no name here. That is
 * passed on like a field that has none, as a value of its own in the upstream's words; undefined when there is no such thing.
 */
function restOfMessages({ document, path, value }: ChangeValue): string | undefined {
  if (value.statuses === undefined && value.messages === undefined) return document.rawOf(path);
  const unnamed = listOf(value.statuses).flatMap(({ status }, index) =>
    statusNamed(status) !== undefined || textOf(status) === undefined
      ? []
      : (document.rawOf([...path, 'statuses', index]) ?? []),
  );
  const errors = listOf(value.errors).length === 0 ? undefined : document.rawOf([...path, 'errors']);
  if (unnamed.length === 0 && errors === undefined) return undefined;
  return object([
    ['messaging_product', document.rawOf([...path, 'messaging_product'])],
    ['metadata', document.rawOf([...path, 'metadata'])],
    ['contacts', document.rawOf([...path, 'contacts'])],
    ['statuses', unnamed.length === 0 ? undefined : `[${unnamed.join(',')}]`],
    ['errors', errors],
  ]);
}

function readAccountChange(
  { document, path, value }: ChangeValue,
  change: {
    entry: Record<string, unknown>;
    field: string | undefined;
    raw: string | undefined;
    payloadDigest: () => string;
  },
  payload: UpstreamPayload,
): void {
  const { entry, field, raw } = change;
  const wabaId = textOf(entry.id);
  if (wabaId === undefined || field === undefined || raw === undefined) return;
  const atMs = secondsToMs(entry.time);
  // Without a time, equal values may be two happenings; then only the same payload tells of the same one.
  const id =
    atMs === undefined
      ? digestUuid('upstream change', wabaId, field, `${change.payloadDigest()}/${path.join('/')}`, raw)
      : digestUuidAt(atMs, 'upstream change', wabaId, field, String(atMs), raw);
  payload.changes.push({ id, wabaId, field, atMs, value, raw, rawOf: (member) => document.rawOf([...path, member]) });
}

function readMessagesChange(
  told: ChangeValue,
  wabaId: string | undefined,
  room: { characters: number },
  payload: UpstreamPayload,
): void {
  const { document, path, value } = told;
  const phoneNumberId = textOf(membersOf(value.metadata).phone_number_id);
  if (phoneNumberId === undefined) return;
  const contactsOf = contactFinder(told, room);
  for (const [index, status] of listOf(value.statuses).entries()) {
    const update = toStatusUpdate(phoneNumberId, status);
    if (update === undefined) continue;
    const raw = document.rawOf([...path, 'statuses', index]);
    const contacts = contactsOf(status.recipient_id, status.recipient_user_id);
    payload.statuses.push({
      ...update,
      value: `{${contacts === undefined ? '' : `${contacts},`}"statuses":[${raw}]}`,
    });
  }
  for (const [index, message] of listOf(value.messages).entries()) {
    const wamid = textOf(message.id);
    const atMs = secondsToMs(message.timestamp);
    const raw = document.rawOf([...path, 'messages', index]);
    if (wamid === undefined || atMs === undefined || raw === undefined) continue;
    const contacts = contactsOf(message.from, message.from_user_id);
    payload.inbound.push({
      phoneNumberId,
      wabaId,
      wamid,
      from: digits(message.from),
      type: textOf(message.type) ?? 'unknown',
      atMs,
      raw,
      value: contacts && `{${contacts}}`,
    });
  }
}

/**
 * Finds what a value's `contacts` say of one person, by number or user id: the member as text, word for word. It is repeated for each
 * of the person's items, so what is found takes from `room`: one large contact of thousands of items would grow beyond all bounds.
 */
function contactFinder({ document, path, value }: ChangeValue, room: { characters: number }) {
  const indexOf = new Map<unknown, number>();
  for (const [index, contact] of listOf(value.contacts).entries()) {
    for (const name of [contact.wa_id, contact.user_id]) if (typeof name === 'string') indexOf.set(name, index);
  }
  return (number: unknown, userId: unknown): string | undefined => {
    const index = indexOf.get(number) ?? indexOf.get(userId);
    const contact = index === undefined ? undefined : document.rawOf([...path, 'contacts', index]);
    if (contact === undefined || contact.length > room.characters) return undefined;
    room.characters -= contact.length;
    return `"contacts":[${contact}]`;
  };
}

function toStatusUpdate(
  phoneNumberId: string,
  status: Record<string, unknown>,
): Omit<StatusUpdate, 'value'> | undefined {
  const wamid = textOf(status.id);
  const word = statusNamed(status.status);
  const atMs = secondsToMs(status.timestamp);
  if (wamid === undefined || word === undefined || atMs === undefined) return undefined;
  const recipient = digits(status.recipient_id);
  const pricing = membersOf(status.pricing);
  const origin = membersOf(membersOf(status.conversation).origin);
  return {
    wamid,
    phoneNumberId,
    contact: recipient && conversationKeyOf(recipient),
    status: word,
    atMs,
    ...(word === 'failed' ? reasonOf(listOf(status.errors)[0]) : { errorCode: undefined, errorMessage: undefined }),
    category: (textOf(pricing.category) ?? textOf(origin.type))?.toLowerCase(),
    pricingType: textOf(pricing.type),
    callbackData: keptCallbackData(status.biz_opaque_callback_data) || undefined,
  };
}

function statusNamed(word: unknown): StatusUpdate['status'] | undefined {
  // A voice message that was played was read before.
  return word === 'played' ? 'read' : STATUS_WORDS.find((known) => known === word);
}

/** Why a message failed: every failed one has a code and words (api-rules#message), the upstream's generic code where it tells none. */
function reasonOf(error: Record<string, unknown> | undefined): { errorCode: string; errorMessage: string } {
  const told = membersOf(error?.error_data).details;
  return {
    errorCode: typeof error?.code === 'number' ? String(error.code) : (textOf(error?.code) ?? '131000'),
    errorMessage:
      textOf(told) ?? textOf(error?.message) ?? textOf(error?.title) ?? 'The upstream platform gave no reason.',
  };
}

function listOf(value: unknown): Readonly<Record<string, unknown>>[] {
  // Positions matter to callers that cut raw text out, so what is no object stays in its place as an empty one.
  return Array.isArray(value) ? value.map(membersOf) : [];
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? storableText(value) : undefined;
}

/** A phone number, which has 15 digits at most (E.164); what is longer names a person in some other way. */
function digits(value: unknown): string | undefined {
  return typeof value === 'string' && /^[1-9]\d{4,14}$/.test(value) ? value : undefined;
}

/** Upstream timestamps are Unix seconds, as text or number; anything outside the years 2000 to 2100 is no timestamp. */
function secondsToMs(value: unknown): number | undefined {
  const seconds = typeof value === 'string' || typeof value === 'number' ? Number(value) : Number.NaN;
  return seconds > 946_684_800 && seconds < 4_102_444_800 ? Math.floor(seconds * 1000) : undefined;
}
