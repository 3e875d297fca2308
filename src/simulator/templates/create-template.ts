import { isObject } from '../../core/json/index.ts';
import { invalidParameter } from '../graph/graph-errors.ts';
import { asObjects, asString, type JsonObject } from '../graph/json-object.ts';
import type { Platform } from '../platform.ts';
import { type Template, templatesMaxOf, type Waba } from '../records.ts';
import { checkComponents } from './template-components.ts';
import type { TemplateCategory } from './template-context.ts';
import { plainTemplateError, templateError } from './template-errors.ts';
import { templateLanguages } from './template-languages.ts';
import { scheduleReview } from './template-review.ts';
import type { ParameterFormat } from './template-text.ts';

const sendTtlRanges: Record<TemplateCategory, readonly [number, number]> = {
  AUTHENTICATION: [30, 900],
  UTILITY: [30, 43_200],
  MARKETING: [43_200, 2_592_000],
};

/**
 * Creates a template like the platform: checks it, stores it as PENDING and schedules its review. Returns the template. Raises code 100,
 * mostly with a subcode.
 */
export function createTemplate(platform: Platform, waba: Waba, body: JsonObject): Template {
  const { name, language, category, format } = readHead(body);
  const { library_template_name: libraryName } = body;
  const components = libraryName === undefined ? readComponents(body) : libraryComponents();
  checkTemplateComponents(platform, components, category, format);
  checkSendTtl(body.message_send_ttl_seconds, category);
  checkPlace(platform, waba, name, language, category);
  const { name: _, language: __, category: ___, components: ____, parameter_format: _____, ...attributes } = body;
  const template = platform.world.addTemplate(waba.id, {
    id: platform.ids.objectId(),
    name,
    language,
    category: name.includes('_recategorize') ? 'MARKETING' : category,
    status: libraryName === undefined ? 'PENDING' : 'APPROVED',
    components,
    parameterFormat: format,
    attributes,
  });
  if (template.status === 'PENDING') scheduleReview(platform, template);
  return template;
}

/** Replaces the editable parts of a template and schedules a new review. Raises 100 like the platform. */
export function editTemplate(platform: Platform, template: Template, body: JsonObject): void {
  if (template.attributes.source === 'AUTO_GENERATED') throw templateError(2388318, 'Generated templates are fixed.');
  if (!['APPROVED', 'REJECTED', 'PAUSED'].includes(template.status)) {
    throw templateError(2388039, `A template that is ${template.status} cannot be edited.`);
  }
  const category = body.category === undefined ? (template.category as TemplateCategory) : readCategory(body.category);
  if (category !== template.category && template.status === 'APPROVED') {
    throw plainTemplateError('Invalid parameter', 'The category of an approved template cannot be changed.');
  }
  const components = body.components === undefined ? template.components : readComponents(body);
  if (body.components !== undefined) checkTemplateComponents(platform, components, category, template.parameterFormat);
  checkSendTtl(body.message_send_ttl_seconds, category);
  template.category = category;
  template.components = components;
  if (body.message_send_ttl_seconds !== undefined) {
    template.attributes.message_send_ttl_seconds = body.message_send_ttl_seconds;
  }
  template.status = 'PENDING';
  scheduleReview(platform, template);
}

function readHead(body: JsonObject): {
  name: string;
  language: string;
  category: TemplateCategory;
  format: ParameterFormat;
} {
  const name = requiredText(body, 'name');
  if (!/^[a-z0-9_]+$/.test(name) || name.length > 512) {
    throw templateError(2388046, 'A template name has lower-case letters, digits and underscores only.', 'name');
  }
  const language = requiredText(body, 'language');
  if (!templateLanguages.has(language)) {
    throw invalidParameter(`Param language must be one of {${[...templateLanguages].join(', ')}} - got "${language}".`);
  }
  const category = readCategory(requiredText(body, 'category'));
  const format = (asString(body.parameter_format) ?? 'POSITIONAL').toUpperCase();
  if (format !== 'POSITIONAL' && format !== 'NAMED') {
    throw invalidParameter(`Param parameter_format must be one of {NAMED, POSITIONAL} - got "${format}".`);
  }
  return { name, language, category, format };
}

