import { Agent, request } from 'undici';
import { Slots } from '../../core/limits/slots.ts';
import { ownBytes } from '../../core/own-bytes.ts';
import type { Clock } from '../../core/time/clock.ts';
import { encodeWebhook, signWebhook } from './webhook-encoding.ts';
import { buildWebhookPayload, type WebhookUpdate } from './webhook-updates.ts';

export interface WebhookSenderOptions {
  clock: Clock;
  appSecret: string;
  /** Pauses before the second, third, … attempt, in milliseconds. After the last attempt the webhook is given up. */
  retryPausesMs: readonly number[];
  /** Milliseconds for which updates gather before they share a POST; 0 sends each alone. */
  batchWindowMs: number;
  /** Takes the webhooks of all addresses instead of HTTP. */
  deliver?: DeliverWebhook;
}

/** Takes the bytes of a webhook with its headers, and returns the HTTP status of the answer. */
export type DeliverWebhook = (body: Buffer, headers: Readonly<Record<string, string>>) => Promise<number>;

/** An answer slower than this counts as a failure. */
const TIMEOUT_MS = 10_000;
/** Most POSTs in flight, over all receivers. */
const CONCURRENCY_MAX = 64;
/** Updates per POST when batching. */
const BATCH_MAX = 1000;
/** Most deliveries kept. */
const DELIVERIES_MAX = 2000;
/** Most bytes of kept bodies; batches can be large. */
const KEPT_BYTES_MAX = 32 * 1024 * 1024;

/** `wrong` signs with another secret, `missing` sends no header. */
export type SignatureMode = 'valid' | 'wrong' | 'missing';

export interface WebhookDelivery {
  readonly sequence: number;
  readonly url: string;
  /** The exact bytes posted. */
  readonly body: Buffer;
  readonly signature: SignatureMode;
  attempts: number;
  outcome: 'pending' | 'delivered' | 'given_up';
  /** HTTP status of the last answer; `null` if there was none. */
  httpStatus: number | null;
  /** Duration of the last answer, in milliseconds. */
  latencyMs: number;
}

export interface PostOptions {
  signature?: SignatureMode;
  /** Tries only once, whatever the answer. */
  once?: boolean;
  /** Signs instead of the first app's secret. */
  secret?: string;
}

/**
 * Posts signed webhooks like the platform: in parallel, without order, retried with growing pauses on anything but 200. Batched updates
 * share a POST. Closing it drops pending webhooks.
 */
export class WebhookSender {
  readonly #options: WebhookSenderOptions;
  readonly #agent: Agent;
  readonly #gathering = new Map<string, WebhookUpdate[]>();
  readonly #slots = new Slots({ max: CONCURRENCY_MAX, partyMax: CONCURRENCY_MAX });
  /** Ends the pauses between attempts early. */
  readonly #pauses = new Set<() => void>();
  readonly #idleListeners: (() => void)[] = [];
  #deliveries: WebhookDelivery[] = [];
  #keptBytes = 0;
  #sequence = 0;
  #open = 0;
  /** Incremented to drop all webhooks in flight. */
  #epoch = 0;
  #closed = false;

