import { apiErrorOf, ConnectionError, type Refusal, TimeoutError } from '../errors.ts';
import { isRepeatedAfter, type Repeatable, retryAfterMsOf, retryWaitMs } from './retry-rules.ts';
import { wait } from './wait.ts';

/** Settings of a client. */
export interface ClientOptions {
  /** Address of the gateway without `/v1`, such as `https://gateway.example.com`. */
  baseUrl: string;
  /** Longest time for one attempt in milliseconds, until the body is read. Default 30,000. */
  timeoutMs?: number;
  /** Number of repetitions after passing faults. Default 4. */
  retries?: number;
  /** Longest wait before a repetition in milliseconds. A `Retry-After` beyond it is thrown as an error at once. Default 60,000. */
  retryWaitMaxMs?: number;
  /** Function to use in place of the global `fetch`. */
  fetch?: typeof globalThis.fetch;
  /** Headers of every request. */
  headers?: Record<string, string>;
}

/** Settings of one call. */
export interface CallOptions {
  /** Ends the call, its waits and its repetitions. The call rejects with the signal's reason. */
  signal?: AbortSignal;
  /** Longest time for one attempt in milliseconds. */
  timeoutMs?: number;
  /** Number of repetitions after passing faults. */
  retries?: number;
}

type QueryValue = string | number | boolean | readonly string[] | undefined;

/** One request. */
export interface ApiRequest extends CallOptions {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path with its version, such as `/v1/messages`. */
  path: string;
  query?: { [name: string]: QueryValue };
  json?: unknown;
  form?: FormData;
  idempotencyKey?: string;
  /** Default: `if refused` for a POST without a key, otherwise `always`. */
  repeatable?: Repeatable;
}

/** An answer with its parsed body. */
export interface ApiAnswer<Body> {
  status: number;
  headers: Headers;
  body: Body;
}

const DEFAULTS = { timeoutMs: 30_000, retries: 4, retryWaitMaxMs: 60_000 };

/** Sends requests with a key, repeats them after passing faults, and turns refusals into errors. */
export class Transport {
  readonly #options: ClientOptions & typeof DEFAULTS;
  readonly #headers: Record<string, string>;
  readonly #base: string;

  constructor(options: ClientOptions, credential: string) {
    this.#options = { ...DEFAULTS, ...options };
    this.#headers = { ...options.headers, authorization: `Bearer ${credential}` };
    this.#base = options.baseUrl.replace(/\/+$/, '');
  }

  /** Returns the parsed answer. @throws ApiError, ConnectionError, TimeoutError, or the reason of the caller's signal */
  async json<Body>(request: ApiRequest): Promise<ApiAnswer<Body>> {
    return this.#repeat(request, async (response) => {
      const text = await response.text();
      return {
        status: response.status,
        headers: response.headers,
        body: (text === '' ? undefined : JSON.parse(text)) as Body,
      };
    });
  }

  /** Returns the body of the parsed answer. @throws as `json` */
  async body<Body>(request: ApiRequest): Promise<Body> {
    return (await this.json<Body>(request)).body;
  }

  /** Returns the answer with its body unread. The time limit ends with the headers. @throws as `json` */
  async stream(request: ApiRequest): Promise<Response> {
    return this.#repeat(request, async (response) => response);
  }

  async #repeat<T>(request: ApiRequest, read: (response: Response) => Promise<T>): Promise<T> {
    const { retries = this.#options.retries, signal, idempotencyKey } = request;
    const isSafe = request.method !== 'POST' || idempotencyKey !== undefined;
    const repeatable = request.repeatable ?? (isSafe ? 'always' : 'if refused');
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await this.#attempt(request, read);
      if ('value' in outcome) return outcome.value;
      const { refusal = null, error } = outcome;
      const mayRepeat = refusal === null ? repeatable === 'always' : isRepeatedAfter(refusal.status, repeatable);
      const { retryWaitMaxMs } = this.#options;
      const waitMs = retryWaitMs(refusal?.retryAfterMs ?? null, attempt, retryWaitMaxMs, Math.random());
      if (!mayRepeat || attempt > retries || waitMs === null) throw error;
      await wait(waitMs, signal);
    }
  }

  async #attempt<T>(
    request: ApiRequest,
    read: (response: Response) => Promise<T>,
  ): Promise<{ value: T } | { error: Error; refusal?: Refusal }> {
    const { signal, idempotencyKey, timeoutMs = this.#options.timeoutMs } = request;
    signal?.throwIfAborted();
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), timeoutMs);
    try {
      const either = signal === undefined ? limit.signal : AbortSignal.any([signal, limit.signal]);
      const response = await this.#fetch(request, either);
      if (response.ok) return { value: await read(response) };
      const refusal = await refusalOf(response, idempotencyKey);
      return { error: apiErrorOf(refusal), refusal };
    } catch (cause) {
      if (signal?.aborted) throw signal.reason;
      if (limit.signal.aborted) {
        return { error: new TimeoutError(`No answer within ${timeoutMs} ms.`, idempotencyKey, cause) };
      }
      return { error: new ConnectionError('No complete answer arrived.', idempotencyKey, cause) };
    } finally {
      clearTimeout(timer);
    }
  }

  #fetch({ method, path, query, json, form, idempotencyKey }: ApiRequest, signal: AbortSignal): Promise<Response> {
    // Called without a receiver: the `fetch` of workers refuses another object as `this`.
    const { fetch = globalThis.fetch } = this.#options;
    const body = json === undefined ? form : JSON.stringify(json);
    return fetch(`${this.#base}${path}${queryText(query)}`, {
      method,
      headers: {
        ...this.#headers,
        ...(json !== undefined && { 'content-type': 'application/json' }),
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      },
      signal,
      ...(body !== undefined && { body }),
    });
  }
}

async function refusalOf(response: Response, idempotencyKey: string | undefined): Promise<Refusal> {
  const { status, headers } = response;
  const retryAfterMs = retryAfterMsOf(headers.get('retry-after'), Date.now());
  return { status, headers, body: errorBodyOf(await response.text()), retryAfterMs, idempotencyKey };
}

function errorBodyOf(text: string): Refusal['body'] {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null && !Array.isArray(body) ? body : {};
  } catch {
    return {};
  }
}

function queryText(query: ApiRequest['query'] = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.set(name, Array.isArray(value) ? value.join(',') : String(value));
  }
  const text = parameters.toString();
  return text === '' ? '' : `?${text}`;
}
