import type { FastifyRequest } from 'fastify';
import type { Static, TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import type { TLocalizedValidationError } from 'typebox/error';
import { Settings } from 'typebox/system';
import { invalid } from '../core/errors.ts';
import { jsonLevels, readJsonDocument } from '../core/json/index.ts';
import { jsonBytesOf } from './json-bytes.ts';
import { PATTERN_WORDS } from './text-patterns.ts';

// That none of several shapes fits comes last, behind what each of them misses: with the eight there are by default it is cut off.
Settings.Set({ maxErrors: 64 });

/** Of our own resources, only prices have members that are read. */
const LEVELS = jsonLevels('prices');

const validators = new WeakMap<TSchema, Validator>();

/**
 * Reads a raw JSON body against `schema`. Raises VALIDATION_ERROR naming the first offending field. For Fairway's own
 * resources; bodies that travel on to the upstream are read where they are used, from their bytes.
 */
export function readJsonBody<Schema extends TSchema>(request: FastifyRequest, schema: Schema): Static<Schema> {
  const { value } = readJsonDocument(jsonBytesOf(request), LEVELS);
  return checkShape(schema, value);
}

/** `readJsonBody` for a body that may be left out; `undefined` when it is. */
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
 * What to tell of a mismatch. That none of several shapes fits tells nothing by itself: then what each of them misses is told, at the
 * innermost place where one of them does.
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

/** The first few of these names, each as far as it tells something. */
function named(names: readonly string[]): string {
  const shown = names.slice(0, 3).map((name) => (name.length > 64 ? `${name.slice(0, 64)}…` : name));
  return shown.map((name) => JSON.stringify(name)).join(', ');
}
