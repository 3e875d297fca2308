import type { FaultSelection } from '../control/faults.ts';
import type { JsonObject } from '../graph/json-object.ts';
import { recordExchange } from '../people/identity.ts';
import type { Platform } from '../platform.ts';
import type { PhoneNumber } from '../records.ts';
import { priceMessage } from '../webhooks/pricing.ts';
import type { AcceptedMessage } from '../webhooks/status-webhooks.ts';
import { magicReplySeconds } from './magic-recipients.ts';
import type { ValidMessage } from './message-validation.ts';
import { receiveInbound } from './receive-inbound.ts';
import { type Recipient, recipientKey } from './recipient.ts';
import { scheduleStatuses } from './schedule-statuses.ts';
import type { SendOutcome, SendRoad } from './send-log.ts';

/** The outcome of a send, and the work left before its answer. */
export interface Decision {
  outcome: SendOutcome;
  answer: JsonObject;
  /** Schedules the statuses of an accepted message. */
  announce?: () => Promise<void>;
}

/** Accepts a valid send: moves its conversation on, prices it and plans its statuses. */
export function acceptSend(
  platform: Platform,
  number: PhoneNumber,
  valid: ValidMessage,
  selection: FaultSelection,
  road: SendRoad,
): Decision {
  const { recipient } = valid;
  if (recipient.kind === 'lost') {
    const wamid = platform.ids.wamid(recipient.reported);
    return { outcome: { kind: 'accepted', wamid }, answer: acceptance(valid, wamid, selection) };
  }
  const acceptedAt = platform.clock.now();
  const user = recipientKey(recipient);
  const isWindowOpen = platform.conversations.isWindowOpen(number.id, user, acceptedAt);
  const needsWindow = valid.template === null && !valid.isDirectSend;
  const isDropped = needsWindow && !isWindowOpen && platform.settings.serviceWindow === 'strict';
  // A free-form message takes the conversation from a business agent.
  if (needsWindow && !isDropped) platform.conversations.handOver(number.id, user, 'business');
  if (recipient.person !== null && !isDropped) {
    recordExchange(platform, number, recipient.person, { atMs: acceptedAt, showsPhone: recipient.kind === 'phone' });
  }
  const freeEntryPointUntil = platform.conversations.recordOutbound(number.id, user, acceptedAt);
  const { freeServiceMessages } = platform.settings;
  // In a free entry point a message is free already.
  const countsAsService = needsWindow && !isDropped && freeEntryPointUntil === null;
  const isFreeService =
    countsAsService && platform.conversations.takeFreeServiceMessage(number.id, acceptedAt, freeServiceMessages);
  const message: AcceptedMessage = {
    wamid: platform.ids.wamid(recipient.person?.waId ?? recipient.reported),
    number,
    recipient,
    callbackData: valid.callbackData,
    acceptedAt,
    pricing: priceMessage({
      template: valid.template,
      road,
      isDirectSend: valid.isDirectSend,
      freeEntryPointUntil,
      isFreeService,
      moved: selection.delivery.findLast((fault) => fault.kind === 'priced'),
    }),
  };
  const statuses = {
    isReaction: valid.type === 'reaction',
    latenciesMs: platform.settings.statusLatencyMs,
    failure: isDropped ? { code: 131047 } : valid.laterFailure,
    faults: selection.delivery,
  };
  return {
    outcome: { kind: 'accepted', wamid: message.wamid },
    answer: acceptance(valid, message.wamid, selection),
    announce() {
      scheduleReply(platform, number, recipient);
      return scheduleStatuses(platform, message, statuses);
    },
  };
}

/** Has a magic recipient answer, once the message was delivered. */
function scheduleReply(platform: Platform, number: PhoneNumber, { person }: Recipient): void {
  const seconds = person === null ? null : magicReplySeconds(person.waId);
  if (person === null || seconds === null) return;
  const { delivered } = platform.settings.statusLatencyMs;
  platform.agenda.schedule((delivered ?? 0) + seconds * 1000, () => {
    const reply = { phoneNumberId: number.id, from: person.waId, text: 'Hello from the simulator.' };
    // A webhook that nobody took is in the log of deliveries.
    receiveInbound(platform, reply).catch(() => {});
  });
}

function acceptance(message: ValidMessage, wamid: string, selection: FaultSelection): JsonObject {
  const { recipient } = message;
  const held = selection.delivery.find((fault) => fault.kind === 'held');
  const messageStatus = held === undefined ? 'accepted' : (held.word ?? 'held_for_quality_assessment');
  return {
    messaging_product: 'whatsapp',
    contacts: [{ input: recipient.input, [recipient.kind === 'user_id' ? 'user_id' : 'wa_id']: recipient.reported }],
    messages: [{ id: wamid, ...(message.template === null ? {} : { message_status: messageStatus }) }],
  };
}
