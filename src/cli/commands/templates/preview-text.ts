import { isMembers } from './exact-json.ts';

/** Values for the variables of a template. */
export interface PreviewValues {
  /** For the header: its variable, or its file. */
  header: string | undefined;
  /** For the body, by number or name. */
  body: ReadonlyMap<string, string>;
  /** For buttons, by place from 0. */
  buttons: ReadonlyMap<string, string>;
}

/** A template with values in place of its variables. Texts keep the marks of bold and italic. */
export interface Preview {
  header: string | null;
  body: string | null;
  footer: string | null;
  buttons: { text: string; detail: string | null }[];
  /** Components that are only named, such as `CATALOG`. */
  others: string[];
  cards: Preview[];
  /** Variables without a value and without an example. */
  missing: string[];
  /** Values without a variable. */
  unused: string[];
}

type Members = Record<string, unknown>;

const VARIABLE = /\{\{\s*(\w+)\s*\}\}/g;
/** The platform writes the body of an authentication template itself. */
const AUTHENTICATION_BODY = '{{1}} is your verification code.';

/** Fills the variables of a template. A variable without a value gets the example of the template. */
export function previewOf(
  template: { category: string; components: readonly unknown[] },
  values: PreviewValues,
): Preview {
  const components = template.components.filter(isMembers);
  const typeOf = ({ type }: Members) => String(type).toUpperCase();
  const find = (type: string) => components.find((component) => typeOf(component) === type);
  const [header, body, footer, buttons, carousel] = ['HEADER', 'BODY', 'FOOTER', 'BUTTONS', 'CAROUSEL'].map(find);
  const headed = fillHeader(header, values.header);
  const isAuthentication = template.category.toUpperCase() === 'AUTHENTICATION';
  const text = textOf(body?.text) ?? (isAuthentication && body !== undefined ? AUTHENTICATION_BODY : undefined);
  const main = fill('body', text ?? '', values.body, examplesOf(body));
  const pressed = listOf(buttons?.buttons).map((button, at) => fillButton(button, at, values.buttons.get(String(at))));
  const known = ['HEADER', 'BODY', 'FOOTER', 'BUTTONS', 'CAROUSEL'];
  const none = { header: undefined, body: new Map(), buttons: new Map() };
  return {
    header: headed.text || null,
    body: main.text || null,
    footer: textOf(footer?.text) ?? null,
    buttons: pressed.map(({ text, detail }) => ({ text, detail })),
    others: components.map(typeOf).filter((type) => !known.includes(type)),
    cards: listOf(carousel?.cards).map((card) =>
      previewOf({ category: template.category, components: listOf(card.components) }, none),
    ),
    missing: [...headed.missing, ...main.missing, ...pressed.flatMap(({ missing }) => missing)],
    unused: [
      ...headed.unused,
      ...main.unused,
      ...pressed.flatMap(({ unused }) => unused),
      ...[...values.buttons.keys()].filter((at) => pressed[Number(at)] === undefined).map((at) => `button ${at}`),
    ],
  };
}

function fillHeader(header: Members | undefined, value: string | undefined) {
  const format = String(header?.format ?? 'TEXT').toUpperCase();
  if (header !== undefined && format !== 'TEXT') {
    const takes = format !== 'LOCATION';
    const label = value === undefined || !takes ? format.toLowerCase() : `${format.toLowerCase()}: ${value}`;
    return { text: `[${label}]`, missing: [], unused: takes || value === undefined ? [] : ['header'] };
  }
  const text = textOf(header?.text) ?? '';
  const [name] = [...text.matchAll(VARIABLE)].map(([, found = '']) => found);
  if (name === undefined) return { text, missing: [], unused: value === undefined ? [] : ['header'] };
  return fill('header', text, new Map(value === undefined ? [] : [[name, value]]), examplesOf(header));
}

function fillButton(button: Members, at: number, value: string | undefined) {
  const type = String(button.type).toUpperCase();
  const text = textOf(button.text) ?? type;
  const place = `button ${at}`;
  if (type === 'URL') {
    const url = textOf(button.url) ?? '';
    const isVariable = url.includes('{{');
    const example = listOrText(button.example)[0];
    const filled = value === undefined ? isVariable && example : url.replace(VARIABLE, () => value);
    return {
      text,
      detail: filled || url,
      missing: isVariable && !filled ? [place] : [],
      unused: value !== undefined && !isVariable ? [place] : [],
    };
  }
  if (type === 'COPY_CODE' || type === 'OTP') {
    const code = value ?? listOrText(button.example)[0] ?? null;
    return { text, detail: code, missing: [], unused: [] };
  }
  const detail = type === 'PHONE_NUMBER' ? (textOf(button.phone_number) ?? null) : null;
  return { text, detail, missing: [], unused: value === undefined ? [] : [place] };
}

function fill(place: string, text: string, given: ReadonlyMap<string, string>, examples: ReadonlyMap<string, string>) {
  const names = [...new Set([...text.matchAll(VARIABLE)].map(([, name = '']) => name))];
  const valueFor = (name: string) => given.get(name) ?? examples.get(name);
  return {
    text: text.replace(VARIABLE, (variable, name: string) => valueFor(name) ?? variable),
    missing: names.filter((name) => valueFor(name) === undefined).map((name) => `${place} {{${name}}}`),
    unused: [...given.keys()].filter((name) => !names.includes(name)).map((name) => `${place} "${name}"`),
  };
}

/** Returns the examples of a header or a body by number or name. */
function examplesOf(component: Members | undefined): Map<string, string> {
  const example = isMembers(component?.example) ? component.example : {};
  const named = [...listOf(example.body_text_named_params), ...listOf(example.header_text_named_params)];
  const bodyTexts = Array.isArray(example.body_text) ? example.body_text : [];
  const positional = listOrText(Array.isArray(bodyTexts[0]) ? bodyTexts[0] : (example.header_text ?? bodyTexts));
  return new Map([
    ...positional.map((text, at): [string, string] => [String(at + 1), text]),
    ...named.map((one): [string, string] => [String(one.param_name), String(one.example)]),
  ]);
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function listOf(value: unknown): Members[] {
  return Array.isArray(value) ? value.filter(isMembers) : [];
}

function listOrText(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).filter((one) => typeof one === 'string');
}
