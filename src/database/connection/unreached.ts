import { sqlStateOf } from '../database.ts';

/** What a host, a port or a name says that is not there yet, or no more. */
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
/** How the driver and its pool say that there is no connection, or none any more. */
const NO_CONNECTION = /^(?:timeout (?:expired|exceeded)|Query read timeout|Connection terminated)|is not queryable$/;

/** Whether PostgreSQL could not be reached, did not answer in time, or was lost on the way; never true of what it says itself. */
export function isUnreached(error: unknown): boolean {
  if (!(error instanceof Error) || sqlStateOf(error) !== undefined) return false;
  const { code, message } = error as NodeJS.ErrnoException;
  // The driver gives its own errors no code, those of TLS and of passwords among them.
  return code === undefined ? NO_CONNECTION.test(message) : ABSENT.has(code);
}
