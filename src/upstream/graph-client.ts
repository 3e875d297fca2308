import type { BaseLogger } from 'pino';
import type { Dispatcher } from 'undici';
import type { Clock } from '../core/clock.ts';

/** What every call to the platform needs. */
export interface GraphClient {
  dispatcher: Dispatcher;
  clock: Clock;
  log: UpstreamLog;
  /** Scheme, host and port of the platform. */
  origin: string;
  /** What stands before every path: the version, e.g. `/v24.0`, or nothing. */
  basePath: string;
  /** The whole time one upload may take. */
  transferTimeoutMs: number;
}

/** The log calls are told to: `debug` for what is routine under load, `info` for the rest. */
export type UpstreamLog = Pick<BaseLogger, 'info' | 'debug'>;

/** A token that can stand in a header: one that cannot is as good as revoked. */
export function isSendableToken(token: string): boolean {
  return /^[\x21-\x7e]+$/.test(token);
}

/** The headers of every call, ready for more to be pushed. Never log them. */
export function baseHeaders(token: string, scheme: 'Bearer' | 'OAuth' = 'Bearer'): string[] {
  return ['authorization', `${scheme} ${token}`, 'user-agent', 'fairway', 'accept-encoding', 'identity'];
}
