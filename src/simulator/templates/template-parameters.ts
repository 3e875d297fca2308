import { isObject } from '../../core/json/index.ts';
import { GraphError } from '../graph/graph-errors.ts';
import { asObject, asObjects, asString, type JsonObject } from '../graph/json-object.ts';
import { checkMedia, type MediaContext } from '../messages/media-reference.ts';
import { charsIn } from '../messages/parameter-checks.ts';
import type { Template } from '../records.ts';

const upper = (value: unknown) => String(value ?? '').toUpperCase();

const placeholder = /\{\{\s*([^{}]*?)\s*\}\}/g;

/** Returns the placeholder names of a template text in order of first use: `1`, `2` or parameter names. */
export function placeholdersIn(text: unknown): string[] {
  if (typeof text !== 'string') return [];
  return [...new Set(Array.from(text.matchAll(placeholder), (match) => match[1] ?? ''))];
}

/**
 * Checks the components of a template send against the stored template. Returns the reason of a later failure (131053), or null.
 * Raises 132000 (count), 132012 (kind or format), 132005 (too long once filled in), 131008 (button parameter).
 */
export function checkTemplateParameters(template: Template, sent: JsonObject[], media: MediaContext): string | null {
  checkKnownComponents(template.components, sent);
  return checkComponents(template, template.components, sent, media);
}

function checkComponents(
  template: Template,
  defined: JsonObject[],
  sent: JsonObject[],
  media: MediaContext,
): string | null {
  let problem: string | null = null;
  for (const component of defined) {
    const type = upper(component.type);
    const given = sent.find((candidate) => upper(candidate.type) === type);
    if (type === 'HEADER') problem = checkHeader(template, component, given, media) ?? problem;
    else if (type === 'BODY') checkBody(template, component, given);
    else if (type === 'BUTTONS') checkButtons(component, sent);
    else if (type === 'CAROUSEL') problem = checkCards(template, component, given, media) ?? problem;
    else if (type === 'LIMITED_TIME_OFFER') checkOffer(component, given);
  }
  return problem;
}

function checkKnownComponents(defined: JsonObject[], sent: JsonObject[]): void {
  for (const component of sent) {
    const type = upper(component.type);
    const counterpart = type === 'BUTTON' ? 'BUTTONS' : type;
    const needsCounterpart = ['HEADER', 'BODY', 'BUTTONS', 'CAROUSEL', 'LIMITED_TIME_OFFER'].includes(counterpart);
    if (needsCounterpart && !defined.some((candidate) => upper(candidate.type) === counterpart)) {
      if (counterpart === 'BODY' || asObjects(component.parameters).length === 0) continue;
      throw mismatch(`The template has no ${counterpart.toLowerCase()} component.`);
    }
  }
}

function checkHeader(
  template: Template,
  component: JsonObject,
  given: JsonObject | undefined,
  media: MediaContext,
): string | null {
  const parameters = asObjects(given?.parameters);
  const format = upper(component.format);
  if (format === 'TEXT') {
    checkTexts(template, 'header', component.text, parameters, 60);
    return null;
  }
  if (format === 'PRODUCT') return null;
  const kind = format.toLowerCase();
  if (parameters.length !== 1) throw countMismatch('header', parameters.length, 1);
  const [parameter = {}] = parameters;
  if (String(parameter.type).toLowerCase() !== kind) {
    throw mismatch(`header: Format mismatch, expected ${format}, received ${upper(parameter.type) || 'UNKNOWN'}`);
  }
  const value = asObject(parameter[kind]);
  if (value === undefined) throw mismatch(`header: parameter ${kind} is missing.`);
  return kind === 'location' ? null : checkMedia(value, kind, `template.header.${kind}`, media);
}

function checkBody(template: Template, component: JsonObject, given: JsonObject | undefined): void {
  const parameters = asObjects(given?.parameters);
  if (template.category === 'AUTHENTICATION') {
    if (parameters.length !== 1) throw countMismatch('body', parameters.length, 1);
    if (charsIn(String(parameters[0]?.text ?? '')) > 15) throw mismatch('body: the code is longer than 15 characters.');
    return;
  }
  checkTexts(template, 'body', component.text, parameters, 1024);
}

