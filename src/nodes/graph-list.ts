import { invalid } from '../core/errors.ts';

interface Node {
  id: string;
}

/** Cursors of an earlier answer at which a list begins or ends. */
export interface Cursors {
  after: string | undefined;
  before: string | undefined;
}

/**
 * Lists nodes as the Graph API does, with cursors, all on one page. After the last cursor comes an empty page, for clients that read on
 * until a page is empty. Raises VALIDATION_ERROR for an unknown cursor.
 */
export function graphList(nodes: readonly Node[], { after, before }: Cursors): object {
  const start = after === undefined ? 0 : placeOf(nodes, after) + 1;
  const end = before === undefined ? nodes.length : placeOf(nodes, before);
  const data = nodes.slice(start, end);
  const [first, last] = [data[0], data.at(-1)];
  return first && last ? { data, paging: { cursors: { before: cursorOf(first), after: cursorOf(last) } } } : { data };
}

function cursorOf({ id }: Node): string {
  return Buffer.from(id).toString('base64url');
}

function placeOf(nodes: readonly Node[], cursor: string): number {
  const place = nodes.findIndex((node) => cursorOf(node) === cursor);
  if (place < 0) throw invalid('The cursor is not one of this list.');
  return place;
}
