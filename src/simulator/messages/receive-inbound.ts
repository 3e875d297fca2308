import { Readable } from 'node:stream';
import { digitsOf } from '../../core/phone-number.ts';
import { statusError } from '../graph/graph-errors.ts';
import { asObjects, type JsonObject } from '../graph/json-object.ts';
import { contactOf, personNamed, phoneMember, recordExchange, userIdMembers, visibleWaId } from '../people/identity.ts';
import { announceNow, downloadUrl, type Platform } from '../platform.ts';
import type { PhoneNumber } from '../records.ts';
import { metadataOf } from '../webhooks/status-webhooks.ts';
import type { SignatureMode, WebhookDelivery } from '../webhooks/webhook-sender.ts';
import { inboundMediaSamples, sampleContent } from './inbound-samples.ts';

export interface InboundSeed {
  phoneNumberId: string;
  /** The user's number, digits or with `+`, or a user id. */
  from: string;
  /** Default `text`. */
  type?: string;
  /** Shorthand for the body of a `text`. */
  text?: string;
  /** Contents under the type's name; default: a sample. */
  content?: unknown;
  /** File of a media kind without `content`. */
  media?: { bytes: Buffer; mimeType: string };
  context?: JsonObject;
  /** A click-to-chat ad; opens a free entry point once answered. */
  referral?: JsonObject;
  profileName?: string;
  /** Milliseconds since the epoch; default now. */
  at?: number;
  /** Default: a new one. A repeated one makes a duplicate. */
  wamid?: string;
  /** Group that the user writes in. */
  groupId?: string;
  /** Hides the phone in this message, whatever the number may see. */
  hidesPhone?: boolean;
  signature?: SignatureMode;
}

export interface InboundResult {
  wamid: string;
  /** `null` without a subscription. */
  delivery: WebhookDelivery | null;
}

/**
 * Receives a user's message to a number: opens the service window of the user, or of the group (except for `system` messages), and posts the
 * webhook, in the field `standby` while a business agent holds the conversation. Resolves once the
 * webhook was answered 200; rejects if it was given up.
 */
export async function receiveInbound(platform: Platform, seed: InboundSeed): Promise<InboundResult> {
  const number = platform.world.getNumber(seed.phoneNumberId);
  const person = personNamed(platform, seed.from);
  const type = seed.type ?? 'text';
  const at = seed.at ?? platform.clock.now();
  const wamid = seed.wamid ?? platform.ids.wamid(person.waId);
  const content = await contentOf(platform, seed, type, person.waId);
  platform.conversations.recordReceived(number.id, wamid);
  const holder = seed.groupId ?? person.key;
  if (type !== 'system') platform.conversations.recordInbound(number.id, holder, at, seed.referral !== undefined);
  const waId = seed.hidesPhone ? null : visibleWaId(platform, number, person);
  recordExchange(platform, number, person, { atMs: at, showsPhone: waId !== null || sharesPhone(type, content) });

  const message: JsonObject = {
    ...phoneMember(platform, 'from', waId),
    ...userIdMembers(platform, number, person, 'from_'),
    id: wamid,
    timestamp: String(Math.floor(at / 1000)),
    type,
    ...(seed.groupId === undefined ? {} : { group_id: seed.groupId }),
    [type]: content,
    ...(type === 'unsupported' ? { errors: [statusError(131051)] } : {}),
    ...(seed.context === undefined ? replyContext(platform, number, type) : { context: seed.context }),
    ...(seed.referral === undefined ? {} : { referral: seed.referral }),
  };
  const contact = contactOf(platform, number, { ...person, name: seed.profileName ?? person.name }, waId);
  const reported = { ...(type === 'system' ? {} : { contacts: [contact] }), messages: [message] };
  const isStandby = platform.conversations.isHeldByAgent(number.id, holder);
  const delivery = await announceNow(
    platform,
    {
      wabaId: number.wabaId,
      field: isStandby ? 'standby' : 'messages',
      value: {
        messaging_product: 'whatsapp',
        metadata: metadataOf(number),
        ...(isStandby ? { standby: reported } : reported),
      },
    },
    { signature: seed.signature ?? 'valid', once: (seed.signature ?? 'valid') !== 'valid' },
  );
  if (delivery?.outcome === 'given_up' && delivery.signature === 'valid') {
    throw new Error(`The inbound webhook was given up after ${delivery.attempts} attempts (${delivery.httpStatus}).`);
  }
  return { wamid, delivery };
}

async function contentOf(platform: Platform, seed: InboundSeed, type: string, from: string): Promise<unknown> {
  if (seed.content !== undefined) return seed.content;
  if (seed.text !== undefined) return { body: seed.text };
  const sample = inboundMediaSamples[type];
  if (sample === undefined) return sampleContent(type, from, platform.ids.wamid(from));
  const { bytes, mimeType } = seed.media ?? sample;
  const item = await platform.media.add(
    Readable.from([bytes]),
    { phoneNumberId: seed.phoneNumberId, mimeType, origin: 'received' },
    Number.POSITIVE_INFINITY,
  );
  if (typeof item === 'string') throw new Error('Inbound media cannot be empty.');
  return {
    ...sample.extra,
    id: item.id,
    mime_type: mimeType,
    sha256: Buffer.from(item.sha256, 'hex').toString('base64'),
    url: downloadUrl(platform, item),
  };
}

/** Returns the quoted message: taps on buttons and list rows always quote the message that offered them. */
function replyContext(platform: Platform, number: PhoneNumber, type: string): JsonObject {
  if (type !== 'button' && type !== 'interactive') return {};
  const from = digitsOf(number.displayPhoneNumber);
  return { context: { from, id: platform.ids.wamid(from) } };
}

/** Returns true for the answer to a request for the person's contact data, which gives their phone back. */
function sharesPhone(type: string, content: unknown): boolean {
  return type === 'contacts' && asObjects(content).some(({ origin }) => origin === 'contact_request');
}
