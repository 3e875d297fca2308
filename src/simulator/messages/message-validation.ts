import { isObject } from '../../core/json/index.ts';
import { GraphError, invalidParameter } from '../graph/graph-errors.ts';
import { asObject, asObjects, type JsonObject } from '../graph/json-object.ts';
import type { Template } from '../records.ts';
import { checkTemplateParameters } from '../templates/template-parameters.ts';
import { checkInteractive } from './interactive-validation.ts';
import { checkMedia, checkMediaText, type MediaContext } from './media-reference.ts';
import { invalid, missing, optionalText, requireList, requireObject, requireText } from './parameter-checks.ts';
import { checkReachable, type Recipient, type RecipientContext, readRecipient } from './recipient.ts';
import type { SendRoad } from './send-log.ts';

/** Inputs of the validation besides the body. */
export interface MessageContext extends MediaContext, RecipientContext {
  /** True if free-form messages may be sent as business-initiated ones (`category`). */
  directSendEnabled: boolean;
  road: SendRoad;
  /** True if the account refuses marketing templates at `/messages`. */
  marketingForbidden: boolean;
  /** True if the account may use `/marketing_messages`. */
  onboarded: boolean;
  findTemplate(name: string, language: string): Template | undefined;
}

/** A message the platform accepts. */
export interface ValidMessage {
  type: string;
  recipient: Recipient;
  template: Template | null;
  callbackData: string | null;
  /** Business-initiated although free-form, so it needs no service window. */
  isDirectSend: boolean;
  /** Reason of a failure after acceptance, or `null`. */
  laterFailure: { code: number; details?: string } | null;
}

const mediaTypes = new Set(['image', 'video', 'audio', 'document', 'sticker']);
const messageTypes = [...mediaTypes, 'text', 'template', 'location', 'contacts', 'interactive', 'reaction'];

/** Reads `messaging_product`; raises 100 if it is missing or has another value. */
export function checkMessagingProduct(body: JsonObject): void {
  const product = body.messaging_product;
  if (product === undefined) throw invalidParameter('The parameter messaging_product is required.');
  if (product !== 'whatsapp') {
    throw invalidParameter(`Param messaging_product must be one of {WHATSAPP} - got ${JSON.stringify(product)}.`);
  }
}

/** Checks a whole send like the platform before acceptance. Unknown fields pass. Raises GraphError. */
export function validateMessage(body: JsonObject, context: MessageContext): ValidMessage {
  checkMessagingProduct(body);
  if (context.road === 'marketing_messages' && body.type !== 'template')
    throw invalidParameter('Message must be a template message.');
  const recipientType = body.recipient_type ?? 'individual';
  if (recipientType !== 'individual') {
    throw invalidParameter(`Param recipient_type must be one of {INDIVIDUAL} - got ${JSON.stringify(recipientType)}.`);
  }
  const recipient = readRecipient(body, context);
  checkReachable(recipient, context.number);
  const type = readType(body);
  checkReply(body, type);
  const callbackData = body.biz_opaque_callback_data;
  if (callbackData !== undefined && (typeof callbackData !== 'string' || callbackData.length > 512)) {
    throw invalidParameter('Param biz_opaque_callback_data must be a string of at most 512 characters.');
  }
  const isDirectSend = checkDirectSend(body, type, context.directSendEnabled);
  const template = type === 'template' ? lookUpTemplate(requireObject(body, 'template', 'message'), context) : null;
  const isAuthentication =
    template?.category === 'AUTHENTICATION' || (isDirectSend && body.category === 'authentication');
  if (isAuthentication && recipient.kind === 'user_id') throw new GraphError(131062);
  checkRoad(template, context);
  const problem = template === null ? checkContent(body, type, context) : checkTemplateSend(body, template, context);
  return {
    type,
    recipient,
    template,
    callbackData: callbackData ?? null,
    isDirectSend,
    laterFailure: laterFailureOf(recipient, problem),
  };
}

/** Checks that a template may go where it was posted. */
function checkRoad(template: Template | null, { road, marketingForbidden, onboarded }: MessageContext): void {
  const isMarketing = template?.category === 'MARKETING';
  if (road === 'messages') {
    if (isMarketing && marketingForbidden) throw new GraphError(131063);
    return;
  }
  if (!isMarketing) throw new GraphError(134100);
  if (!onboarded) throw new GraphError(134102);
}

/** Returns the reason of a failure after acceptance: a number without a user, or media that cannot be sent. */
function laterFailureOf({ kind, person }: Recipient, problem: string | null): ValidMessage['laterFailure'] {
  if (kind === 'phone' && person === null) return { code: 131026 };
  return problem === null ? null : { code: 131053, details: problem };
}

