import type { FastifyRequest } from 'fastify';
import type { Caller } from './bearer.ts';
import { forbidden } from './key-limits.ts';
import type { Operator } from './operator.ts';

export const SESSION_COOKIE = 'fairway_session';
const PAIR = new RegExp(`(?:^|;\\s*)${SESSION_COOKIE}=([^;\\s]+)`);

/** Owner of a console session: an operator or an API key. */
export type SessionOwner = { operator: Operator } | { caller: Caller };

/** Returns the secret in a request's session cookie; undefined if it has none. */
export function readSessionCookie({ headers }: FastifyRequest): string | undefined {
  return PAIR.exec(headers.cookie ?? '')?.[1];
}

/**
 * Checks that a page of this gateway made a request. Browsers attach the cookie to requests of other sites' pages, too, but those pages
 * cannot add the header: the gateway answers no preflight. `origin` is the gateway's own, as clients see it. Raises FORBIDDEN.
 */
export function checkPageRequest({ headers }: FastifyRequest, origin: string): void {
  if (headers['fairway-console'] !== '1') {
    throw forbidden('A session of the console needs the header "Fairway-Console: 1".');
  }
  const site = headers['sec-fetch-site'];
  const isForeign = site === undefined ? (headers.origin ?? origin) !== origin : site !== 'same-origin';
  if (isForeign) throw forbidden('A session of the console works for pages of this gateway only.');
}
