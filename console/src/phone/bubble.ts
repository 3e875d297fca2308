/** Parts of a message as a phone shows them. All are plain texts. */
export interface Bubble {
  header?: string;
  /** Kind of the medium, such as `image`. */
  medium?: string;
  body?: string;
  footer?: string;
  buttons: string[];
  /** Further lines, such as the contacts of a card. */
  lines: string[];
}

type Json = Record<string, unknown>;

const MEDIA = ['image', 'video', 'audio', 'document', 'sticker'];

/** Returns the parts of a message that is no template, from its type and the object of that name. */
export function bubbleOf(type: string, content: Json): Bubble | undefined {
  const value = asObject(content[type]);
  const empty: Bubble = { buttons: [], lines: [] };
  if (type === 'text') return { ...empty, body: text(value.body) };
  if (MEDIA.includes(type)) {
    return { ...empty, medium: type, body: text(value.caption), header: text(value.filename ?? value.link) };
  }
  if (type === 'location') {
    const place = [value.name, value.address].map(text).filter((part) => part !== undefined);
    return { ...empty, medium: 'location', lines: [...place, `${value.latitude ?? '?'}, ${value.longitude ?? '?'}`] };
  }
  if (type === 'contacts') {
    const cards = Array.isArray(content.contacts) ? content.contacts.map(asObject) : [];
    return {
      ...empty,
      medium: 'contacts',
      lines: cards.map((card) => text(asObject(card.name).formatted_name) ?? '?'),
    };
  }
  if (type === 'reaction') return { ...empty, medium: 'reaction', body: text(value.emoji) };
  if (type === 'button') return { ...empty, body: text(value.text) };
  if (type === 'interactive') return interactiveBubble(value);
  return undefined;
}

function interactiveBubble(value: Json): Bubble {
  const [header, action] = [asObject(value.header), asObject(value.action)];
  const reply = asObject(value.button_reply ?? value.list_reply);
  const kind = text(header.type);
  const buttons = list(action.buttons).map((button) => text(asObject(button.reply).title) ?? '?');
  const link = text(asObject(action.parameters).display_text);
  const opener = text(action.button);
  const rows = list(action.sections).flatMap((section) => list(section.rows).map((row) => text(row.title) ?? '?'));
  return {
    header: text(header.text),
    ...(kind !== undefined && kind !== 'text' && { medium: kind }),
    body: text(asObject(value.body).text) ?? text(reply.title) ?? text(asObject(value.nfm_reply).body),
    footer: text(asObject(value.footer).text),
    buttons: [...buttons, ...(link === undefined ? [] : [link]), ...(opener === undefined ? [] : [opener])],
    lines: rows,
  };
}

/**
 * Returns the parts of a template.
 * @param definition its components, as the platform has them
 * @param sent components of a send, which fill its placeholders; without them the examples do
 */
export function templateBubble(definition: readonly Json[], sent?: readonly Json[]): Bubble {
  const find = (type: string) => definition.find((part) => String(part.type).toUpperCase() === type) ?? {};
  const values = (type: string) => parametersOf(sent, type) ?? examplesOf(find(type));
  const [header, body, footer, buttons] = ['HEADER', 'BODY', 'FOOTER', 'BUTTONS'].map(find) as [Json, Json, Json, Json];
  const format = text(header.format)?.toLowerCase();
  const cards = list(find('CAROUSEL').cards);
  return {
    ...(format !== undefined && format !== 'text'
      ? { medium: format }
      : { header: fill(text(header.text), values('HEADER')) }),
    body: fill(text(body.text), values('BODY')),
    footer: text(footer.text),
    buttons: list(buttons.buttons).map((button) => text(button.text) ?? text(button.type) ?? '?'),
    lines: cards.map((card) => templateBubble(list(card.components)).body ?? ''),
  };
}

/** Values of placeholders, by position or name. */
type Values = Record<string, string>;

function parametersOf(sent: readonly Json[] | undefined, type: string): Values | undefined {
  if (sent === undefined) return undefined;
  const part = sent.find((one) => String(one.type).toUpperCase() === type);
  const entries = list(part?.parameters).map((parameter, index) => {
    const kind = text(parameter.type) ?? 'text';
    const value = parameter[kind];
    const shown = text(value) ?? text(asObject(value).fallback_value) ?? text(asObject(value).link) ?? `[${kind}]`;
    return [text(parameter.parameter_name) ?? String(index + 1), shown] as const;
  });
  return Object.fromEntries(entries);
}

function examplesOf(part: Json): Values {
  const example = asObject(part.example);
  const named = [...list(example.body_text_named_params), ...list(example.header_text_named_params)];
  if (named.length > 0)
    return Object.fromEntries(named.map((one) => [text(one.param_name) ?? '', text(one.example) ?? '']));
  const rows = (example.body_text ?? example.header_text) as unknown;
  const first = Array.isArray(rows) && Array.isArray(rows[0]) ? rows[0] : rows;
  return Array.isArray(first)
    ? Object.fromEntries(first.map((value, index) => [String(index + 1), String(value)]))
    : {};
}

function fill(pattern: string | undefined, values: Values): string | undefined {
  return pattern?.replace(/\{\{\s*([\w]+)\s*\}\}/g, (placeholder, name: string) => values[name] ?? placeholder);
}

function asObject(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

function list(value: unknown): Json[] {
  return Array.isArray(value) ? value.map(asObject) : [];
}

function text(value: unknown): string | undefined {
  if (typeof value === 'string') return value === '' ? undefined : value;
  return typeof value === 'number' ? String(value) : undefined;
}
