/** What an object can hold a media id under, as `{"image": {"id": "…"}}`. */
const KINDS = ['image', 'video', 'audio', 'document', 'sticker', 'gif'] as const;

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
  switch (type) {
    case 'template':
      return unique(
        componentsOf(asObject(body.template).components)
          .flatMap((component) => listOf(component.parameters))
          .flatMap(idsOf),
      );
    case 'interactive': {
      const interactive = asObject(body.interactive);
      const cards = listOf(asObject(interactive.action).cards);
      return unique([interactive, ...cards].flatMap((part) => idsOf(asObject(part.header))));
    }
    default:
      return KINDS.some((kind) => kind === type) ? unique(idsOf(body)) : [];
  }
}

/** A template's components and those of its cards. */
function componentsOf(components: unknown): JsonObject[] {
  return listOf(components).flatMap((component) => [
    component,
    ...listOf(component.cards).flatMap((card) => listOf(card.components)),
  ]);
}

function idsOf(holder: JsonObject): string[] {
  return KINDS.flatMap((kind) => {
    const { id } = asObject(holder[kind]);
    const text = Number.isSafeInteger(id) ? String(id) : id;
    return typeof text === 'string' && isMediaId(text) ? [text] : [];
  });
}

function unique(ids: string[]): string[] {
  return ids.length < 2 ? ids : [...new Set(ids)];
}

function listOf(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.map(asObject) : [];
}

function asObject(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null ? (value as JsonObject) : {};
}
