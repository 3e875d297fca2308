/** A template of the API, as far as the tools read it. */
export interface Template {
  id: string;
  waba_id: string;
  name: string;
  language: string;
  category: string;
  status: string;
  parameter_format: string | null;
  components: TemplateComponent[];
}

interface TemplateComponent {
  type: string;
  format?: string;
  text?: string;
  buttons?: { type: string; text?: string; url?: string }[];
}

/** Values for the variables of a template, by the name or number of the variable. Buttons are numbered from 0. */
export interface Values {
  header_parameters?: Record<string, string> | undefined;
  body_parameters?: Record<string, string> | undefined;
  button_parameters?: Record<string, string> | undefined;
  /** Media of the header: an id of an upload, or a link. */
  header_media?: { id?: string; link?: string } | undefined;
}

export interface FilledTemplate {
  /** The components of a send. */
  components: Record<string, unknown>[];
  /** The texts that the person would see. */
  preview: { header: string | null; body: string | null; footer: string | null; buttons: string[] };
  /** Reasons for which the platform would refuse the values. */
  problems: string[];
}

const VARIABLE = /\{\{\s*(\w+)\s*\}\}/g;
/** The platform writes the body of an authentication template itself. */
const AUTHENTICATION_BODY = '{{1}} is your verification code.';
const MEDIA = new Map([
  ['IMAGE', 'image'],
  ['VIDEO', 'video'],
  ['DOCUMENT', 'document'],
]);
/** Types of buttons that take a value: the type of the component and its parameter. */
const BUTTON_VALUES = new Map([
  ['URL', { sub_type: 'url', parameter: (text: string) => ({ type: 'text', text }) }],
  ['OTP', { sub_type: 'url', parameter: (text: string) => ({ type: 'text', text }) }],
  ['COPY_CODE', { sub_type: 'copy_code', parameter: (text: string) => ({ type: 'coupon_code', coupon_code: text }) }],
  ['QUICK_REPLY', { sub_type: 'quick_reply', parameter: (text: string) => ({ type: 'payload', payload: text }) }],
]);
const SUPPORTED = new Set(['HEADER', 'BODY', 'FOOTER', 'BUTTONS']);

/** Fills the variables of a template, and lists values that are missing or have no variable. */
export function fillTemplate(template: Template, values: Values): FilledTemplate {
  const find = (type: string) => template.components.find((component) => component.type.toUpperCase() === type);
  const [header, body, footer, buttons] = ['HEADER', 'BODY', 'FOOTER', 'BUTTONS'].map(find);
  const problems = template.components
    .filter(({ type }) => !SUPPORTED.has(type.toUpperCase()))
    .map(({ type }) => `Components of the type ${type} are not supported by this tool.`);
  const isNamed = template.parameter_format === 'NAMED';
  const format = header?.format?.toUpperCase() ?? 'TEXT';
  const headText = header === undefined || format !== 'TEXT' ? '' : (header.text ?? '');
  const isAuthentication = template.category.toUpperCase() === 'AUTHENTICATION';
  const bodyText = body?.text ?? (isAuthentication ? AUTHENTICATION_BODY : '');
  const head = fillText('header', headText, values.header_parameters, isNamed);
  const main = fillText('body', bodyText, values.body_parameters, isNamed);
  const media = fillMedia(format, values.header_media);
  const pressed = fillButtons(buttons?.buttons ?? [], values.button_parameters ?? {});
  return {
    components: [...media.components, ...head.components, ...main.components, ...pressed.components],
    preview: {
      header: format === 'TEXT' ? head.text || null : `[${format.toLowerCase()}]`,
      body: main.text || null,
      footer: footer?.text ?? null,
      buttons: pressed.texts,
    },
    problems: [...problems, ...media.problems, ...head.problems, ...main.problems, ...pressed.problems],
  };
}

function fillText(type: string, text: string, given: Record<string, string> = {}, isNamed: boolean) {
  const names = [...new Set([...text.matchAll(VARIABLE)].map(([, name = '']) => name))];
  if (!isNamed) names.sort((left, right) => Number(left) - Number(right));
  const valueFor = (name: string) => (Object.hasOwn(given, name) ? given[name] : undefined);
  const parameters = names.flatMap((name) => {
    const value = valueFor(name);
    return value === undefined ? [] : [{ type: 'text', ...(isNamed && { parameter_name: name }), text: value }];
  });
  const missing = names.filter((name) => !valueFor(name)).map((name) => `The ${type} needs a value for {{${name}}}.`);
  return {
    text: text.replace(VARIABLE, (variable, name: string) => valueFor(name) ?? variable),
    components: parameters.length === 0 ? [] : [{ type, parameters }],
    problems: [...missing, ...unexpected(type, Object.keys(given), names)],
  };
}

function unexpected(type: string, given: readonly string[], names: readonly string[]): string[] {
  return given.filter((name) => !names.includes(name)).map((name) => `The ${type} has no variable "${name}".`);
}

function fillMedia(format: string, media: Values['header_media']) {
  if (format === 'TEXT') {
    const problems = media === undefined ? [] : ['The header has no media.'];
    return { components: [], problems };
  }
  const type = MEDIA.get(format);
  if (type === undefined)
    return { components: [], problems: [`Headers of the format ${format} are not supported by this tool.`] };
  const isOne = media !== undefined && (media.id === undefined) !== (media.link === undefined);
  if (!isOne) return { components: [], problems: [`The header needs header_media: an id or a link of its ${type}.`] };
  return { components: [{ type: 'header', parameters: [{ type, [type]: media }] }], problems: [] };
}

function fillButtons(buttons: NonNullable<TemplateComponent['buttons']>, given: Readonly<Record<string, string>>) {
  const components: Record<string, unknown>[] = [];
  const problems: string[] = [];
  for (const [index, { type, url }] of buttons.entries()) {
    const kind = type.toUpperCase();
    const value = given[String(index)];
    const takes = BUTTON_VALUES.get(kind);
    const isNeeded = kind === 'OTP' || kind === 'COPY_CODE' || (kind === 'URL' && url?.includes('{{') === true);
    if (value === undefined && isNeeded) problems.push(`Button ${index} (${kind}) needs a value.`);
    if (value === undefined) continue;
    const isTaken = takes !== undefined && (isNeeded || kind === 'QUICK_REPLY');
    if (!isTaken) problems.push(`Button ${index} (${kind}) takes no value.`);
    else
      components.push({
        type: 'button',
        sub_type: takes.sub_type,
        index: String(index),
        parameters: [takes.parameter(value)],
      });
  }
  const places = buttons.map((_, index) => String(index));
  const texts = buttons.map(({ type, text }) => text ?? type);
  return { components, texts, problems: [...problems, ...unexpected('list of buttons', Object.keys(given), places)] };
}
