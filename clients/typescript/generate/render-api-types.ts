import openapiTS, { astToString } from 'openapi-typescript';

type Json = Record<string, unknown>;

const HEADER = '// Generated from the OpenAPI file of the gateway by `npm run generate`. Do not edit.\n\n';

/**
 * Returns the TypeScript types of an OpenAPI document. The library openapi-typescript replaces types written by hand.
 * Leaves out examples and errors: the client has classes for errors, and without both the file has a quarter of the size.
 */
export async function renderApiTypes(document: object): Promise<string> {
  const types = await openapiTS(withoutErrors(withoutExamples(document) as Json) as never, { silent: true });
  return HEADER + astToString(types);
}

function withoutExamples(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutExamples);
  if (typeof value !== 'object' || value === null) return value;
  const { example: _example, examples: _examples, ...rest } = value as Json;
  return Object.fromEntries(Object.entries(rest).map(([key, member]) => [key, withoutExamples(member)]));
}

function withoutErrors(document: Json): Json {
  const { servers: _servers, ...rest } = document;
  const paths = Object.entries(document.paths as Record<string, Json>).map(([path, item]) => [
    path,
    Object.fromEntries(Object.entries(item).map(([method, operation]) => [method, withSuccesses(operation as Json)])),
  ]);
  return { ...rest, paths: Object.fromEntries(paths) };
}

function withSuccesses(operation: Json): Json {
  if (operation.responses === undefined) return operation;
  const responses = Object.entries(operation.responses as Json).filter(([status]) => status.startsWith('2'));
  return { ...operation, responses: Object.fromEntries(responses) };
}
