import { createHash } from 'node:crypto';
import { isObject } from '../../core/json/index.ts';
import { addToSelection, type FaultSelection } from '../control/faults.ts';
import { GraphError, invalidParameter } from '../graph/graph-errors.ts';
import { asString, type JsonObject } from '../graph/json-object.ts';
import { type Reply, replyDone, replyUndone } from '../graph/reply.ts';
import { scopeOf } from '../people/identity.ts';
import type { Platform } from '../platform.ts';
import { type PhoneNumber, throughputOf } from '../records.ts';
import { acceptSend, type Decision } from './accept-send.ts';
import { isMagic, magicFault } from './magic-recipients.ts';
import { checkMessagingProduct, type ValidMessage, validateMessage } from './message-validation.ts';
import { requireText } from './parameter-checks.ts';
import { type Recipient, type RecipientContext, readRecipient, recipientKey } from './recipient.ts';
import type { SendOutcome, SendRoad } from './send-log.ts';

/** A request to `/{phone_number_id}/messages` or `/marketing_messages` as it arrived. */
export interface IncomingSend {
  phoneNumberId: string;
  road: SendRoad;
  token: string;
  url: string;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
  arrivedNs: bigint;
  arrivedAt: number;
}

/** Facts about a body before its validation. */
interface Reading {
  body: JsonObject | null;
  type: string | null;
  to: string | null;
  waId: string | null;
}

/** A request, its parsed body and its faults. */
interface Received {
  send: IncomingSend;
  reading: Reading;
  selection: FaultSelection;
}

/** Room for a pair's attempts, and for the conversation if the recipient answers. */
const PAIR_BYTES = 512;

const envelopeMembers = new Set([
  'messaging_product',
  'recipient_type',
  'to',
  'recipient',
  'type',
  'context',
  'biz_opaque_callback_data',
  'recipient_identity_key_hash',
  'category',
  'ttl_seconds',
  'direct_send_config',
  'message_activity_sharing',
  'product_policy',
]);

/**
 * Handles one send or mark-as-read: applies faults, checks it like the platform, counts it against the limits, schedules its statuses, and
 * always records it. Returns the end of the request on the wire.
 */
export async function receiveSend(platform: Platform, send: IncomingSend): Promise<Reply> {
  const number = platform.world.findNumber(send.phoneNumberId);
  const reading = readBody(send.body, number === undefined ? undefined : recipientContext(platform, number));
  const selection = selectFaults(platform, send, number, reading);
  const received = { send, reading, selection };
  const traceId = platform.ids.traceId();
  const undone = replyUndone(selection, traceId);
  if (undone === undefined) return await replyDone(selection, traceId, () => carryOut(platform, received));
  record(platform, received, undoneOutcome(undone, selection));
  return undone;
}

/** Records a send whose connection is reset before its body is read. */
export function recordEarlyReset(platform: Platform, send: IncomingSend): void {
  const reading = { body: null, type: null, to: null, waId: null };
  const selection: FaultSelection = { request: { kind: 'reset_before' }, delayMs: 0, delivery: [] };
  record(platform, { send, reading, selection }, { kind: 'dropped' });
}

function recipientContext(platform: Platform, number: PhoneNumber): RecipientContext {
  return { number, people: platform.people, scope: scopeOf(platform, number.wabaId) };
}

function readBody(bytes: Buffer, context: RecipientContext | undefined): Reading {
  const body = parseObject(bytes);
  if (body === null) return { body, type: null, to: null, waId: null };
  if (body.type === undefined && body.status === 'read') return { body, type: 'mark_read', to: null, waId: null };
  const to = asString(body.to ?? body.recipient) ?? null;
  return { body, type: asString(body.type) ?? 'text', to, waId: waIdIn(body, context) };
}

