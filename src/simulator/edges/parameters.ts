import type { FastifyRequest } from 'fastify';
import { invalidParameter } from '../graph/graph-errors.ts';
import { jsonBody } from '../graph/graph-request.ts';
import { asString, type JsonObject } from '../graph/json-object.ts';

/**
 * Returns the parameters of a call as the Graph API reads them: from the query, a JSON body or a form. Files of a form have their bytes as a
 * Buffer. `method` in any of them would be another call; the simulator refuses it, so that a test notices.
 */
export function parametersOf(request: FastifyRequest): JsonObject {
  const type = request.headers['content-type'] ?? '';
  const parameters = { ...(request.query as JsonObject), ...bodyParameters(request, type) };
  if (parameters.method !== undefined) throw invalidParameter('The call was turned into another one.');
  return parameters;
}

/** Returns a parameter that must be a non-empty text. */
export function requiredText(parameters: JsonObject, name: string): string {
  const text = asString(parameters[name]);
  if (text === undefined || text === '') throw invalidParameter(`The parameter ${name} is required.`);
  return text;
}

function bodyParameters(request: FastifyRequest, type: string): JsonObject {
  const bytes = request.body as Buffer | undefined;
  if (type.startsWith('application/x-www-form-urlencoded')) {
    return Object.fromEntries(new URLSearchParams(bytes?.toString('utf8') ?? ''));
  }
  const boundary = /^multipart\/form-data.*boundary="?([^";]+)/.exec(type)?.[1];
  return boundary === undefined ? jsonBody(request) : formParameters(bytes ?? Buffer.alloc(0), boundary);
}

function formParameters(bytes: Buffer, boundary: string): JsonObject {
  const parts = bytes.toString('latin1').split(`--${boundary}`).slice(1, -1);
  return Object.fromEntries(
    parts.map((part) => {
      const end = part.indexOf('\r\n\r\n');
      const head = part.slice(0, end);
      const content = Buffer.from(part.slice(end + 4, -2), 'latin1');
      const name = /name="([^"]+)"/.exec(head)?.[1] ?? '';
      return [name, head.includes('filename=') ? content : content.toString('utf8')];
    }),
  );
}
