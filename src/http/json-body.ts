import type { FastifyRequest } from 'fastify';
import type { Static, TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import type { TLocalizedValidationError } from 'typebox/error';
import { Settings } from 'typebox/system';
import { invalid } from '../core/errors.ts';
import { jsonLevels, readJsonDocument } from '../core/json/index.ts';
import { jsonBytesOf } from './json-bytes.ts';
import { PATTERN_WORDS } from './text-patterns.ts';

// The mismatch of a union comes last, after the errors of each shape. With the default limit of eight it would be cut off.
Settings.Set({ maxErrors: 64 });

/** Levels that are read: of Fairway's own resources, only prices have members. */
const LEVELS = jsonLevels('prices');

const validators = new WeakMap<TSchema, Validator>();

/**
 * Reads a raw JSON body against `schema`. Raises VALIDATION_ERROR naming the first offending field.
 * For Fairway's own resources only; bodies that are forwarded to the upstream are read from their bytes, by the code that uses them.
 */
export function readJsonBody<Schema extends TSchema>(request: FastifyRequest, schema: Schema): Static<Schema> {
  const { value } = readJsonDocument(jsonBytesOf(request), LEVELS);
  return checkShape(schema, value);
}

/** Reads a body like `readJsonBody`; `undefined` if the body is absent. */
export function readOptionalJsonBody<Schema extends TSchema>(
  request: FastifyRequest,
  schema: Schema,
): Static<Schema> | undefined {
  const isLeftOut = !(request.body as Buffer | undefined)?.length;
  return isLeftOut ? undefined : readJsonBody(request, schema);
}

/** Returns `value` as the schema's type, or raises VALIDATION_ERROR naming the first offending field. */
export function checkShape<Schema extends TSchema>(schema: Schema, value: unknown): Static<Schema> {
  let validator = validators.get(schema);
  if (validator === undefined) {
    validator = Compile(schema);
    validators.set(schema, validator);
  }
  if (validator.Check(value)) return value as Static<Schema>;
  const { path, message } = describeProblem(validator.Errors(value));
  const field = path.slice(1).replaceAll('/', '.');
  throw invalid(`${field === '' ? 'The body' : `"${field}"`} ${message}.`);
}

/**
 * Returns the problem to report for a mismatch. "None of several shapes fits" would help no client. So it reports the errors of each
 * shape instead, at the innermost place where a shape has one.
 */
function describeProblem(problems: readonly TLocalizedValidationError[]): { path: string; message: string } {
  const last = problems.findLast(({ keyword }) => keyword !== 'boolean');
  if (last?.keyword !== 'anyOf') {
    return { path: last?.instancePath ?? '', message: last === undefined ? 'has the wrong shape' : wordsOf(last) };
  }
  const branches = problems.filter(
    (problem) =>
      problem.schemaPath.startsWith(`${last.schemaPath}/anyOf/`) &&
      problem.keyword !== 'boolean' &&
      !(problem.keyword === 'type' && problem.params.type === 'null'),
  );
  const path = branches.reduce(
    (deepest, { instancePath }) => (instancePath.length > deepest.length ? instancePath : deepest),
    '',
  );
  const words = branches.filter(({ instancePath }) => instancePath === path).map(wordsOf);
  return words.length === 0
    ? { path: last.instancePath, message: wordsOf(last) }
    : { path, message: [...new Set(words)].join(', or ') };
}

function wordsOf({ keyword, params, message }: TLocalizedValidationError): string {
  if (keyword === 'const') return `must be ${JSON.stringify(params.allowedValue)}`;
  if (keyword === 'additionalProperties') return `must not have ${named(params.additionalProperties)}`;
  if (keyword === 'required') return `must have ${named(params.requiredProperties)}`;
  if (keyword === 'pattern') return PATTERN_WORDS.get(String(params.pattern)) ?? message;
  return keyword === 'enum' ? `must be one of ${params.allowedValues.join(', ')}` : message;
}

/** Returns the first three names, each up to 64 characters. */
function named(names: readonly string[]): string {
  const shown = names.slice(0, 3).map((name) => (name.length > 64 ? `${name.slice(0, 64)}…` : name));
  return shown.map((name) => JSON.stringify(name)).join(', ');
}