  constructor(options: WebhookSenderOptions) {
    this.#options = options;
    this.#agent = new Agent({
      connections: CONCURRENCY_MAX,
      headersTimeout: TIMEOUT_MS,
      bodyTimeout: TIMEOUT_MS,
      connectTimeout: TIMEOUT_MS,
    });
  }

  /** Queues one update, signed with `secret`; with batching it may wait for others. */
  enqueue(url: string, update: WebhookUpdate, secret = this.#options.appSecret): void {
    if (this.#options.batchWindowMs === 0) {
      void this.post(url, buildWebhookPayload([update]), { secret });
      return;
    }
    const place = { url, secret };
    const key = keyOf(place);
    const gathering = this.#gathering.get(key);
    if (gathering === undefined) {
      this.#open += 1;
      const started = [update];
      this.#gathering.set(key, started);
      this.#options.clock.schedule(this.#options.batchWindowMs, () => {
        this.#flush(place, started);
        this.#closeOne();
      });
      return;
    }
    gathering.push(update);
    if (gathering.length >= BATCH_MAX) this.#flush(place, gathering);
  }

  /** Signs and posts one payload. Resolves once it was answered 200 or given up; never rejects. */
  async post(url: string, payload: unknown, options: PostOptions = {}): Promise<WebhookDelivery> {
    const delivery: WebhookDelivery = {
      sequence: ++this.#sequence,
      url,
      body: ownBytes(encodeWebhook(payload)),
      signature: options.signature ?? 'valid',
      attempts: 0,
      outcome: 'pending',
      httpStatus: null,
      latencyMs: 0,
    };
    this.#remember(delivery);
    this.#open += 1;
    const epoch = this.#epoch;
    const isDropped = () => this.#closed || this.#epoch !== epoch;
    const pauses = options.once ? [] : this.#options.retryPausesMs;
    for (const pauseMs of [...pauses, null]) {
      await this.#attempt(delivery, options.secret ?? this.#options.appSecret);
      if (delivery.httpStatus === 200) delivery.outcome = 'delivered';
      if (delivery.outcome === 'delivered' || pauseMs === null || isDropped()) break;
      await this.#pause(pauseMs);
      if (isDropped()) break;
    }
    if (delivery.outcome === 'pending') delivery.outcome = 'given_up';
    this.#closeOne();
    return delivery;
  }

  /** The newest deliveries, oldest first. */
  list(): WebhookDelivery[] {
    return [...this.#deliveries];
  }

  /** Webhooks neither answered 200 nor given up. */
  get openCount(): number {
    return this.#open;
  }

  /** Resolves once no webhook is gathering, waiting or in flight. */
  whenIdle(): Promise<void> {
    if (this.#open === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idleListeners.push(resolve));
  }

  /** Drops past deliveries and gathered updates. Webhooks in flight are not retried. */
  clear(): void {
    this.#epoch += 1;
    this.#deliveries = [];
    this.#keptBytes = 0;
    this.#gathering.clear();
    for (const end of this.#pauses) end();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.clear();
    // Webhooks that wait for a slot start now, and fail.
    await this.#agent.destroy();
  }

  async #attempt(delivery: WebhookDelivery, secret: string): Promise<void> {
    using _slot = await this.#slots.acquire();
    delivery.attempts += 1;
    const startedMs = this.#options.clock.monotonicMs();
    try {
      delivery.httpStatus = await this.#deliver(delivery, secret);
    } catch {
      // Refused, reset or too slow: the platform retries all of them alike.
      delivery.httpStatus = null;
    }
    delivery.latencyMs = this.#options.clock.monotonicMs() - startedMs;
  }

  async #deliver(delivery: WebhookDelivery, secret: string): Promise<number> {
    const { deliver } = this.#options;
    const headers = headersOf(delivery, secret);
    if (deliver !== undefined) return await deliver(delivery.body, headers);
    const { url, body } = delivery;
    const answer = await request(url, { method: 'POST', dispatcher: this.#agent, headers, body });
    await answer.body.dump();
    return answer.statusCode;
  }

  #flush(place: { url: string; secret: string }, updates: WebhookUpdate[]): void {
    const key = keyOf(place);
    if (this.#gathering.get(key) !== updates) return;
    this.#gathering.delete(key);
    if (!this.#closed) void this.post(place.url, buildWebhookPayload(updates), { secret: place.secret });
  }

  #pause(delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        cancel();
        this.#pauses.delete(end);
        resolve();
      };
      const cancel = this.#options.clock.schedule(delayMs, end);
      this.#pauses.add(end);
    });
  }

  #remember(delivery: WebhookDelivery): void {
    this.#deliveries.push(delivery);
    this.#keptBytes += delivery.body.length;
    while (this.#deliveries.length > DELIVERIES_MAX || this.#keptBytes > KEPT_BYTES_MAX) {
      this.#keptBytes -= this.#deliveries.shift()?.body.length ?? 0;
    }
  }

  #closeOne(): void {
    this.#open -= 1;
    if (this.#open === 0) for (const listener of this.#idleListeners.splice(0)) listener();
  }
}

function headersOf({ signature, body }: WebhookDelivery, secret: string): Record<string, string> {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'user-agent': 'facebookexternalua',
  };
  if (signature === 'missing') return headers;
  headers['x-hub-signature-256'] = signWebhook(signature === 'wrong' ? `not-${secret}` : secret, body);
  return headers;
}

/** Returns the key of gathered updates: those of two apps never share a POST. */
function keyOf({ url, secret }: { url: string; secret: string }): string {
  return `${secret}\0${url}`;
}
