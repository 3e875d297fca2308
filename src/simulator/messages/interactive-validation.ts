import { asObject, asObjects, type JsonObject } from '../graph/json-object.ts';
import { checkMedia, type MediaContext } from './media-reference.ts';
import {
  invalid,
  missing,
  optionalText,
  requireHttpUrl,
  requireList,
  requireObject,
  requireText,
  requireUnique,
} from './parameter-checks.ts';

interface InteractiveRule {
  /** Allowed header types; empty = no header. */
  header: readonly string[];
  headerRequired?: boolean;
  bodyCharsMax: number;
  bodyRequired: boolean;
  footer: boolean;
  checkAction(action: JsonObject, media: MediaContext): string | null;
}

const anyHeader = ['text', 'image', 'video', 'document'];
const path = 'interactive';

const plain = (name: string): InteractiveRule => ({
  header: [],
  bodyCharsMax: 1024,
  bodyRequired: true,
  footer: false,
  checkAction: (action) => requireName(action, name),
});

const rules: Record<string, InteractiveRule> = {
  button: { header: anyHeader, bodyCharsMax: 1024, bodyRequired: true, footer: true, checkAction: checkReplyButtons },
  list: { header: ['text'], bodyCharsMax: 4096, bodyRequired: true, footer: true, checkAction: checkList },
  cta_url: { header: anyHeader, bodyCharsMax: 1024, bodyRequired: true, footer: true, checkAction: checkCtaUrl },
  flow: { header: anyHeader, bodyCharsMax: 1024, bodyRequired: true, footer: true, checkAction: checkFlow },
  product: { header: [], bodyCharsMax: 1024, bodyRequired: false, footer: true, checkAction: checkProduct },
  product_list: {
    header: ['text'],
    headerRequired: true,
    bodyCharsMax: 1024,
    bodyRequired: true,
    footer: true,
    checkAction: checkProductList,
  },
  catalog_message: { ...plain('catalog_message'), footer: true },
  location_request_message: plain('send_location'),
  address_message: { ...plain('address_message'), header: anyHeader, footer: true, checkAction: checkAddress },
  carousel: { ...plain(''), checkAction: checkCarousel },
  call_permission_request: { ...plain('call_permission_request'), bodyRequired: false },
  voice_call: { ...plain('voice_call'), checkAction: checkVoiceCall },
  request_contact_info: plain('request_contact_info'),
  contact_request: plain('contact_request'),
  order_details: { ...plain('review_and_pay'), header: anyHeader, footer: true },
  order_status: { ...plain('review_order'), header: anyHeader, footer: true },
};

/** Checks an `interactive` object against the documented limits. Returns the reason of a later failure (131053), or null. */
export function checkInteractive(interactive: JsonObject, media: MediaContext): string | null {
  const type = requireText(interactive, 'type', path);
  const rule = Object.hasOwn(rules, type) ? rules[type] : undefined;
  if (rule === undefined) throw invalid(`${path}.type ${type} is not supported.`);
  const body = asObject(interactive.body);
  if (body !== undefined) requireText(body, 'text', `${path}.body`, rule.bodyCharsMax);
  else if (rule.bodyRequired) throw missing(`${path}.body`);
  const footer = asObject(interactive.footer);
  if (footer !== undefined) {
    if (!rule.footer) throw invalid(`${path} of type ${type} cannot have a footer.`);
    requireText(footer, 'text', `${path}.footer`, 60);
  }
  const mediaProblem = checkHeader(interactive, type, rule, media);
  return rule.checkAction(requireObject(interactive, 'action', path), media) ?? mediaProblem;
}

function checkHeader(interactive: JsonObject, type: string, rule: InteractiveRule, media: MediaContext): string | null {
  const header = asObject(interactive.header);
  if (header === undefined) {
    if (rule.headerRequired) throw missing(`${path}.header`);
    return null;
  }
  const headerType = requireText(header, 'type', `${path}.header`);
  if (!rule.header.includes(headerType)) {
    throw invalid(`${path} of type ${type} cannot have a header of type ${headerType}.`);
  }
  if (headerType === 'text') {
    requireText(header, 'text', `${path}.header`, 60);
    return null;
  }
  return checkMedia(
    requireObject(header, headerType, `${path}.header`),
    headerType,
    `${path}.header.${headerType}`,
    media,
  );
}

function requireName(action: JsonObject, name: string): null {
  if (action.name !== name) throw invalid(`${path}.action.name must be ${name}.`);
  return null;
}

function checkReplyButtons(action: JsonObject): null {
  const buttons = requireList(action, 'buttons', `${path}.action`, 1, 3);
  const replies = buttons.map((button, index) => {
    const at = `${path}.action.buttons[${index}]`;
    if (button.type !== 'reply') throw invalid(`${at}.type must be reply.`);
    const reply = requireObject(button, 'reply', at);
    return { id: requireText(reply, 'id', `${at}.reply`, 256), title: requireText(reply, 'title', `${at}.reply`, 20) };
  });
  requireUnique(
    replies.map(({ id }) => id),
    'Button ids',
  );
  requireUnique(
    replies.map(({ title }) => title),
    'Button titles',
  );
  return null;
}

