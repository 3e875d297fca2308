import assert from 'node:assert/strict';
import { fill } from '../harness/fixtures.ts';
import type { Gateway } from '../harness/gateway.ts';

export const METHODS = ['get', 'put', 'post', 'delete', 'patch'];

// biome-ignore lint/suspicious/noExplicitAny: a document is judged here, not trusted
export type Json = any;

export interface Operation {
  /** `POST /v1/{}/messages` */
  name: string;
  path: string;
  described: Json;
}

/** Returns the name of an operation, as `POST /v1/{}/messages`. */
export function nameOf(method: string, path: string): string {
  return `${method.toUpperCase()} ${path.replaceAll(/\{[^}]*\}/g, '{}')}`;
}

/** Returns the elements that are not in `known`. */
export function without(list: string[], known: string[]): string[] {
  return list.filter((entry) => !known.includes(entry));
}

/** Returns all examples of a body, including those of its schema. */
export function examplesOf({ example, examples = {}, schema }: Json): Json[] {
  const named = Object.values<Json>(examples).map((one) => one.value);
  return [example, ...named, schema?.example, ...(schema?.examples ?? [])].filter((found) => found !== undefined);
}

/** Returns the documented values of `code` in a response's body. */
export function codesOf(response: Json): string[] {
  return response?.content?.['application/json']?.schema?.properties?.code?.enum ?? [];
}

/** Visits every object and array inside `value`. */
export function walk(value: Json, visit: (value: Json, where: string) => void, where = '#'): void {
  if (typeof value !== 'object' || value === null) return;
  visit(value, where);
  for (const [key, child] of Object.entries(value)) walk(child, visit, `${where}/${key}`);
}

/** Visits every schema of the document. */
export function walkSchemas(document: Json, visit: (schema: Json, where: string) => void): void {
  const within = (schema: Json, where: string): void => {
    if (typeof schema !== 'object' || schema === null) return;
    visit(schema, where);
    for (const key of ['anyOf', 'oneOf', 'allOf', 'prefixItems']) {
      for (const [index, child] of (schema[key] ?? []).entries()) within(child, `${where}/${key}/${index}`);
    }
    for (const key of ['properties', 'patternProperties', '$defs']) {
      for (const [name, child] of Object.entries(schema[key] ?? {})) within(child, `${where}/${key}/${name}`);
    }
    for (const key of ['items', 'additionalProperties', 'not']) within(schema[key], `${where}/${key}`);
  };
  walk(document.paths, (value, where) => {
    if (typeof value.schema === 'object' && !where.includes('/example')) within(value.schema, `${where}/schema`);
  });
}

/** Returns a gateway's OpenAPI file, its operations, and the responses of all operations. */
async function readDocument({ baseUrl }: Gateway) {
  const response = await fetch(`${baseUrl}/openapi.json`);
  assert.equal(response.status, 200);
  const document: Json = await response.json();
  const operations: Operation[] = Object.entries<Json>(document.paths).flatMap(([path, item]) =>
    Object.entries<Json>(item)
      .filter(([method]) => METHODS.includes(method))
      .map(([method, described]) => ({ name: nameOf(method, path), path, described })),
  );
  assert.ok(operations.length > 0);
  const responses = operations.flatMap(({ name, described }) =>
    Object.entries<Json>(described.responses ?? {}).map(([status, response]) => ({
      name,
      status,
      response: response as Json,
    })),
  );
  return { document, operations, responses };
}

/** Returns the contents of `readDocument` for the tests of the enclosing suite. */
export function useDocument(gateway: Gateway): Awaited<ReturnType<typeof readDocument>> {
  return fill(() => readDocument(gateway));
}
