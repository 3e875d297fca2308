import type { IncomingHttpHeaders } from 'node:http';
import { invalid } from '../../core/errors.ts';
import { jsonLevels, membersOf, readJsonDocument } from '../../core/json/index.ts';
import { jsonBytesOf, type Query, readFirstText, startsAsJson } from '../../http/index.ts';

const FORM_TYPE = /^application\/x-www-form-urlencoded\b/i;
const LEVELS = jsonLevels('webhook_configuration');
const TEXT_MAX = 2_048;
const FIELD = /^[a-z][a-z0-9_]{0,63}$/;
const FIELDS_MAX = 64;

/** Parts of a call that may have parameters. */
export interface ParameterSource {
  query: Query;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** Parameters of a call of the Cloud API. */
export type Parameters = Readonly<Record<string, unknown>>;

/** Reads the parameters of a call: of the query, and of a JSON object or a form in the body. The body counts if both have one. */
export function readParameters({ query, headers, body }: ParameterSource): Parameters {
  const asked = Object.keys(query).map((name) => [name, readFirstText(query, name)]);
  const sent =
    body.length === 0
      ? {}
      : FORM_TYPE.test(headers['content-type'] ?? '') && !startsAsJson(body)
        ? Object.fromEntries(new URLSearchParams(body.toString('utf8')))
        : readJsonDocument(jsonBytesOf({ body, headers }), LEVELS).value;
  return { ...Object.fromEntries(asked), ...sent };
}

/** Returns the member `webhook_configuration` of a call; undefined if it has none. */
export function readConfiguration({ webhook_configuration: given }: Parameters): Parameters | undefined {
  if (given === undefined) return undefined;
  // A form has the object as JSON text.
  return typeof given === 'string' ? readJsonDocument(Buffer.from(given)).value : membersOf(given);
}

/** Returns a text; undefined if it is absent or empty. Raises VALIDATION_ERROR. */
export function readWord(parameters: Parameters, name: string): string | undefined {
  const value = parameters[name];
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value !== 'string' || value.length > TEXT_MAX || value.includes('\0'))
    throw invalid(`"${name}" must be a text of at most ${TEXT_MAX} characters.`);
  return value;
}

/** Returns a text that must be there. Raises VALIDATION_ERROR. */
export function needWord(parameters: Parameters, name: string): string {
  const word = readWord(parameters, name);
  if (word === undefined) throw invalid(`"${name}" is required.`);
  return word;
}

/**
 * Returns the names of webhook fields: a list, a JSON list in a text, or a text with commas between them. Undefined if there are none. Raises
 * VALIDATION_ERROR.
 */
export function readFieldNames({ fields }: Parameters): string[] | undefined {
  if (fields === undefined || fields === null || fields === '') return undefined;
  const list: unknown = typeof fields === 'string' ? listOf(fields) : fields;
  const isList = Array.isArray(list) && list.length <= FIELDS_MAX;
  if (!isList || !list.every((name): name is string => typeof name === 'string' && FIELD.test(name)))
    throw invalid('"fields" must be names of webhook fields, such as "messages".');
  return list.length === 0 ? undefined : [...new Set(list)];
}

function listOf(text: string): unknown {
  if (!text.trimStart().startsWith('[')) return text.split(',').map((name) => name.trim());
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
