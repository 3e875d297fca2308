import { asObject, asObjects, type JsonObject } from '../graph/json-object.ts';
import { checkButtons } from './template-buttons.ts';
import { checkCarousel } from './template-carousel.ts';
import type { ComponentContext } from './template-context.ts';
import { plainTemplateError, templateError } from './template-errors.ts';
import { checkBodyText, checkPlaceholders, checkSamples, templateText } from './template-text.ts';

const mediaFormats: Record<string, (fileType: string) => boolean> = {
  IMAGE: (type) => type.startsWith('image/'),
  VIDEO: (type) => type === 'video/mp4',
  DOCUMENT: (type) => type === 'application/pdf',
  GIF: (type) => type === 'video/mp4',
};

const checks: Record<string, (component: JsonObject, context: ComponentContext) => void> = {
  HEADER: checkHeader,
  BODY: checkBody,
  FOOTER: checkFooter,
  BUTTONS: (component, context) => checkButtons(asObjects(component.buttons), context),
  CAROUSEL: (component, context) =>
    checkCarousel(component, (card) => checkComponents(card, { ...context, isCard: true })),
  LIMITED_TIME_OFFER: checkOffer,
  CALL_PERMISSION_REQUEST: () => {},
  TAP_TARGET_CONFIGURATION: () => {},
  ORDER_STATUS: () => {},
};

/** Checks the components of a template, or of one carousel card: known kinds, each once, each well formed. */
export function checkComponents(components: readonly JsonObject[], context: ComponentContext): void {
  const kinds = components.map((component) => String(component.type));
  for (const [index, component] of components.entries()) {
    const kind = kinds[index] ?? '';
    const check = Object.hasOwn(checks, kind) ? checks[kind] : undefined;
    if (check === undefined) {
      throw plainTemplateError('Invalid parameter', `components[${index}] is of the unknown type ${kind}.`);
    }
    if (kinds.indexOf(kind) !== index) throw plainTemplateError('Invalid parameter', `${kind} may occur once only.`);
    check(component, context);
  }
}

function checkHeader(header: JsonObject, context: ComponentContext): void {
  const format = String(header.format);
  if (context.category === 'AUTHENTICATION') throw templateError(2388047, 'Authentication templates have no header.');
  if (format === 'TEXT') {
    checkTextHeader(header, context);
    return;
  }
  if (format === 'LOCATION' || format === 'PRODUCT') return;
  const acceptsType = Object.hasOwn(mediaFormats, format) ? mediaFormats[format] : undefined;
  if (acceptsType === undefined) throw templateError(2388047, `The header format ${format} is not known.`);
  if (context.hasOffer && format !== 'IMAGE' && format !== 'VIDEO') {
    throw templateError(2388047, 'A limited-time offer takes an image or a video header.');
  }
  checkHandle(header, acceptsType, context);
}

function checkTextHeader(header: JsonObject, context: ComponentContext): void {
  const rule = { place: 'HEADER', charsMax: 60, subcode: 2388047 } as const;
  const text = templateText(header, rule);
  const names = checkPlaceholders(text, context.format, rule);
  if (names.length > 1) throw templateError(2388047, 'A header has at most one variable.');
  if (/[\n*~`]/.test(text)) throw templateError(2388047, "A header can't have line breaks or formatting characters.");
  checkSamples(header, names, context.format, {
    place: 'HEADER',
    positional: 'header_text',
    named: 'header_text_named_params',
  });
}

function checkHandle(header: JsonObject, acceptsType: (type: string) => boolean, context: ComponentContext): void {
  const handles = asObject(header.example)?.header_handle;
  if (!Array.isArray(handles) || handles.length === 0) {
    throw templateError(2388043, 'HEADER is missing expected field(s): example.header_handle.');
  }
  for (const handle of handles) {
    // An upload in several parts has several handles, one per line.
    const samples = String(handle)
      .split('\n')
      .map((line) => context.findSample(line));
    if (!samples.every((sample) => sample !== undefined && acceptsType(sample.fileType))) {
      throw templateError(2388273, 'The header sample is not a handle of an uploaded file of the right type.');
    }
  }
}

function checkBody(body: JsonObject, context: ComponentContext): void {
  if (context.category === 'AUTHENTICATION') {
    if (body.text !== undefined) throw templateError(2388072, 'The body of an authentication template is preset.');
    return;
  }
  const charsMax = context.isCard ? 160 : context.hasOffer ? 600 : 1024;
  const rule = { place: 'BODY', charsMax, subcode: 2388072 } as const;
  const text = templateText(body, rule);
  const names = checkPlaceholders(text, context.format, rule);
  checkBodyText(text, names, rule);
  checkSamples(body, names, context.format, {
    place: 'BODY',
    positional: 'body_text',
    named: 'body_text_named_params',
  });
}

function checkFooter(footer: JsonObject, context: ComponentContext): void {
  if (context.category === 'AUTHENTICATION') {
    const minutes = footer.code_expiration_minutes;
    if (minutes !== undefined && !(Number.isInteger(minutes) && Number(minutes) >= 1 && Number(minutes) <= 90)) {
      throw templateError(2388073, 'code_expiration_minutes must be 1 to 90.');
    }
    return;
  }
  if (context.hasOffer) throw templateError(2388073, 'A limited-time offer has no footer.');
  const text = templateText(footer, { place: 'FOOTER', charsMax: 60, subcode: 2388073 });
  if (text.includes('{{')) throw templateError(2388073, "A footer can't have variables.");
}

function checkOffer(component: JsonObject, context: ComponentContext): void {
  const offer = asObject(component.limited_time_offer);
  if (context.category !== 'MARKETING') {
    throw plainTemplateError('Invalid parameter', 'Only marketing templates have a limited-time offer.');
  }
  templateText(offer ?? {}, { place: 'LIMITED_TIME_OFFER', charsMax: 16, subcode: 2388072 });
}
