import { sqlStateOf } from '../failures.ts';

/** Codes of a host, port or name that does not exist yet, or no longer. */
const ABSENT = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'ENOENT',
  'ENOTFOUND',
  'EAI_AGAIN',
]);
/** Messages of the driver and its pool about a missing or lost connection. */
const NO_CONNECTION = /^(?:timeout (?:expired|exceeded)|Query read timeout|Connection terminated)|is not queryable$/;

/** True if PostgreSQL was not reached, did not answer in time, or was lost. False for any error that PostgreSQL itself reports. */
export function isUnreached(error: unknown): boolean {
  if (!(error instanceof Error) || sqlStateOf(error) !== undefined) return false;
  const { code, message } = error as NodeJS.ErrnoException;
  // The driver gives its own errors no code; errors of TLS and of passwords are among them.
  return code === undefined ? NO_CONNECTION.test(message) : ABSENT.has(code);
}
