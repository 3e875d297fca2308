import { isObject } from '../core/json/index.ts';
import type { ChangeFacts, CheckpointFacts, ResultFacts } from './entry.ts';

const ACTOR_TYPES: ReadonlySet<unknown> = new Set(['operator', 'admin_token', 'api_key']);

/**
 * Reads the facts of a change; undefined if the text is none. No row is written so, but rows can be changed in the database, and a log that
 * answers 500 hides all the others.
 */
export function readChange(facts: string): ChangeFacts | undefined {
  const value = readObject(facts);
  const isChange =
    value !== undefined &&
    isActor(value.actor) &&
    [value.address, value.request_id, value.operation].every(isText) &&
    isObjectName(value.object) &&
    [value.before, value.parameters].every(isState);
  return isChange ? (value as unknown as ChangeFacts) : undefined;
}

/** Reads the facts of a result; undefined if the text is none. */
export function readResult(facts: string): ResultFacts | undefined {
  const value = readObject(facts);
  const isResult =
    value !== undefined &&
    Number.isInteger(value.http_status) &&
    isObjectName(value.object) &&
    [value.after, value.answer].every(isState);
  return isResult ? (value as unknown as ResultFacts) : undefined;
}

/** Reads the facts of a checkpoint; undefined if the text is none. */
export function readCheckpoint(facts: string): CheckpointFacts | undefined {
  const value = readObject(facts);
  return value !== undefined && Number.isSafeInteger(value.deleted_up_to) && isText(value.digest)
    ? (value as unknown as CheckpointFacts)
    : undefined;
}

function readObject(facts: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(facts);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isActor(value: unknown): boolean {
  if (!isObject(value) || !ACTOR_TYPES.has(value.type) || !isTextOrNull(value.id) || !isTextOrNull(value.name)) {
    return false;
  }
  const identity = value.identity ?? null;
  return (
    identity === null ||
    (isObject(identity) && isText(identity.issuer) && isText(identity.subject) && isTextOrNull(identity.email))
  );
}

function isObjectName(value: unknown): boolean {
  return value === null || (isObject(value) && isText(value.type) && isText(value.id));
}

function isState(value: unknown): boolean {
  return value === null || isObject(value);
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

function isTextOrNull(value: unknown): boolean {
  return value === null || isText(value);
}
