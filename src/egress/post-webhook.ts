import type { Dispatcher } from 'undici';
import type { Clock } from '../core/time/clock.ts';
import { sendUninstrumented } from '../telemetry/index.ts';
import type { Deadline, Deadlines } from './deadline.ts';
import { classifyFailure, type EgressFailure, failureOfRefusal } from './egress-failure.ts';
import type { OriginPools } from './origin-pools.ts';
import { type UrlPolicy, type VettedUrl, vetUrl } from './url-policy.ts';
import { USER_AGENT } from './user-agent.ts';

export interface WebhookRequest {
  /** Owner of the webhook. Connections are not shared between parties: none waits for answers to another, even on one host. */
  party: string;
  /** Names in lower case. `user-agent` is added when absent. */
  headers: Readonly<Record<string, string>>;
  /** Null asks with GET. */
  body: string | null;
  /** Time limit from the first look-up to the end of the answer, including the wait for a free connection. */
  timeoutMs: number;
  /** Most bytes of the answer to read so that its connection can be reused; after more, the connection is closed. */
  responseBytesMax: number;
}

export type WebhookOutcome =
  | {
      kind: 'response';
      /** Any status but 3xx. */
      status: number;
      /** The `retry-after` header as received. */
      retryAfter?: string;
      /** At most the first KiB of the body, as UTF-8 text. For the endpoint's owner only. */
      bodyStart: string;
      latencyMs: number;
    }
  | { kind: 'failed'; reason: EgressFailure; status?: number; latencyMs: number };

export interface PostWebhookDeps {
  clock: Clock;
  urls: UrlPolicy;
  pools: OriginPools;
  deadlines: Deadlines;
}

type Unmeasured<T> = T extends { latencyMs: number } ? Omit<T, 'latencyMs'> : never;

const BODY_START_BYTES_MAX = 1024;

/** Request that asks an address instead of posting to it. */
export type AskRequest = Omit<WebhookRequest, 'body'>;

/**
 * Posts one webhook over a kept-alive, vetted connection. Plain http is for allow-listed addresses only. A redirect is a failure: the
 * endpoint's owner has to register the new address.
 */
export async function postWebhook(
  deps: PostWebhookDeps,
  address: string,
  request: WebhookRequest,
): Promise<WebhookOutcome> {
  const startedMs = deps.clock.monotonicMs();
  const outcome = await exchange(deps, address, request);
  return { ...outcome, latencyMs: deps.clock.monotonicMs() - startedMs };
}

async function exchange(
  deps: PostWebhookDeps,
  address: string,
  request: WebhookRequest,
): Promise<Unmeasured<WebhookOutcome>> {
  const vetted = vetUrl(deps.urls, address, { httpsOnly: true });
  if (vetted.kind === 'refused') return { kind: 'failed', reason: failureOfRefusal(vetted.reason) };

  const deadline = deps.deadlines.start(request.timeoutMs);
  try {
    deadline.signal.throwIfAborted();
    return await deps.pools.use(request.party, vetted, (pool) => send(pool, vetted, request, deadline));
  } catch (error) {
    return { kind: 'failed', reason: classifyFailure(error) };
  } finally {
    deadline.end();
  }
}

async function send(
  pool: Dispatcher,
  { url }: VettedUrl,
  request: WebhookRequest,
  deadline: Deadline,
): Promise<Unmeasured<WebhookOutcome>> {
  const response = sendUninstrumented(() =>
    pool.request({
      origin: url.origin,
      path: `${url.pathname}${url.search}`,
      method: request.body === null ? 'GET' : 'POST',
      headers: { 'user-agent': USER_AGENT, ...request.headers },
      body: request.body,
      signal: deadline.signal,
    }),
  );
  const { statusCode: status, headers, body } = await deadline.race(response);
  const bodyStart = await readStart(body, request.responseBytesMax);
  if (status >= 300 && status < 400) return { kind: 'failed', reason: 'redirect', status };
  const retryAfter = headers['retry-after'];
  return {
    kind: 'response',
    status,
    ...(typeof retryAfter === 'string' ? { retryAfter } : {}),
    bodyStart,
  };
}

/** Reads up to `bytesMax` and returns the start of it. */
async function readStart(body: AsyncIterable<Buffer>, bytesMax: number): Promise<string> {
  const kept: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body) {
      if (bytes < BODY_START_BYTES_MAX) kept.push(chunk.subarray(0, BODY_START_BYTES_MAX - bytes));
      bytes += chunk.length;
      if (bytes > bytesMax) break;
    }
  } catch {
    // The status is the endpoint's decision. A body that breaks off or never ends does not undo it: a retry would only
    // duplicate the event.
  }
  return Buffer.concat(kept).toString('utf8');
}
