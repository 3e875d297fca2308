import { networkInterfaces } from 'node:os';
import { type Clock, systemClock } from '../core/time/clock.ts';
import { createAddressPolicy } from './address-policy.ts';
import { boundAnswers } from './bounded-answers.ts';
import { Deadlines } from './deadline.ts';
import { type FetchFileOptions, type FetchFileOutcome, fetchPublicFile } from './fetch-public-file.ts';
import { type ConnectionDeps, createGuardedConnector, type Dial, dialTcp } from './open-connection.ts';
import { OriginPools, type PoolLimits } from './origin-pools.ts';
import { type AskRequest, postWebhook, type WebhookOutcome, type WebhookRequest } from './post-webhook.ts';
import { createHostResolver, type ResolveHost } from './resolve-host.ts';
import { type UrlRefusal, type VettedUrl, vetUrl } from './url-policy.ts';

export interface EgressLimits extends PoolLimits {
  /** Ports open on public addresses. */
  ports: readonly number[];
  dnsTimeoutMs: number;
  connectTimeoutMs: number;
  tlsTimeoutMs: number;
  /** File downloads only: time from sending the request to the end of the answer's headers. */
  headersTimeoutMs: number;
  redirectsMax: number;
  /** Webhooks only: most bytes of one answer, read or not. */
  answerBytesMax: number;
}

export interface EgressOptions {
  /** Ranges (`address/prefix`) that are always reachable, on any port and over plain http. */
  allowCidrs: readonly string[];
  clock?: Clock;
  resolveHost?: ResolveHost;
  dial?: Dial;
  /** PEM certificates to trust instead of the built-in authorities. */
  tlsCa?: string;
  limits?: Partial<EgressLimits>;
}

type UrlVerdict = { kind: 'ok'; url: string } | { kind: 'refused'; reason: UrlRefusal };

/** The only way to addresses chosen by others. */
export interface Egress extends AsyncDisposable {
  /**
   * Static checks of a URL that is to be stored, without any look-up: a pass promises no reachability.
   * `url` is the normalised form.
   */
  checkUrl(url: string, options: { httpsOnly: boolean }): UrlVerdict;
  /** Downloads a file. Never throws for failures of the other side. */
  fetchPublicFile(url: string, options: FetchFileOptions): Promise<FetchFileOutcome>;
  /** Posts one webhook. Never throws for failures of the other side. */
  postWebhook(url: string, request: WebhookRequest): Promise<WebhookOutcome>;
  /** Asks the address of a webhook with GET, under the rules of `postWebhook`. Never throws for failures of the other side. */
  askWebhook(url: string, request: AskRequest): Promise<WebhookOutcome>;
  /** Number of pools, one per party and origin, and of sockets held open for webhooks. */
  poolSize(): { pools: number; sockets: number };
  /** Ends all exchanges in progress as `aborted` and closes every connection. */
  [Symbol.asyncDispose](): Promise<void>;
}

const DEFAULT_LIMITS: EgressLimits = {
  ports: [80, 443, 8443],
  dnsTimeoutMs: 2_000,
  connectTimeoutMs: 3_000,
  tlsTimeoutMs: 3_000,
  headersTimeoutMs: 5_000,
  headerBytesMax: 16 * 1024,
  redirectsMax: 3,
  answerBytesMax: 256 * 1024,
  connectionsPerPoolMax: 64,
  poolsMax: 1_024,
  socketsMax: 4_096,
  idleTimeoutMs: 15_000,
  connectionLifetimeMs: 300_000,
};

/**
 * Builds the only part of Fairway that may reach URLs chosen by others (template samples, webhook endpoints).
 * @throws TypeError if a range in `allowCidrs` is malformed.
 */
export function createEgress(options: EgressOptions): Egress {
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const clock = options.clock ?? systemClock;
  const addresses = createAddressPolicy({
    allowCidrs: options.allowCidrs,
    denyCidrs: listOwnRanges(),
  });
  const resolveHost =
    options.resolveHost ??
    createHostResolver({ clock, timeoutMs: limits.dnsTimeoutMs, usesSystemNames: addresses.hasAllowList });
  const connections: ConnectionDeps = {
    addresses,
    resolveHost,
    dial: options.dial ?? dialTcp,
    clock,
    limits,
    tlsCa: options.tlsCa,
  };
  const urls = { addresses, ports: limits.ports };
  const connectorOf = (vetted: VettedUrl) =>
    boundAnswers(createGuardedConnector(connections, vetted), limits.answerBytesMax);
  const pools = new OriginPools(connectorOf, limits);
  const deadlines = new Deadlines(clock);

  return {
    checkUrl(url, rules) {
      const vetted = vetUrl(urls, url, rules);
      return vetted.kind === 'ok' ? { kind: 'ok', url: vetted.url.href } : vetted;
    },
    fetchPublicFile: (url, request) => fetchPublicFile({ urls, connections, limits, deadlines }, url, request),
    postWebhook: (url, request) => postWebhook({ clock, urls, pools, deadlines }, url, request),
    askWebhook: (url, request) => postWebhook({ clock, urls, pools, deadlines }, url, { ...request, body: null }),
    poolSize: () => pools.size,
    async [Symbol.asyncDispose]() {
      deadlines.abort();
      await pools[Symbol.asyncDispose]();
    },
  };
}

/** Lists this machine's addresses, to be denied: a public one would lead past its firewall to every service that listens here. */
function listOwnRanges(): string[] {
  const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return own.map(({ address, family }) => `${address.split('%')[0]}/${family === 'IPv4' ? 32 : 128}`);
}
