import { membersOf } from '../../core/json/index.ts';

/** Members that can hold a media id, as in `{"image": {"id": "…"}}`. */
const KINDS = ['image', 'video', 'audio', 'document', 'sticker', 'gif'] as const;

/** Returns true if `text` is a word and not an id: each of the upstream's ids has a digit. */
export function isWord(text: string): boolean {
  return !/\d/.test(text);
}

/** Returns true if `text` can be a media id of the upstream's. Any other text in its place names nothing known here. */
export function isMediaId(text: string): boolean {
  return /^[0-9A-Za-z_-]{1,64}$/.test(text);
}

type JsonObject = Readonly<Record<string, unknown>>;

/**
 * Returns the media ids in a send, each once. Looks in the object of a media message, in the parameters of a template and of its cards,
 * and in the headers of an interactive message and of its cards.
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

/** Adds the ids in a template's components and in those of its cards. */
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
