import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import type { TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import type { App } from '../../src/app.ts';
import { inlineSchema } from './inline-schema.ts';

type Responses = Record<string, { content?: Record<string, { schema: TSchema }> }>;

interface Operation {
  method: string;
  path: RegExp;
  /** Built on first use: most test files call few operations. */
  responses: () => Responses;
}

interface DescribedPayload {
  post: {
    requestBody: { content: { 'application/json': { schema: { properties: Record<string, unknown> } } } };
  };
}

/** Shared by the whole process: all its gateways describe the same operations. */
let operations: Operation[] | undefined;
let payloads: Map<string, Validator> | undefined;
const validators = new WeakMap<TSchema, Validator>();
/** A UUID as strict clients require it, with a version and a variant (RFC 9562). */
const STRICT_UUID = '^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$';

/**
 * Watches every answer of a gateway to an operation of its OpenAPI file. The returned function fails if an answer had an undocumented
 * status, a body of another shape, or an undocumented member. Listed events are checked too, against the payload described for their type;
 * those in the format `cloud_api` have the platform's.
 */
export function watchAnswers(http: App['http']): () => void {
  const problems = new Set<string>();
  http.server.prependListener('request', ({ method = '', url = '' }, response: ServerResponse) => {
    const { end } = response;
    response.end = ((...parameters: Parameters<typeof end>) => {
      const body: unknown = parameters[0];
      operations ??= listOperations(http);
      const path = (url.split('?', 1)[0] ?? '').replace(/^(?:\/v[\d.]+)?\/(?=\d)/, '/v1/');
      const text = body ? String(body) : '';
      const problem =
        problemOf(operations, `${method} ${path}`, response.statusCode, text) ??
        (path === '/v1/events' && response.statusCode === 200 && !url.includes('format=cloud_api')
          ? problemOfEvents(http, text)
          : undefined);
      if (problem !== undefined) problems.add(`${method} ${path}: ${response.statusCode} ${problem}: ${body}`);
      return end.apply(response, parameters);
    }) as typeof end;
  });
  return () => assert.deepEqual([...problems], []);
}

function problemOf(described: Operation[], request: string, status: number, body: string): string | undefined {
  const operation = described.find(({ method, path }) => path.test(request) && request.startsWith(`${method} `));
  // A request that matches no operation gets the same refusal, whatever path it resembles.
  const isNone = operation === undefined || status === 405 || !isDecodable(request);
  if (isNone) return undefined;
  const responses = operation.responses();
  const candidates = [responses[status] ?? responses[`${String(status)[0]}XX`], responses.default];
  const problems = candidates.flatMap((response) => (response === undefined ? [] : [problemOfBody(response, body)]));
  if (problems.length === 0) return 'is not described';
  return problems.includes(undefined) ? undefined : problems[0];
}

function problemOfBody({ content }: Responses[string], body: string): string | undefined {
  const schema = content?.['application/json']?.schema;
  if (schema === undefined || body === '') return undefined;
  const validator = validators.get(schema) ?? Compile(closed(schema) as TSchema);
  validators.set(schema, validator);
  const value: unknown = JSON.parse(body);
  return validator.Check(value) ? undefined : JSON.stringify(validator.Errors(value));
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

function problemOfEvents(http: App['http'], body: string): string | undefined {
  payloads ??= compilePayloads(http);
  const { data } = JSON.parse(body) as { data: { id: string; type: string }[] };
  for (const { id: _, type, ...payload } of data) {
    const problems = payloads.get(type)?.Errors({ type, ...payload });
    if (problems === undefined) return `${type} is not described`;
    if (problems.length > 0) return `${type} ${JSON.stringify(problems)}`;
  }
  return undefined;
}

/** Compiles the event payloads by type. Readers must accept more members in the future, but all present members must be documented. */
function compilePayloads(http: App['http']): Map<string, Validator> {
  const { webhooks = {} } = http.swagger() as { webhooks?: Record<string, unknown> };
  return new Map(
    Object.entries(webhooks as Record<string, DescribedPayload>).map(([type, { post }]) => {
      const { properties, ...payload } = post.requestBody.content['application/json'].schema;
      const { additionalProperties: _, ...data } = properties.data as Record<string, unknown>;
      return [type, Compile(closed({ ...payload, properties: { ...properties, data } }) as TSchema)];
    }),
  );
}

function listOperations(http: App['http']): Operation[] {
  const document = http.swagger();
  return (
    Object.entries(document.paths as Record<string, Record<string, { responses: unknown }>>)
      // Paths with fewer parameters come first. Otherwise a path with a parameter would match the fixed word of another.
      .toSorted(([one], [other]) => one.split('{').length - other.split('{').length)
      .flatMap(([path, item]) =>
        Object.entries(item).map(([method, { responses }]) => {
          let inlined: Responses | undefined;
          return {
            method: method.toUpperCase(),
            path: new RegExp(` ${path.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`),
            responses: () => {
              inlined ??= inlineSchema(document, responses) as Responses;
              return inlined;
            },
          };
        }),
      )
  );
}

/** Makes a schema strict: it rejects undocumented members unless it explicitly allows them. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const copy: Record<string, unknown> = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, key === 'examples' ? value : closed(value)]),
  );
  if (copy.format === 'uuid') return { ...copy, pattern: STRICT_UUID };
  return copy.type === 'object' && 'properties' in copy ? { additionalProperties: false, ...copy } : copy;
}
