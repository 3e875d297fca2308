/** A template as the form edits it. */
export interface Draft {
  name: string;
  language: string;
  category: string;
  header: string;
  body: string;
  footer: string;
  /** One quick reply a line. */
  buttons: string;
  /** Example values of the placeholders of the text, by placeholder. */
  examples: Record<string, string>;
}

type Json = Record<string, unknown>;

export const EMPTY_DRAFT: Draft = {
  name: '',
  language: 'en_US',
  category: 'UTILITY',
  header: '',
  body: '',
  footer: '',
  buttons: '',
  examples: {},
};

/** Names of problems; the texts have a sentence for each. */
export type Problem =
  | 'name'
  | 'body'
  | 'bodyLong'
  | 'headerLong'
  | 'footerLong'
  | 'buttonLong'
  | 'buttonMany'
  | 'edges'
  | 'sequence'
  | 'mixed'
  | 'example';

/** Returns the placeholders of a text, each once, in order. */
export function placeholdersOf(text: string): string[] {
  return [...new Set([...text.matchAll(/\{\{\s*(\w+)\s*\}\}/g)].map(([, name = '']) => name))];
}

/** Returns the problems for which the platform would refuse a draft. */
export function problemsOf(draft: Draft): Problem[] {
  const placeholders = placeholdersOf(draft.body);
  const numbered = placeholders.filter((name) => /^\d+$/.test(name)).map(Number);
  const buttons = buttonTexts(draft);
  const body = draft.body.trim();
  const checks: [Problem, boolean][] = [
    ['name', !/^[a-z0-9_]{1,512}$/.test(draft.name)],
    ['body', body === ''],
    ['bodyLong', draft.body.length > 1024],
    ['headerLong', draft.header.length > 60],
    ['footerLong', draft.footer.length > 60],
    ['buttonLong', buttons.some((text) => text.length > 25)],
    ['buttonMany', buttons.length > 10],
    ['edges', /^\{\{/.test(body) || /\}\}$/.test(body)],
    ['mixed', numbered.length > 0 && numbered.length < placeholders.length],
    ['sequence', numbered.toSorted((a, b) => a - b).some((value, index) => value !== index + 1)],
    ['example', placeholders.some((name) => !draft.examples[name]?.trim())],
  ];
  return checks.filter(([, isWrong]) => isWrong).map(([problem]) => problem);
}

/** Returns the components in the platform's form. */
export function componentsOf(draft: Draft): Json[] {
  const placeholders = placeholdersOf(draft.body);
  const isNamed = placeholders.some((name) => !/^\d+$/.test(name));
  const buttons = buttonTexts(draft);
  const example = isNamed
    ? {
        body_text_named_params: placeholders.map((name) => ({ param_name: name, example: draft.examples[name] ?? '' })),
      }
    : { body_text: [placeholders.toSorted((a, b) => Number(a) - Number(b)).map((name) => draft.examples[name] ?? '')] };
  return [
    ...(draft.header.trim() === '' ? [] : [{ type: 'HEADER', format: 'TEXT', text: draft.header }]),
    { type: 'BODY', text: draft.body, ...(placeholders.length > 0 && { example }) },
    ...(draft.footer.trim() === '' ? [] : [{ type: 'FOOTER', text: draft.footer }]),
    ...(buttons.length === 0
      ? []
      : [{ type: 'BUTTONS', buttons: buttons.map((text) => ({ type: 'QUICK_REPLY', text })) }]),
  ];
}

/** Returns the draft of a template, or undefined if the form cannot show all of its components. */
export function draftOf(template: {
  name: string;
  language: string;
  category: string;
  components: Json[];
}): Draft | undefined {
  const find = (type: string) => template.components.find((part) => part.type === type) ?? {};
  const [header, body, footer, buttons] = ['HEADER', 'BODY', 'FOOTER', 'BUTTONS'].map(find) as [Json, Json, Json, Json];
  const list = Array.isArray(buttons.buttons) ? (buttons.buttons as Json[]) : [];
  const isSimple =
    template.category !== 'AUTHENTICATION' &&
    template.components.every(({ type }) => ['HEADER', 'BODY', 'FOOTER', 'BUTTONS'].includes(String(type))) &&
    (header.format === undefined || header.format === 'TEXT') &&
    !String(header.text ?? '').includes('{{') &&
    list.every(({ type }) => type === 'QUICK_REPLY');
  if (!isSimple) return undefined;
  return {
    name: template.name,
    language: template.language,
    category: template.category,
    header: String(header.text ?? ''),
    body: String(body.text ?? ''),
    footer: String(footer.text ?? ''),
    buttons: list.map(({ text }) => String(text)).join('\n'),
    examples: examplesOf(body),
  };
}

/** Returns the example values of a BODY component by placeholder. */
export function examplesOf(body: Json): Record<string, string> {
  const example = (body.example ?? {}) as { body_text?: string[][]; body_text_named_params?: Json[] };
  const named = (example.body_text_named_params ?? []).map((one) => [String(one.param_name), String(one.example)]);
  const numbered = (example.body_text?.[0] ?? []).map((value, index) => [String(index + 1), String(value)]);
  return Object.fromEntries([...named, ...numbered]);
}

function buttonTexts({ buttons }: Draft): string[] {
  return buttons
    .split('\n')
    .map((text) => text.trim())
    .filter((text) => text !== '');
}