function checkList(action: JsonObject): null {
  requireText(action, 'button', `${path}.action`, 20);
  const sections = requireList(action, 'sections', `${path}.action`, 1, 10);
  const ids: string[] = [];
  for (const [index, section] of sections.entries()) {
    const at = `${path}.action.sections[${index}]`;
    if (sections.length > 1) requireText(section, 'title', at, 24);
    else optionalText(section, 'title', at, 24);
    for (const [rowIndex, row] of requireList(section, 'rows', at, 1, 10).entries()) {
      const rowAt = `${at}.rows[${rowIndex}]`;
      ids.push(requireText(row, 'id', rowAt, 200));
      requireText(row, 'title', rowAt, 24);
      optionalText(row, 'description', rowAt, 72);
    }
  }
  if (ids.length > 10) throw invalid(`${path}.action.sections may have at most 10 rows in total.`);
  requireUnique(ids, 'Row ids');
  return null;
}

function checkCtaUrl(action: JsonObject): null {
  requireName(action, 'cta_url');
  const parameters = requireObject(action, 'parameters', `${path}.action`);
  requireText(parameters, 'display_text', `${path}.action.parameters`, 20);
  requireHttpUrl(parameters, 'url', `${path}.action.parameters`);
  return null;
}

function checkFlow(action: JsonObject): null {
  requireName(action, 'flow');
  const at = `${path}.action.parameters`;
  const parameters = requireObject(action, 'parameters', `${path}.action`);
  if (String(parameters.flow_message_version) !== '3') throw invalid(`${at}.flow_message_version must be 3.`);
  if ((parameters.flow_id === undefined) === (parameters.flow_name === undefined)) {
    throw invalid(`${at} takes exactly one of flow_id and flow_name.`);
  }
  requireText(parameters, 'flow_cta', at);
  const flowAction = optionalText(parameters, 'flow_action', at) ?? 'navigate';
  if (!['navigate', 'data_exchange'].includes(flowAction)) throw invalid(`${at}.flow_action is not valid.`);
  if (parameters.flow_action_payload !== undefined && flowAction !== 'navigate') {
    throw invalid(`${at}.flow_action_payload is only for navigate.`);
  }
  return null;
}

function checkProduct(action: JsonObject): null {
  requireText(action, 'catalog_id', `${path}.action`);
  requireText(action, 'product_retailer_id', `${path}.action`);
  return null;
}

function checkProductList(action: JsonObject): null {
  requireText(action, 'catalog_id', `${path}.action`);
  const sections = requireList(action, 'sections', `${path}.action`, 1, 10);
  let products = 0;
  for (const [index, section] of sections.entries()) {
    const at = `${path}.action.sections[${index}]`;
    if (sections.length > 1) requireText(section, 'title', at, 24);
    products += requireList(section, 'product_items', at, 1, 30).length;
  }
  if (products > 30) throw invalid(`${path}.action.sections may have at most 30 products in total.`);
  return null;
}

function checkAddress(action: JsonObject): null {
  requireName(action, 'address_message');
  requireText(requireObject(action, 'parameters', `${path}.action`), 'country', `${path}.action.parameters`, 2);
  return null;
}

function checkVoiceCall(action: JsonObject): null {
  requireName(action, 'voice_call');
  const parameters = asObject(action.parameters) ?? {};
  const at = `${path}.action.parameters`;
  optionalText(parameters, 'display_text', at, 20);
  optionalText(parameters, 'payload', at, 512);
  const ttl = parameters.ttl_minutes;
  if (ttl !== undefined && !(Number(ttl) >= 1 && Number(ttl) <= 43_200))
    throw invalid(`${at}.ttl_minutes is not valid.`);
  return null;
}

function checkCarousel(action: JsonObject, media: MediaContext): string | null {
  const at = `${path}.action.cards`;
  const cards = requireList(action, 'cards', `${path}.action`, 2, 10);
  requireUnique(
    cards.map((card) => Number(card.card_index)),
    `${at} card_index`,
  );
  if (cards.some((card) => !(Number(card.card_index) >= 0 && Number(card.card_index) <= 9))) {
    throw invalid(`${at} card_index must be 0 to 9.`);
  }
  if (new Set(cards.map(cardShape)).size > 1) throw invalid(`${at} must all have the same type, header and buttons.`);
  let problem: string | null = null;
  for (const [index, card] of cards.entries()) problem = checkCard(card, `${at}[${index}]`, media) ?? problem;
  return problem;
}

function checkCard(card: JsonObject, at: string, media: MediaContext): string | null {
  const action = requireObject(card, 'action', at);
  if (card.type === 'product') {
    checkProduct(action);
    return null;
  }
  if (card.type !== 'cta_url') throw invalid(`${at}.type must be cta_url or product.`);
  const body = asObject(card.body);
  if (body !== undefined) requireText(body, 'text', `${at}.body`, 160);
  const buttons = asObjects(action.buttons);
  if (buttons.length === 0) checkCtaUrl(action);
  for (const [index, button] of buttons.entries()) {
    const reply = requireObject(button, 'quick_reply', `${at}.action.buttons[${index}]`);
    requireText(reply, 'id', `${at}.action.buttons[${index}].quick_reply`, 256);
    requireText(reply, 'title', `${at}.action.buttons[${index}].quick_reply`, 20);
  }
  const header = requireObject(card, 'header', at);
  const kind = requireText(header, 'type', `${at}.header`);
  if (kind !== 'image' && kind !== 'video') throw invalid(`${at}.header must be an image or a video.`);
  return checkMedia(requireObject(header, kind, `${at}.header`), kind, `${at}.header.${kind}`, media);
}

/** Returns the structure that all cards of one carousel must share. */
function cardShape(card: JsonObject): string {
  const action = asObject(card.action) ?? {};
  const buttons = asObjects(action.buttons).map((button) => button.type);
  const catalog = card.type === 'product' ? action.catalog_id : null;
  return JSON.stringify([card.type, asObject(card.header)?.type, buttons, catalog]);
}