function parseObject(bytes: Buffer): JsonObject | null {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function waIdIn(body: JsonObject, context: RecipientContext | undefined): string | null {
  if (context === undefined) return null;
  try {
    const { person, reported } = readRecipient(body, context);
    return person?.waId ?? reported;
  } catch {
    // The validation refuses a malformed recipient with its own error.
    return null;
  }
}

function selectFaults(
  platform: Platform,
  send: IncomingSend,
  number: PhoneNumber | undefined,
  reading: Reading,
): FaultSelection {
  const selection = platform.faults.take(
    {
      endpoint: reading.type === 'mark_read' ? 'mark_read' : send.road,
      phoneNumberId: send.phoneNumberId,
      ...(number === undefined ? {} : { wabaId: number.wabaId }),
      ...(reading.waId === null ? {} : { recipient: reading.waId }),
    },
    platform.clock.now(),
  );
  if (reading.waId === null || !isMagic(reading.waId)) return selection;
  const pair = `${send.phoneNumberId}\0${reading.waId}`;
  const attempt = (platform.magicAttempts.get(pair) ?? 0) + 1;
  platform.magicAttempts.set(pair, attempt);
  if (attempt === 1) platform.keeper?.noteStored(send.token, PAIR_BYTES);
  const fault = magicFault(reading.waId, attempt);
  if (fault !== null) addToSelection(selection, fault);
  return selection;
}

/** Records the send before any wait, so that the order of the log is the order of acceptance. */
async function carryOut(platform: Platform, received: Received): Promise<JsonObject> {
  let outcome: SendOutcome = { kind: 'dropped' };
  let decision: Decision;
  try {
    decision = decide(platform, received);
    outcome = decision.outcome;
  } catch (error) {
    if (error instanceof GraphError) outcome = { kind: 'rejected', httpStatus: error.httpStatus, code: error.code };
    throw error;
  } finally {
    record(platform, received, outcome);
  }
  await decision.announce?.();
  return decision.answer;
}

function decide(platform: Platform, { send, reading, selection }: Received): Decision {
  const number = platform.world.visibleNumber(send.phoneNumberId, send.token);
  if (reading.body === null) throw invalidParameter('The body is not a valid JSON object.');
  if (number.status !== 'CONNECTED' || number.platformType === 'NOT_APPLICABLE') throw new GraphError(133010);
  if (reading.type === 'mark_read' && send.road === 'messages') {
    markRead(reading.body, platform, number);
    return { outcome: { kind: 'read' }, answer: { success: true } };
  }
  const message = validate(platform, number, reading.body, send.road);
  enforceLimits(platform, send, number, message.recipient);
  return acceptSend(platform, number, message, selection, send.road);
}

function markRead(body: JsonObject, platform: Platform, number: PhoneNumber): void {
  checkMessagingProduct(body);
  const wamid = requireText(body, 'message_id', 'message');
  if (!platform.conversations.hasReceived(number.id, wamid)) {
    throw new GraphError(100, { details: `message_id ${wamid.slice(0, 80)} is not a message this number received.` });
  }
}

function validate(platform: Platform, number: PhoneNumber, body: JsonObject, road: SendRoad): ValidMessage {
  if (platform.settings.refuseUnknownFields) refuseUnknownFields(body);
  const attributes = platform.world.findWaba(number.wabaId)?.attributes ?? {};
  return validateMessage(body, {
    ...recipientContext(platform, number),
    phoneNumberId: number.id,
    directSendEnabled: attributes.direct_send_enabled === true,
    road,
    marketingForbidden: attributes.disable_marketing_messages_on_cloud_api === true,
    onboarded: attributes.marketing_messages_onboarding_status === 'ONBOARDED',
    findMedia: (id) => platform.media.find(id),
    findTemplate: (name, language) => platform.world.findTemplateByName(number.wabaId, name, language),
  });
}

function refuseUnknownFields(body: JsonObject): void {
  const unknown = Object.keys(body).find((key) => !envelopeMembers.has(key) && key !== body.type);
  if (unknown !== undefined) throw invalidParameter(`Unsupported or misspelled parameter ${unknown}.`);
}

function enforceLimits(platform: Platform, send: IncomingSend, number: PhoneNumber, recipient: Recipient): void {
  if (platform.settings.limits === 'off') return;
  const limit = throughputOf(number);
  const verdict = platform.limits.admit(number.id, recipientKey(recipient), limit, platform.clock.monotonicMs());
  if (verdict.kind === 'admitted') return;
  platform.violations.append({
    kind: verdict.kind,
    phoneNumberId: number.id,
    recipient: recipient.person?.waId ?? recipient.reported,
    at: send.arrivedAt,
    arrivedNs: send.arrivedNs,
    limit: verdict.limit,
    retryAfterMs: verdict.kind === 'pair' ? verdict.retryAfterMs : null,
  });
  throw verdict.kind === 'pair' ? new GraphError(131056) : new GraphError(130429, { subcode: 2494055 });
}

function undoneOutcome(reply: Reply, { request: fault }: FaultSelection): SendOutcome {
  if (reply.kind !== 'answer') return { kind: 'dropped' };
  return { kind: 'rejected', httpStatus: reply.httpStatus, code: fault?.kind === 'error' ? fault.code : null };
}

function record(platform: Platform, { send, reading, selection }: Received, outcome: SendOutcome): void {
  const callbackData = reading.body?.biz_opaque_callback_data;
  platform.sends.append({
    arrivedNs: send.arrivedNs,
    arrivedAt: send.arrivedAt,
    phoneNumberId: send.phoneNumberId,
    road: send.road,
    url: send.url,
    headers: send.headers,
    body: send.body,
    bodyBytes: send.body.length,
    bodySha256: send.body.length === 0 ? '' : createHash('sha256').update(send.body).digest('hex'),
    to: reading.to,
    waId: reading.waId,
    type: reading.type,
    callbackData: typeof callbackData === 'string' ? callbackData : null,
    outcome,
    fault: selection.request?.kind ?? null,
  });
}