function readType(body: JsonObject): string {
  const type = body.type ?? 'text';
  if (typeof type === 'string' && messageTypes.includes(type)) return type;
  const known = messageTypes.map((name) => name.toUpperCase()).join(', ');
  throw invalidParameter(`Param type must be one of {${known}} - got ${JSON.stringify(type)}.`);
}

function checkReply(body: JsonObject, type: string): void {
  if (body.context === undefined || body.context === null) return;
  if (type === 'reaction') throw invalid('A reaction cannot have a context.');
  requireText(requireObject(body, 'context', 'message'), 'message_id', 'context');
}

/** Range of a Direct Send's lifetime, in seconds. */
const directSendTtl = { utility: [30, 43_200], authentication: [30, 900] } as const;

function checkDirectSend(body: JsonObject, type: string, enabled: boolean): boolean {
  const category = optionalText(body, 'category', 'message') ?? 'service';
  if (type === 'template' || category === 'service') {
    if (body.ttl_seconds !== undefined) throw invalidParameter('Param ttl_seconds needs a Direct Send category.');
    return false;
  }
  if (category !== 'utility' && category !== 'authentication') {
    throw invalidParameter(`Param category must be one of {UTILITY, AUTHENTICATION, SERVICE} - got "${category}".`);
  }
  if (!enabled) throw invalidParameter("Direct Send isn't enabled for this account.");
  const ttl = body.ttl_seconds;
  const [min, max] = directSendTtl[category];
  if (ttl !== undefined && !(Number.isInteger(ttl) && Number(ttl) >= min && Number(ttl) <= max))
    throw invalidParameter(`Param ttl_seconds must be ${min} to ${max} for ${category}.`);
  return true;
}

/** Checks the type's own object. Returns the reason of a later failure, or null. */
function checkContent(body: JsonObject, type: string, context: MessageContext): string | null {
  if (type === 'contacts') {
    checkContacts(body);
    return null;
  }
  const content = requireObject(body, type, 'message');
  if (mediaTypes.has(type)) {
    checkMediaText(content, type, type);
    return checkMedia(content, type, type, context);
  }
  switch (type) {
    case 'text':
      requireText(content, 'body', 'text', 4096);
      return null;
    case 'location':
      requireCoordinate(content, 'latitude', 90);
      requireCoordinate(content, 'longitude', 180);
      return null;
    case 'reaction':
      checkReaction(content);
      return null;
    default:
      return checkInteractive(content, context);
  }
}

function checkContacts(body: JsonObject): void {
  for (const [index, contact] of requireList(body, 'contacts', 'message', 1, 257).entries()) {
    const path = `contacts[${index}]`;
    requireText(requireObject(contact, 'name', path), 'formatted_name', `${path}.name`);
    const birthday = optionalText(contact, 'birthday', path);
    if (birthday !== undefined && !/^\d{4}-\d{2}-\d{2}$/.test(birthday))
      throw invalid(`${path}.birthday is not a date.`);
    for (const [urlIndex, url] of asObjects(contact.urls).entries()) {
      if (url.url !== undefined) requireText(url, 'url', `${path}.urls[${urlIndex}]`);
    }
  }
}

function requireCoordinate(location: JsonObject, key: string, max: number): void {
  const value = location[key];
  if (value === undefined || value === '') throw missing(`location.${key}`);
  const degrees = typeof value === 'string' || typeof value === 'number' ? Number(value) : Number.NaN;
  if (!(Math.abs(degrees) <= max)) throw invalid(`location.${key} is not valid.`);
}

function checkReaction(reaction: JsonObject): void {
  requireText(reaction, 'message_id', 'reaction');
  if (typeof reaction.emoji !== 'string') throw missing('reaction.emoji');
  if (Array.from(new Intl.Segmenter().segment(reaction.emoji)).length > 1)
    throw invalid('reaction.emoji must be one emoji.');
}

function lookUpTemplate(content: JsonObject, context: MessageContext): Template {
  const name = requireText(content, 'name', 'template');
  const language = requireText(requireObject(content, 'language', 'template'), 'code', 'template.language');
  const template = context.findTemplate(name, language);
  if (template?.status === 'PAUSED') throw new GraphError(132015);
  if (template?.status === 'DISABLED') throw new GraphError(132016);
  if (template === undefined || template.status !== 'APPROVED') {
    throw new GraphError(132001, { details: `template name (${name}) does not exist in ${language}` });
  }
  if (template.attributes.source === 'AUTO_GENERATED') throw new GraphError(132018);
  return template;
}

function checkTemplateSend(body: JsonObject, template: Template, context: MessageContext): string | null {
  const components = asObject(body.template)?.components;
  if (components !== undefined && !(Array.isArray(components) && components.every(isObject))) {
    throw invalid('template.components must be an array of objects.');
  }
  return checkTemplateParameters(template, asObjects(components), context);
}
