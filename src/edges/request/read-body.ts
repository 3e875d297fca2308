import { invalid } from '../../core/errors.ts';
import { readJsonDocument } from '../../core/json/index.ts';
import { jsonBytesOf, startsAsJson } from '../../http/index.ts';
import type { ClientCall } from '../client-call.ts';
import type { Edge } from '../table/edge.ts';
import { boundaryOf, listFormNames } from './form-names.ts';
import { checkMembers } from './reserved-members.ts';

/** A checked body: the client's bytes, and the type under which the platform reads them as the gateway did. */
export interface PassedBody {
  bytes: Buffer;
  contentType: string;
  /** Names of its members. */
  names: readonly string[];
  /** Returns the JSON text of a member, or the text of a form's field; undefined if it is absent. */
  textOf(name: string): string | undefined;
}

/** Types that are forwarded as sent. Any other type of a JSON body becomes `application/json`, so that the platform reads JSON as well. */
const JSON_TYPE = /^application\/json(?: *; *charset="?utf-8"?)?$/i;
/** A field of a form: a word, and the places in its list or object. */
const FORM_NAME = /^\w[\w-]*(?:\[[\w-]*\])*$/;
const FORM_TYPE = /^application\/x-www-form-urlencoded(?: *; *charset="?utf-8"?)?$/i;

/** Reads the body of a call; null if it is empty. Raises VALIDATION_ERROR for a body that must not pass (api-rules#edges). */
export function readBody(call: ClientCall, edge: Pick<Edge, 'method' | 'body'>): PassedBody | null {
  const { body: bytes, headers } = call;
  if (edge.method === 'GET' || bytes === undefined || bytes.length === 0) return null;
  const contentType = headers['content-type'] ?? '';
  const body = /^multipart\//i.test(contentType)
    ? readMultipart(bytes, contentType, edge)
    : FORM_TYPE.test(contentType) && !startsAsJson(bytes)
      ? readForm(bytes, contentType)
      : readJson(jsonBytesOf(call), contentType);
  checkMembers(body.names, edge.body);
  return body;
}

/** Returns the names of a JSON body's members; none if the body is anything else. */
export function jsonNames({ body = Buffer.alloc(0) }: ClientCall): string[] {
  try {
    return Object.keys(readJsonDocument(body).value);
  } catch {
    // Not a JSON object. Whatever serves the request explains that.
    return [];
  }
}

function readJson(bytes: Buffer, contentType: string): PassedBody {
  const document = readJsonDocument(bytes);
  return {
    bytes,
    contentType: JSON_TYPE.test(contentType) ? contentType : 'application/json',
    names: Object.keys(document.value),
    textOf: (name) => document.rawOf([name]),
  };
}

/**
 * Reads a form whose fields have one meaning only. Without this, the platform could read another value than the one that was checked: it
 * takes the last of several fields with one name, cuts a name at a NUL byte, and turns dots, spaces and open brackets into underscores.
 */
function readForm(bytes: Buffer, contentType: string): PassedBody {
  const fields = new URLSearchParams(bytes.toString('latin1'));
  const names = [...fields.keys()];
  if (!names.every((name) => FORM_NAME.test(name))) {
    throw invalid("The names of a form's fields must be words, with indexes in brackets.");
  }
  for (const [member, spellings] of Map.groupBy(names, (name) => name.split('[', 1)[0] ?? '')) {
    if (spellings.length > 1 && spellings.includes(member)) throw invalid(`"${member}" stands twice in the form.`);
  }
  return { bytes, contentType, names, textOf: (name) => fields.get(name) ?? undefined };
}

function readMultipart(bytes: Buffer, contentType: string, { body }: Pick<Edge, 'body'>): PassedBody {
  const boundary = boundaryOf(contentType);
  const { formFields } = body;
  if (boundary === undefined || formFields === undefined) throw invalid('This call takes JSON, not such a form.');
  const names = listFormNames(bytes, boundary);
  const unknown = names.find((name) => !formFields.includes(name.replace(/\[\d*\]$/, '')));
  if (unknown !== undefined) {
    throw invalid(`The form takes only ${formFields.map((name) => `"${name}"`).join(', ')}.`);
  }
  return { bytes, contentType, names: names.map((name) => name.replace(/\[\d*\]$/, '')), textOf: () => undefined };
}
