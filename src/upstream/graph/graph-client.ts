import type { BaseLogger } from 'pino';
import type { Dispatcher } from 'undici';
import type { Slots } from '../../core/limits/slots.ts';
import type { Clock } from '../../core/time/clock.ts';
import type { GraphApp } from '../routing/token-apps.ts';
import { proveAppSecret } from './app-secret-proof.ts';
import type { PlatformClock } from './platform-clock.ts';
import { isTestToken } from './test-token.ts';

/** The connections, clocks and settings that every call to the platform uses. */
export interface GraphClient {
  /** For messages only, so that no other hanging call delays a message. */
  messages: Dispatcher;
  /**
   * For every other call. `slots` bounds the simultaneous calls of one token. Calls that the platform does not answer hold their
   * connections until they time out. Without the bound, one tenant's hanging calls could take all connections.
   */
  calls: Dispatcher;
  slots: Slots;
  /** For downloads, from any host. A download lasts as long as its reader takes, so it must not use up the connections of other calls. */
  downloads: Dispatcher;
  clock: Clock;
  platformClock: PlatformClock;
  log: UpstreamLog;
  /** Scheme, host and port of the platform. */
  origin: string;
  /** Path prefix of every request: the version, e.g. `/v24.0`, or nothing. */
  basePath: string;
  /** True for the client of the built-in simulator; false for the client of the platform. */
  isForTests: boolean;
  /** The app of the environment. */
  ownApp: GraphApp;
  /** Returns the app that a token belongs to. */
  appOf: (token: string) => GraphApp;
  /** Milliseconds: the total time of one upload, and the longest silence in an upload or a download. */
  transferTimeoutMs: number;
  silenceTimeoutMs: number;
}

/** The log of all calls: `debug` for routine under load, `info` for the rest, `warn` if the platform is unreachable. */
export type UpstreamLog = Pick<BaseLogger, 'warn' | 'info' | 'debug'>;

/** Timeout of any call except a file transfer, in milliseconds. */
export const callTimeoutMs = 30_000;

/**
 * True if the client may send the token. Every request is opened after this check. A token that no header can carry is treated as revoked,
 * and so is a test account's token at the platform, or any other token at the built-in simulator.
 */
export function isSendableToken({ isForTests }: Pick<GraphClient, 'isForTests'>, token: string): boolean {
  return /^[\x21-\x7e]+$/.test(token) && isTestToken(token) === isForTests;
}

/** Returns the headers of every call as a new array to append to. Never log them. */
export function baseHeaders(token: string, scheme: 'Bearer' | 'OAuth' = 'Bearer'): string[] {
  // Some hosts of the platform refuse clients without a `user-agent`.
  return ['authorization', `${scheme} ${token}`, 'user-agent', 'fairway', 'accept-encoding', 'identity'];
}

/**
 * Returns the request target of `path` (starts with `/`, already encoded) with `query`, for a call made with `token`. Proves the secret of
 * `app`, by default the app of the token, if the app requires it.
 */
export function requestTarget(
  client: GraphClient,
  {
    path,
    query,
    token,
    app,
  }: { path: string; query?: Record<string, string> | undefined; token: string; app?: GraphApp },
): string {
  const target = client.basePath + path;
  const { provenSecret } = app ?? client.appOf(token);
  if (query === undefined && provenSecret === null) return target;
  const proof = provenSecret !== null && { appsecret_proof: proveAppSecret(provenSecret, token) };
  return `${target}${path.includes('?') ? '&' : '?'}${new URLSearchParams({ ...query, ...proof })}`;
}

/** Returns the path of a node, or of one of its edges. */
export function nodePath(objectId: string, edge?: string): string {
  const node = `/${encodeURIComponent(objectId)}`;
  return edge === undefined ? node : `${node}/${edge}`;
}