function readCategory(value: unknown): TemplateCategory {
  const category = String(value).toUpperCase();
  if (category === 'AUTHENTICATION' || category === 'MARKETING' || category === 'UTILITY') return category;
  throw invalidParameter(`Param category must be one of {AUTHENTICATION, MARKETING, UTILITY} - got "${category}".`);
}

/** Returns the components with their kinds in upper case, as the platform stores them. */
function readComponents(body: JsonObject): JsonObject[] {
  const { components } = body;
  if (components === undefined) throw invalidParameter('The parameter components is required.');
  if (!Array.isArray(components) || !components.every(isObject)) {
    throw invalidParameter('Param components must be an array of objects.');
  }
  return components.map(normalized);
}

function normalized(component: JsonObject): JsonObject {
  const copy = { ...component };
  for (const key of ['type', 'format']) if (typeof copy[key] === 'string') copy[key] = copy[key].toUpperCase();
  if (copy.buttons !== undefined) copy.buttons = asObjects(copy.buttons).map(normalized);
  if (copy.cards !== undefined) {
    copy.cards = asObjects(copy.cards).map((card) => ({
      ...card,
      components: asObjects(card.components).map(normalized),
    }));
  }
  return copy;
}

/** Returns placeholder components for any template of the platform's library. */
function libraryComponents(): JsonObject[] {
  return [{ type: 'BODY', text: 'Text of a library template.' }];
}

function checkTemplateComponents(
  platform: Platform,
  components: JsonObject[],
  category: TemplateCategory,
  format: ParameterFormat,
): void {
  const kinds = components.map((component) => component.type);
  if (!kinds.includes('BODY')) throw templateError(2388043, 'components is missing expected field(s): BODY.');
  if (category === 'AUTHENTICATION' && !kinds.includes('BUTTONS')) {
    throw templateError(2388043, 'An authentication template is missing expected field(s): BUTTONS.');
  }
  checkComponents(components, {
    category,
    format,
    hasOffer: kinds.includes('LIMITED_TIME_OFFER'),
    isCard: false,
    findSample: (handle) => platform.uploads.findSample(handle),
  });
}

function checkSendTtl(value: unknown, category: TemplateCategory): void {
  if (value === undefined || (value === -1 && category !== 'MARKETING')) return;
  const [min, max] = sendTtlRanges[category];
  if (!Number.isInteger(value) || Number(value) < min || Number(value) > max) {
    throw invalidParameter(`Param message_send_ttl_seconds must be ${min} to ${max} for ${category}.`);
  }
}

/** Raises code 100 if name and language are taken or locked, the account is full, or the category differs from the other languages. */
function checkPlace(platform: Platform, waba: Waba, name: string, language: string, category: TemplateCategory): void {
  if (platform.world.findTemplateByName(waba.id, name, language) !== undefined) {
    throw templateError(2388024, `There is already ${language} content for this template. Choose another name.`);
  }
  if (platform.world.isNameLocked(waba.id, name, language, platform.clock.now())) {
    throw templateError(2388023, `The ${language} content of this template is being deleted. Try again in 4 weeks.`);
  }
  const templates = platform.world.listTemplates(waba.id);
  if (templates.length >= templatesMaxOf(waba)) {
    throw templateError(2388019, 'The account has reached its number of templates.');
  }
  const sibling = templates.find((template) => template.name === name);
  if (sibling !== undefined && sibling.category !== category) {
    throw plainTemplateError(
      'Category mismatch',
      `The category ${category} doesn't match the category ${sibling.category} of the other languages.`,
    );
  }
}

function requiredText(body: JsonObject, key: string): string {
  const value = asString(body[key]);
  if (!value) throw invalidParameter(`The parameter ${key} is required.`);
  return value;
}
