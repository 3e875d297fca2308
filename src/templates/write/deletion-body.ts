import { readJsonDocument } from '../../core/json/index.ts';
import { deleteQuery } from '../schemas.ts';

/** Bodies of clients that write out one although there is nothing to say. */
const EMPTY = /^\s*(?:null|\[\s*\])?\s*$/;

/**
 * The parameters of a deletion that stand in its body, as text like those of the query: the Graph API takes them in either place. Raises
 * VALIDATION_ERROR for a body that is no JSON object: what it leaves out of the deletion would be deleted.
 */
export function readDeletionBody(body: Buffer): Record<string, string> {
  if (body.length <= 64 && EMPTY.test(body.toString())) return {};
  const { value, rawOf } = readJsonDocument(body);
  const texts = Object.keys(deleteQuery.properties).map((name) => {
    const given = value[name] ?? undefined;
    return [name, typeof given === 'string' || given === undefined ? given : rawOf([name])] as const;
  });
  return Object.fromEntries(texts.filter((entry): entry is [string, string] => entry[1] !== undefined));
}