function checkTexts(
  template: Template,
  place: string,
  text: unknown,
  parameters: JsonObject[],
  charsMax: number,
): void {
  const expected = placeholdersIn(text);
  if (parameters.length !== expected.length) throw countMismatch(place, parameters.length, expected.length);
  const values = new Map<string, string>();
  for (const [index, parameter] of parameters.entries()) {
    const name = template.parameterFormat === 'NAMED' ? asString(parameter.parameter_name) : expected[index];
    if (name === undefined || !expected.includes(name)) {
      throw mismatch(`${place}: parameter ${index} does not name a parameter of the template.`);
    }
    values.set(name, parameterText(parameter, place, index));
  }
  const filled = String(text ?? '').replace(placeholder, (_, name: string) => values.get(name) ?? '');
  if (filled.length > charsMax && charsIn(filled) > charsMax) {
    throw new GraphError(132005, { details: `${place}: the translated text is longer than ${charsMax} characters.` });
  }
}

function parameterText(parameter: JsonObject, place: string, index: number): string {
  switch (String(parameter.type).toLowerCase()) {
    case 'text': {
      const text = asString(parameter.text);
      if (!text) throw new GraphError(131008, { details: `${place}: parameter ${index} has no text.` });
      if (/[\n\t]| {5,}/.test(text)) {
        throw new GraphError(132018, {
          details: 'Param text cannot have new-line/tab characters or more than 4 consecutive spaces.',
        });
      }
      return text;
    }
    case 'currency':
    case 'date_time': {
      const value = asObject(parameter[String(parameter.type).toLowerCase()]);
      const fallback = asString(value?.fallback_value);
      if (fallback === undefined) throw mismatch(`${place}: parameter ${index} has no fallback_value.`);
      return fallback;
    }
    default:
      throw mismatch(`${place}: parameter ${index} of type ${String(parameter.type)} is not allowed here.`);
  }
}

function checkButtons(component: JsonObject, sent: JsonObject[]): void {
  const buttons = asObjects(component.buttons);
  const given = sent.filter((candidate) => upper(candidate.type) === 'BUTTON');
  for (const button of given) {
    const index = Number(button.index);
    const target = buttons[index];
    if (target === undefined) throw mismatch(`buttons: there is no button at index ${String(button.index)}.`);
    const expected = sendSubType(target);
    if (expected !== null && upper(button.sub_type) !== expected) {
      throw mismatch(`buttons: button at index ${index} is of type ${expected}.`);
    }
  }
  for (const [index, button] of buttons.entries()) {
    const parameters = asObjects(given.find((candidate) => Number(candidate.index) === index)?.parameters);
    if (needsParameter(button) && parameters.length === 0) {
      throw new GraphError(131008, {
        details: `buttons: Button at index ${index} of type ${String(button.type)} requires a parameter`,
      });
    }
  }
}

function needsParameter(button: JsonObject): boolean {
  const type = upper(button.type);
  if (type === 'URL') return placeholdersIn(button.url).length > 0;
  return type === 'OTP' || type === 'COPY_CODE' || type === 'MPM';
}

/** Returns the `sub_type` that a send uses for a button of the template; null if it does not matter. */
function sendSubType(button: JsonObject): string | null {
  const type = upper(button.type);
  if (type === 'OTP') return 'URL';
  return ['URL', 'QUICK_REPLY', 'COPY_CODE', 'FLOW', 'CATALOG', 'MPM', 'VOICE_CALL'].includes(type) ? type : null;
}

function checkCards(
  template: Template,
  component: JsonObject,
  given: JsonObject | undefined,
  media: MediaContext,
): string | null {
  const defined = asObjects(component.cards);
  const cards = asObjects(given?.cards);
  const isProduct = asObjects(defined[0]?.components).some((part) => upper(part.format) === 'PRODUCT');
  if (!isProduct && cards.length !== defined.length) throw countMismatch('carousel', cards.length, defined.length);
  let problem: string | null = null;
  for (const [index, card] of cards.entries()) {
    const parts = asObjects((defined[index] ?? defined[0])?.components);
    problem = checkComponents(template, parts, asObjects(card.components), media) ?? problem;
  }
  return problem;
}

function checkOffer(component: JsonObject, given: JsonObject | undefined): void {
  if (asObject(component.limited_time_offer)?.has_expiration !== true) return;
  const [parameter] = asObjects(given?.parameters);
  const offer = parameter?.limited_time_offer;
  if (!isObject(offer) || typeof offer.expiration_time_ms !== 'number') {
    throw mismatch('limited_time_offer: expiration_time_ms is missing.');
  }
}

function countMismatch(place: string, given: number, expected: number): GraphError {
  return new GraphError(132000, {
    details: `${place}: number of localizable_params (${given}) does not match the expected number of params (${expected})`,
  });
}

function mismatch(details: string): GraphError {
  return new GraphError(132012, { details });
}
