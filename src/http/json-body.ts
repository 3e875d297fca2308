import type { FastifyRequest } from 'fastify';
import type { Static, TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import { AppError } from '../core/errors.ts';
import { jsonLevels, readJsonDocument } from '../core/json/index.ts';

const validators = new WeakMap<TSchema, Validator>();

/**
 * Reads a raw JSON body against `schema`. Raises VALIDATION_ERROR naming the first offending field. For Fairway's own
 * resources; bodies that travel on to the upstream are read where they are used, from their bytes.
 */
export function readJsonBody<Schema extends TSchema>(request: FastifyRequest, schema: Schema): Static<Schema> {
  const { value } = readJsonDocument((request.body as Buffer | undefined) ?? Buffer.alloc(0), jsonLevels());
  return checkShape(schema, value);
}

/** Returns `value` as the schema's type, or raises VALIDATION_ERROR naming the first offending field. */
export function checkShape<Schema extends TSchema>(schema: Schema, value: unknown): Static<Schema> {
  let validator = validators.get(schema);
  if (validator === undefined) {
    validator = Compile(schema);
    validators.set(schema, validator);
  }
  if (validator.Check(value)) return value as Static<Schema>;
  const problem = validator.Errors(value).findLast((candidate) => candidate.message !== 'schema is false');
  const field = problem?.instancePath.slice(1).replaceAll('/', '.');
  throw new AppError(
    'VALIDATION_ERROR',
    `${field ? `"${field}"` : 'The body'} ${problem?.message ?? 'has the wrong shape'}.`,
  );
}
