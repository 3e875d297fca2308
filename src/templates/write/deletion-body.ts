import { readJsonDocument } from '../../core/json/index.ts';
import { deleteQuery } from '../schemas.ts';

/** Matches empty bodies: some clients send one without parameters. */
const EMPTY = /^\s*(?:null|\[\s*\])?\s*$/;

/**
 * Reads the deletion parameters in a body, as text like those of the query: the Graph API accepts both places. Raises VALIDATION_ERROR for
 * a body that is not a JSON object. Without this, an unreadable `hsm_id` would be ignored and all languages deleted.
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
