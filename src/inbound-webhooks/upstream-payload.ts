import { type JsonDocument, jsonLevels, readJsonDocument } from '../core/json/index.ts';
import { conversationKeyOf } from '../core/phone-number.ts';
import type { StatusUpdate } from '../messages/index.ts';

/** A person's message to one of our numbers. */
export interface InboundMessage {
  phoneNumberId: string;
  wamid: string;
  /** the person's number, digits; absent for people known by user id alone */
  from: string | undefined;
  type: string;
  atMs: number;
  /** the message object exactly as received */
  raw: string;
  callbackData: undefined;
}

/** A change told about a WABA: templates, numbers, account. `value` is a parsed view, `rawOf` gives exact spellings. */
export interface AccountChange {
  wabaId: string;
  field: string;
  value: Record<string, unknown>;
  /** the raw text of a member of `value`, for ids beyond what a number holds */
  rawOf(member: string): string | undefined;
}

/** Everything one payload carries. What is malformed or unknown is counted, never thrown. */
export interface UpstreamPayload {
  statuses: StatusUpdate[];
  inbound: InboundMessage[];
  changes: AccountChange[];
  unreadable: number;
}

const STATUS_WORDS = new Set(['sent', 'delivered', 'read', 'failed']);

/**
 * Reads a signed webhook payload: every entry, every change, every status and message of each. Raises VALIDATION_ERROR only
 * when the bytes are no JSON object at all; any single item that cannot be read is skipped and counted.
 */
export function readUpstreamPayload(bytes: Buffer): UpstreamPayload {
  const document = readJsonDocument(bytes, jsonLevels());
  const payload: UpstreamPayload = { statuses: [], inbound: [], changes: [], unreadable: 0 };
  for (const [entryIndex, entry] of listOf(document.value.entry).entries()) {
    const wabaId = textOf(entry.id);
    for (const [changeIndex, change] of listOf(entry.changes).entries()) {
      const field = textOf(change.field);
      const value = recordOf(change.value);
      const path = ['entry', entryIndex, 'changes', changeIndex, 'value'];
      if (value === undefined) payload.unreadable += 1;
      else if (field === 'messages') readMessagesChange(document, path, value, payload);
      else if (wabaId !== undefined && field !== undefined) {
        payload.changes.push({ wabaId, field, value, rawOf: (member) => document.rawOf([...path, member]) });
      } else payload.unreadable += 1;
    }
  }
  return payload;
}

function readMessagesChange(
  document: JsonDocument,
  path: (string | number)[],
  value: Record<string, unknown>,
  payload: UpstreamPayload,
): void {
  const phoneNumberId = textOf(recordOf(value.metadata)?.phone_number_id);
  if (phoneNumberId === undefined) {
    payload.unreadable += 1;
    return;
  }
  for (const status of listOf(value.statuses)) {
    const update = toStatusUpdate(phoneNumberId, status);
    if (update === undefined) payload.unreadable += 1;
    else payload.statuses.push(update);
  }
  for (const [index, message] of listOf(value.messages).entries()) {
    const wamid = textOf(message.id);
    const atMs = secondsToMs(message.timestamp);
    const raw = document.rawOf([...path, 'messages', index]);
    if (wamid === undefined || atMs === undefined || raw === undefined) payload.unreadable += 1;
    else {
      const from = digits(message.from);
      payload.inbound.push({
        phoneNumberId,
        wamid,
        from,
        type: textOf(message.type) ?? 'unknown',
        atMs,
        raw,
        callbackData: undefined,
      });
    }
  }
}

function toStatusUpdate(phoneNumberId: string, status: Record<string, unknown>): StatusUpdate | undefined {
  const wamid = textOf(status.id);
  // A voice message that was played was read before.
  const word = status.status === 'played' ? 'read' : textOf(status.status);
  const atMs = secondsToMs(status.timestamp);
  if (wamid === undefined || word === undefined || !STATUS_WORDS.has(word) || atMs === undefined) return undefined;
  const recipient = digits(status.recipient_id);
  const pricing = recordOf(status.pricing);
  const origin = recordOf(recordOf(status.conversation)?.origin);
  const error = listOf(status.errors)[0];
  return {
    wamid,
    phoneNumberId,
    contact: recipient && conversationKeyOf(recipient),
    status: word as StatusUpdate['status'],
    atMs,
    errorCode: error && String(error.code ?? ''),
    errorMessage:
      error && (textOf(recordOf(error.error_data)?.details) ?? textOf(error.message) ?? textOf(error.title)),
    category: (textOf(pricing?.category) ?? textOf(origin?.type))?.toLowerCase(),
    pricingType: textOf(pricing?.type),
    callbackData: textOf(status.biz_opaque_callback_data),
  };
}

function listOf(value: unknown): Record<string, unknown>[] {
  // Positions matter to callers that cut raw text out, so what is no object stays in its place as an empty one.
  return Array.isArray(value) ? value.map((item) => recordOf(item) ?? {}) : [];
}

function recordOf(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function digits(value: unknown): string | undefined {
  return typeof value === 'string' && /^[1-9]\d{4,17}$/.test(value) ? value : undefined;
}

/** Upstream timestamps are Unix seconds, as text or number; anything outside the years 2000 to 2100 is no timestamp. */
function secondsToMs(value: unknown): number | undefined {
  const seconds = typeof value === 'string' || typeof value === 'number' ? Number(value) : Number.NaN;
  return seconds > 946_684_800 && seconds < 4_102_444_800 ? Math.floor(seconds * 1000) : undefined;
}
