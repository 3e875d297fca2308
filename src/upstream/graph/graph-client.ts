import type { BaseLogger } from 'pino';
import type { Dispatcher } from 'undici';
import type { Lanes } from '../../core/limits/lanes.ts';
import type { Clock } from '../../core/time/clock.ts';
import { proveAppSecret } from './app-secret-proof.ts';
import type { PlatformClock } from './platform-clock.ts';

/** What every call to the platform needs. */
export interface GraphClient {
  /** For messages alone: no other call that hangs keeps one waiting. */
  messages: Dispatcher;
  /**
   * For every other call, and how many with one token are under way at once: those that the platform leaves without an answer hold their
   * connections until their time is over, and those of one tenant must not hold all there are.
   */
  calls: Dispatcher;
  lanes: Lanes;
  /** For downloads, from whatever host: they last as long as those who read them take, and take no connection from other calls. */
  downloads: Dispatcher;
  clock: Clock;
  platformClock: PlatformClock;
  log: UpstreamLog;
  /** Scheme, host and port of the platform. */
  origin: string;
  /** What stands before every path: the version, e.g. `/v24.0`, or nothing. */
  basePath: string;
  appId: string | null;
  /** The app's secret when every call has to prove that it is known. */
  provenAppSecret: string | null;
  /** The whole time one upload may take, and the longest silence in an upload or a download. */
  transferTimeoutMs: number;
  silenceTimeoutMs: number;
}

/** The log calls are told to: `debug` for what is routine under load, `info` for the rest. */
export type UpstreamLog = Pick<BaseLogger, 'warn' | 'info' | 'debug'>;

/** How long any call but a file transfer may take, in milliseconds. */
export const callTimeoutMs = 30_000;

/** Whether a token can stand in a header. One that cannot is as good as revoked. */
export function isSendableToken(token: string): boolean {
  return /^[\x21-\x7e]+$/.test(token);
}

/** The headers of every call, ready for more to be pushed. Never log them. */
export function baseHeaders(token: string, scheme: 'Bearer' | 'OAuth' = 'Bearer'): string[] {
  // Some hosts of the platform turn away clients that do not name themselves.
  return ['authorization', `${scheme} ${token}`, 'user-agent', 'fairway', 'accept-encoding', 'identity'];
}

/** The request target of `path` (which starts with `/` and is already encoded) with `query`, for a call made with `token`. */
export function requestTarget(
  { basePath, provenAppSecret }: GraphClient,
  { path, query, token }: { path: string; query?: Record<string, string> | undefined; token: string },
): string {
  const target = basePath + path;
  if (query === undefined && provenAppSecret === null) return target;
  const proof = provenAppSecret !== null && { appsecret_proof: proveAppSecret(provenAppSecret, token) };
  return `${target}${path.includes('?') ? '&' : '?'}${new URLSearchParams({ ...query, ...proof })}`;
}

/** The path of a node, or of one of its edges. */
export function nodePath(objectId: string, edge?: string): string {
  const node = `/${encodeURIComponent(objectId)}`;
  return edge === undefined ? node : `${node}/${edge}`;
}
