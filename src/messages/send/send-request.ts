import { keptCallbackData } from '../../core/callback-data.ts';
import { invalid } from '../../core/errors.ts';
import { isUserId } from '../../core/ids.ts';
import {
  insertFirstMember,
  isObject,
  type JsonDocument,
  type JsonPath,
  jsonLevels,
  readJsonDocument,
} from '../../core/json/index.ts';
import { MESSAGE_TYPES, type MessageType } from '../../core/message-types.ts';
import { conversationKeyOf, parseLenientRecipient, parseRecipient } from '../../core/phone-number.ts';
import { storableText } from '../../core/storable-text.ts';
import { listMediaIds } from '../../media/index.ts';
import { findReferences, type MessageReference } from './message-reference.ts';
import { timeToLiveMs } from './time-to-live.ts';

/**
 * A checked send: the facts Fairway needs and the text to forward. Keeps nothing else of the parsed body, which can take twenty times the
 * memory of its text while the message waits for its commit.
 */
export interface SendRequest {
  kind: 'send';
  type: MessageType;
  /** `to` exactly as sent, or the user id in `recipient`. */
  input: string;
  /** `to` reduced to digits; undefined if the message is to a user id. */
  recipient: string | undefined;
  /** The person's user id; undefined if the message is to a phone number. */
  userId: string | undefined;
  /** The name that the person is looked up by: the same for all spellings of one number. */
  name: string;
  template: { name: string; language: string | undefined } | undefined;
  /** `category` of a Direct Send, in small letters; undefined for templates and ordinary messages. */
  directSendCategory: string | undefined;
  callbackData: string | undefined;
  /** Milliseconds for which a message without a template is useful; undefined for a template, which states it itself. */
  timeToLiveMs: number | undefined;
  /** The gateway's ids that name other messages in the body. */
  references: MessageReference[];
  /** Media ids in the body, each once. */
  mediaIds: string[];
  /** True if it was sent to `/marketing_messages`. */
  marketing: boolean;
  /** The body exactly as sent. */
  sentText: string;
  /** The text for the upstream: the body as sent, with a missing `messaging_product` added (api-rules#bodies). */
  text: string;
}

/** Notations of a send that are accepted by choice of the organization. */
export interface SendLeniency {
  toWithoutPlus: boolean;
  contactsAsText: boolean;
}

/** Place of the message that a send answers. */
const REPLIED: JsonPath = ['context', 'message_id'];
/** Place of the message that a reaction is to. */
const REACTED: JsonPath = ['reaction', 'message_id'];
const STRICT: SendLeniency = { toWithoutPlus: false, contactsAsText: false };

/** Mark-as-read, with or without a typing indicator (api-rules#sending). */
export interface ReadReceipt {
  kind: 'read';
  /** As in a send. */
  references: MessageReference[];
  /** As in a send. */
  text: string;
}

const READ_LEVELS = jsonLevels(
  ...['text', 'template.language', 'context', 'reaction'],
  ...['image', 'video', 'audio', 'document', 'sticker'],
);

/**
 * Reads the body of `POST /v1/{phone_number_id}/messages` (api-rules#bodies). Checks only what routing, the window and billing need; the
 * upstream decides the rest. Raises VALIDATION_ERROR.
 */
export function readSendRequest(body: Buffer, leniency: SendLeniency = STRICT): SendRequest | ReadReceipt {
  const document = readJsonDocument(body, READ_LEVELS);
  const { value } = document;

  const product = value.messaging_product;
  if (product !== undefined && product !== 'whatsapp') throw invalid('"messaging_product" must be "whatsapp".');
  // Forwarded, it would show the caller's key to the platform.
  if (Object.hasOwn(value, 'access_token')) {
    throw invalid('"access_token" must not be in the body: send the API key in the header "Authorization".');
  }

  if (value.type === undefined && value.status !== undefined) return readReceipt(document);
  return sendRequest(document, leniency);
}

/** Reads the body of `POST /v1/{phone_number_id}/marketing_messages`, which takes templates only. Raises VALIDATION_ERROR. */
export function readMarketingRequest(body: Buffer, leniency: SendLeniency = STRICT): SendRequest {
  const request = readSendRequest(body, leniency);
  if (request.kind === 'send' && request.type === 'template') return { ...request, marketing: true };
  throw invalid('Only messages of type "template" are sent to /marketing_messages: send the others to /messages.');
}

function outgoingText({ text, value }: JsonDocument): string {
  return value.messaging_product === undefined ? insertFirstMember(text, 'messaging_product', '"whatsapp"') : text;
}

function readReceipt(document: JsonDocument): ReadReceipt {
  const { value } = document;
  if (value.status !== 'read') throw invalid('"status" must be "read" in a body without "type".');
  if (typeof value.message_id !== 'string' || value.message_id === '') {
    throw invalid('"message_id" must be the id of the message to mark as read.');
  }
  return { kind: 'read', references: findReferences(value, [['message_id']]), text: outgoingText(document) };
}

