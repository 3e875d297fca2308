import type { FastifyRequest } from 'fastify';
import { invalid } from '../core/errors.ts';

const FORM = /^(?:application\/x-www-form-urlencoded|multipart\/)/i;
/** What no form begins with, but JSON: an object or another structure, a text, or white space before it. */
const STARTS_OF_JSON = new Set([...'{[" \t\r\n'].map((character) => character.charCodeAt(0)));

/**
 * The bytes of a body that has to be a JSON object, whatever its headers call it. Raises VALIDATION_ERROR for one that is none and that
 * they call compressed, or a form, which the Graph API takes: where reading it as JSON fails would tell its sender nothing.
 */
export function jsonBytesOf({ body, headers }: FastifyRequest): Buffer {
  const bytes = (body as Buffer | undefined) ?? Buffer.alloc(0);
  const first = bytes[0];
  if (first === undefined || STARTS_OF_JSON.has(first)) return bytes;
  const { 'content-encoding': encoding = 'identity', 'content-type': type = '' } = headers;
  if (/^(?:x-)?(?:gzip|deflate|compress|br|zstd)\b/i.test(encoding)) {
    throw invalid('The body is compressed; a JSON object is expected, as it is.');
  }
  if (FORM.test(type)) throw invalid('The body is a form; a JSON object is expected.');
  return bytes;
}
