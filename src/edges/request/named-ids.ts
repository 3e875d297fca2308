import { type AppError, invalid } from '../../core/errors.ts';
import type { NamedObject } from '../table/edge.ts';
import type { PassedBody } from './read-body.ts';

/** Ids that a call names beside that of its path, with their kind. */
export interface NamedIds {
  kind: NamedObject['kind'];
  ids: readonly string[];
}

const IDS_MAX = 100;
/** One id, or a JSON array of them, quoted or not. Read from the text, because large ids would lose digits as numbers. */
const ID_LIST =
  /^\s*(?:"?\d{1,30}"?|\[\s*(?:"?\d{1,30}"?(?:\s*,\s*"?\d{1,30}"?)*)?\s*\]|\d{1,30}(?:\s*,\s*\d{1,30})*)\s*$/;

/** Returns the ids in the places of `named`. Raises VALIDATION_ERROR for a text that is no list of ids. */
export function listNamedIds(
  named: readonly NamedObject[],
  query: Readonly<Record<string, string>>,
  body: PassedBody | null,
): NamedIds[] {
  return named.flatMap(({ place, name, kind }) => {
    // In a form, the parts of a list are fields of their own. The platform would read them as this member.
    if (place === 'body' && body?.names.some((one) => one.startsWith(`${name}[`))) throw notIds(name);
    const text = place === 'query' ? query[name] : body?.textOf(name);
    if (text === undefined) return [];
    const ids = ID_LIST.test(text) ? [...new Set(text.match(/\d+/g) ?? [])] : [];
    if (ids.length === 0 || ids.length > IDS_MAX) throw notIds(name);
    return [{ kind, ids }];
  });
}

function notIds(name: string): AppError {
  return invalid(`"${name}" must be an id, or a list of 1 to ${IDS_MAX} ids.`);
}
