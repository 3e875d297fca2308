import type { FastifyRequest } from 'fastify';
import { invalid } from '../core/errors.ts';

const FORM = /^(?:application\/x-www-form-urlencoded|multipart\/)/i;
/** First characters of JSON but not of a form: a structure, a text, or white space before it. */
const STARTS_OF_JSON = new Set([...'{[" \t\r\n'].map((character) => character.charCodeAt(0)));

/**
 * Returns the bytes of a body that has to be a JSON object, whatever its headers say. Raises VALIDATION_ERROR for a body that is not JSON
 * and is compressed by its headers, or is a form, which the Graph API accepts. Without this, the client would get a JSON error that does
 * not help.
 */
export function jsonBytesOf({ body, headers }: Pick<FastifyRequest, 'body' | 'headers'>): Buffer {
  const bytes = (body as Buffer | undefined) ?? Buffer.alloc(0);
  if (bytes.length === 0 || startsAsJson(bytes)) return bytes;
  const { 'content-encoding': encoding = 'identity', 'content-type': type = '' } = headers;
  if (/^(?:x-)?(?:gzip|deflate|compress|br|zstd)\b/i.test(encoding)) {
    throw invalid('The body is compressed; a JSON object is expected, as it is.');
  }
  if (FORM.test(type)) throw invalid('The body is a form; a JSON object is expected.');
  return bytes;
}

/** True if a body can be JSON but no form; its content type does not matter, because curl calls JSON a form unless it is given a type. */
export function startsAsJson(bytes: Buffer): boolean {
  const [first] = bytes;
  return first !== undefined && STARTS_OF_JSON.has(first);
}
