import { membersOf } from '../../core/json/index.ts';

/** What an object can hold a media id under, as `{"image": {"id": "…"}}`. */
const KINDS = ['image', 'video', 'audio', 'document', 'sticker', 'gif'] as const;

/** Whether `text` is a word and no id: each of the upstream's ids has a digit. */
export function isWord(text: string): boolean {
  return !/\d/.test(text);
}

/** Whether `text` can be a media id of the upstream's. Whatever else stands in its place names nothing we know. */
export function isMediaId(text: string): boolean {
  return /^[0-9A-Za-z_-]{1,64}$/.test(text);
}

type JsonObject = Readonly<Record<string, unknown>>;

/**
 * The media ids a send names, each once: in the object of a media message, in the parameters of a template and of its
 * carousel's cards, and in the headers of an interactive message and of its cards.
 */
export function listMediaIds(type: string, body: JsonObject): string[] {
  const ids: string[] = [];
  switch (type) {
    case 'template':
      addIdsOfComponents(ids, membersOf(body.template).components);
      break;
    case 'interactive': {
      const interactive = membersOf(body.interactive);
      addIds(ids, interactive.header);
      for (const card of elementsOf(membersOf(interactive.action).cards)) addIds(ids, membersOf(card).header);
      break;
    }
    default:
      if (KINDS.some((kind) => kind === type)) addIds(ids, body);
  }
  return ids.length < 2 ? ids : [...new Set(ids)];
}

/** A template's components and those of its cards. */
function addIdsOfComponents(ids: string[], components: unknown): void {
  for (const component of elementsOf(components)) {
    const { parameters, cards } = membersOf(component);
    for (const parameter of elementsOf(parameters)) addIds(ids, parameter);
    for (const card of elementsOf(cards)) addIdsOfComponents(ids, membersOf(card).components);
  }
}

function addIds(ids: string[], holder: unknown): void {
  for (const kind of KINDS) {
    const { id } = membersOf(membersOf(holder)[kind]);
    const text = Number.isSafeInteger(id) ? String(id) : id;
    if (typeof text === 'string' && isMediaId(text)) ids.push(text);
  }
}

const NO_ELEMENTS: readonly unknown[] = [];

function elementsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : NO_ELEMENTS;
}
