import { setTimeout as delay } from 'node:timers/promises';
import { CliError } from '../cli-error.ts';
import { EXIT } from '../exit-codes.ts';
import { apiError } from './api-error.ts';

const REQUEST_MS_MAX = 60_000;
const TRIES_MAX = 4;
const RETRY_AFTER_SECONDS_MAX = 30;
/** Answers after which the same request may succeed. */
const PASSING = new Set([429, 502, 503, 504]);

export type Query = Readonly<Record<string, string | number | undefined>>;

export interface ApiOptions {
  url: string;
  /** API key or admin token; undefined for paths that need none. */
  token: string | undefined;
  /** Ends requests and pauses. */
  signal: AbortSignal;
  /** Next step if no gateway answers. */
  unreachableHint: string;
}

interface Request {
  query?: Query;
  /** A value to send as JSON, or a stream, which is read once. */
  body?: unknown;
  /** Content type of the body; JSON if absent. */
  contentType?: string;
  /** With a key, the request is repeated if its answer is lost. */
  idempotencyKey?: string;
  /** Highest number of tries, for callers that repeat the request themselves; 4 if absent. */
  triesMax?: number;
  /** Longest time for the request and its answer, in milliseconds. */
  timeoutMs?: number;
}

/** The HTTP API of a gateway. Repeats reads, and sends with an idempotency key. Throws CliError for every failure. */
export class Api {
  readonly #options: ApiOptions;

  constructor(options: ApiOptions) {
    this.#options = options;
  }

  get<Answer>(path: string, query: Query = {}): Promise<Answer> {
    return this.request<Answer>('GET', path, { query });
  }

  post<Answer>(path: string, body?: unknown, options: Omit<Request, 'body'> = {}): Promise<Answer> {
    return this.request<Answer>('POST', path, { ...options, body });
  }

  /** Yields the items of all pages of a list that answers `{data, next}`. */
  async *list<Item>(path: string, query: Query = {}): AsyncGenerator<Item> {
    let after: string | undefined;
    do {
      const page: { data: Item[]; next: string | null } = await this.get(path, { ...query, ...(after && { after }) });
      yield* page.data;
      after = page.next ?? undefined;
    } while (after !== undefined);
  }

  /** Makes one request and returns the JSON of its answer; undefined if the answer is empty. */
  async request<Answer>(method: string, path: string, request: Request = {}): Promise<Answer> {
    const answer = await this.open(method, path, request);
    return this.#parse<Answer>(await answer.text());
  }

  /** Makes one request and returns its successful answer unread, for downloads. */
  async open(method: string, path: string, request: Request = {}): Promise<Response> {
    const isRepeatable = method === 'GET' || request.idempotencyKey !== undefined;
    for (let tries = 1; ; tries += 1) {
      const isLast = !isRepeatable || tries >= (request.triesMax ?? TRIES_MAX);
      const answer = await this.#fetch(method, path, request).catch((error: unknown) => {
        this.#options.signal.throwIfAborted();
        if (isLast) throw this.#unreachable(error);
        return undefined;
      });
      if (answer?.ok) return answer;
      if (answer !== undefined) {
        const text = await answer.text();
        if (isLast || !PASSING.has(answer.status)) throw apiError(answer, this.#withoutToken(text), this.#options.url);
      }
      await delay(pauseMs(answer, tries), undefined, { signal: this.#options.signal });
    }
  }

  #fetch(method: string, path: string, request: Request): Promise<Response> {
    const { query = {}, body, contentType, idempotencyKey, timeoutMs = REQUEST_MS_MAX } = request;
    const { url, token, signal } = this.#options;
    const target = new URL(url + path);
    // An empty ID, or `..`, would address another object.
    if (!target.href.endsWith(path) || /\/(?:\/|$)/.test(path))
      throw new CliError(EXIT.usage, 'An ID in the command is empty, or it is no ID.');
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) target.searchParams.set(name, String(value));
    // The runtime would quote the token in its own error.
    if (token !== undefined && !/^[\x21-\x7e]+$/.test(token))
      throw new CliError(EXIT.usage, 'The API key or admin token has a character that a header cannot carry.');
    const headers = new Headers({ accept: 'application/json' });
    if (token !== undefined) headers.set('authorization', `Bearer ${token}`);
    if (idempotencyKey !== undefined) headers.set('idempotency-key', idempotencyKey);
    const isStream = body instanceof ReadableStream;
    if (body !== undefined) headers.set('content-type', contentType ?? 'application/json');
    return fetch(target, {
      method,
      headers,
      // A redirect would carry the credential to another address.
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      ...(body !== undefined && !isStream && { body: JSON.stringify(body) }),
      ...(isStream && { body, duplex: 'half' }),
    });
  }

  #parse<Answer>(text: string): Answer {
    try {
      return (text === '' ? undefined : JSON.parse(text)) as Answer;
    } catch (error) {
      const { url, unreachableHint } = this.#options;
      throw new CliError(EXIT.unavailable, `The server at ${url} does not answer as a gateway does.`, {
        hint: unreachableHint,
        cause: error,
      });
    }
  }

  #unreachable(error: unknown): CliError {
    const { url, unreachableHint } = this.#options;
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    const reason = (cause as NodeJS.ErrnoException).code ?? (cause as Error).message;
    return new CliError(EXIT.unavailable, `No gateway answers at ${url} (${reason}).`, {
      hint: unreachableHint,
      cause: error,
    });
  }

  #withoutToken(text: string): string {
    const { token } = this.#options;
    return token === undefined ? text : text.replaceAll(token, '[hidden]');
  }
}

/** Returns the pause before the next try, in milliseconds. */
function pauseMs(answer: Response | undefined, tries: number): number {
  const seconds = Number(answer?.headers.get('retry-after'));
  return seconds > 0 ? Math.min(seconds, RETRY_AFTER_SECONDS_MAX) * 1000 : 250 * 2 ** tries;
}