function sendRequest(document: JsonDocument, leniency: SendLeniency): SendRequest {
  const { value } = document;
  // Serializers write null for unset members.
  const recipientType = value.recipient_type ?? 'individual';
  if (recipientType !== 'individual') {
    throw invalid(
      recipientType === 'group'
        ? '"recipient_type" "group" is not supported: the Groups API is not available here.'
        : '"recipient_type" must be "individual".',
    );
  }
  const addressee = addresseeOf(value, leniency);
  if (value.type === undefined) throw invalid('"type" is missing: the kind of message to send.');
  const type = MESSAGE_TYPES.find((known) => known === value.type);
  if (type === undefined) throw invalid(`"type" must be one of ${MESSAGE_TYPES.join(', ')}.`);
  checkContents(type, value[type], leniency);
  const context = value.context ?? undefined;
  if (context !== undefined && !isObject(context)) throw invalid('"context" must be an object with "message_id".');

  return {
    kind: 'send',
    type,
    input: addressee.input,
    recipient: addressee.recipient,
    userId: addressee.userId,
    name: addressee.name,
    template: type === 'template' ? templateOf(value.template as Record<string, unknown>) : undefined,
    directSendCategory: type === 'template' ? undefined : directSendCategory(value.category),
    callbackData: keptCallbackData(value.biz_opaque_callback_data),
    timeToLiveMs: type === 'template' ? undefined : timeToLiveMs(value.category, value.ttl_seconds),
    references: findReferences(value, type === 'reaction' ? [REACTED, REPLIED] : [REPLIED]),
    mediaIds: listMediaIds(type, value),
    marketing: false,
    sentText: document.text,
    text: outgoingText(document),
  };
}

/** Returns the category that makes a free-form body a Direct Send. `service` is the ordinary one; the platform refuses what it does not know. */
function directSendCategory(category: unknown): string | undefined {
  if (typeof category !== 'string' || !/^[A-Za-z_]{1,40}$/.test(category)) return undefined;
  const word = category.toLowerCase();
  return word === 'service' ? undefined : word;
}

/** Returns the person that a send is to. As on the platform, `to` comes before `recipient`. Raises VALIDATION_ERROR. */
function addresseeOf(
  { to, recipient: id }: Readonly<Record<string, unknown>>,
  leniency: SendLeniency,
): Pick<SendRequest, 'input' | 'recipient' | 'userId' | 'name'> {
  // Serializers write null, or an empty text, for unset members.
  const hasNoNumber = to === undefined || to === null || to === '';
  if (hasNoNumber && typeof id === 'string' && id !== '') {
    if (!isUserId(id)) {
      throw invalid(
        '"recipient" must be a user id, for example "US.13491208655302741918". A phone number belongs into "to".',
      );
    }
    return { input: id, recipient: undefined, userId: id, name: id };
  }
  if (to === undefined) {
    throw invalid(
      '"to" is missing: the recipient\'s number with "+" and country code. A user id belongs into "recipient".',
    );
  }
  const recipient = recipientOf(to, leniency);
  return { input: to as string, recipient, userId: undefined, name: conversationKeyOf(recipient) };
}

/** Returns the digits of `to`. Raises VALIDATION_ERROR. */
function recipientOf(to: unknown, { toWithoutPlus }: SendLeniency): string {
  const parse = toWithoutPlus ? parseLenientRecipient : parseRecipient;
  const recipient = typeof to === 'string' ? parse(to) : undefined;
  if (recipient !== undefined) return recipient;
  const isBare = typeof to === 'string' && parseLenientRecipient(to) !== undefined;
  throw invalid(
    '"to" must be the recipient\'s number with a leading "+" and country code, for example "+15551230001".' +
      (isBare
        ? ' For a client that answers to the numbers of webhooks as they come, set "phone_numbers" of its endpoint to "e164"; for one that ' +
          'cannot write the "+", the operator can set "to_without_plus" of the organization.'
        : ''),
  );
}

function checkContents(type: MessageType, contents: unknown, { contactsAsText }: SendLeniency): void {
  if (contents === undefined) throw invalid(`"${type}" is missing: the contents of a message of type "${type}".`);
  if (type === 'contacts') {
    const isText = typeof contents === 'string';
    const contacts = isText && contactsAsText ? valueIn(contents) : contents;
    if (Array.isArray(contacts) && contacts.length > 0) return;
    throw invalid(
      '"contacts" must be an array with at least one contact.' +
        (isText && !contactsAsText
          ? ' For a client that sends it as a text, the operator can set "contacts_as_text" of the organization.'
          : ''),
    );
  }
  if (!isObject(contents)) throw invalid(`"${type}" must be an object.`);
  if (type === 'text' && (typeof contents.body !== 'string' || contents.body === '')) {
    throw invalid('"text.body" must be a string that is not empty.');
  }
}

/** Returns the JSON value of a text; undefined if it is not JSON. */
function valueIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function templateOf(template: Record<string, unknown>): { name: string; language: string | undefined } {
  if (typeof template.name !== 'string' || template.name === '') {
    throw invalid('"template.name" must be a string that is not empty.');
  }
  const { language } = template;
  const name = storableText(template.name);
  if (language === undefined) return { name, language: undefined };
  if (typeof language === 'string' && language !== '') return { name, language };
  if (isObject(language) && typeof language.code === 'string' && language.code !== '') {
    return { name, language: language.code };
  }
  throw invalid('"template.language" must be an object with a string "code".');
}
