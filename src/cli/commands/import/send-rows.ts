import { setTimeout as delay } from 'node:timers/promises';
import type { Api } from '../../api/api.ts';
import { CliError } from '../../cli-error.ts';
import { EXIT } from '../../exit-codes.ts';
import type { RowSend } from './read-send.ts';

/** Longest pause that the gateway can ask for, in seconds. */
const RETRY_AFTER_SECONDS_MAX = 300;
const PAUSE_MS_FIRST = 250;
const PAUSE_MS_MAX = 10_000;
/** Time without any answer of the gateway after which an import ends. */
const SILENCE_MS_MAX = 5 * 60_000;
/** Tries of a row for which the gateway answers 500. */
const FAULTS_MAX = 4;

/** Outcome of one send. */
export interface SendOutcome {
  id: string;
  status: string;
  error: string;
}

interface SendAnswer {
  messages: { id: string; message_status?: string }[];
}

/**
 * Sends rows to the gateway, each until it has an answer. All sends pause together as long as the gateway asks for it (429 and 503 with
 * Retry-After, a full queue) or does not answer.
 */
export class RowSender {
  readonly #api: Api;
  readonly #signal: AbortSignal;
  #pausedUntilMs = 0;
  #troubles = 0;
  #answeredMs = performance.now();

  constructor(api: Api, signal: AbortSignal) {
    this.#api = api;
    this.#signal = signal;
  }

  /** Sends one row. Throws if no other row can succeed either: wrong credential, or a gateway that stays silent. */
  async send({ from, body, idempotencyKey }: RowSend): Promise<SendOutcome> {
    for (let faults = 0; ; ) {
      await this.#pause();
      try {
        const options = { idempotencyKey, triesMax: 1 };
        const answer = await this.#api.post<SendAnswer>(`/v1/${encodeURIComponent(from)}/messages`, body, options);
        this.#heard();
        const [message] = answer.messages;
        return { id: message?.id ?? '', status: message?.message_status ?? 'accepted', error: '' };
      } catch (error) {
        this.#signal.throwIfAborted();
        if (!(error instanceof CliError) || error.exitCode === EXIT.unauthorized) throw error;
        const { status, retry_after: retryAfter } = error.facts as { status?: number; retry_after?: number };
        if (status === 500) faults += 1;
        const isFinal = status !== undefined && status !== 429 && (status < 500 || faults === FAULTS_MAX);
        if (isFinal) {
          this.#heard();
          return { id: '', status: status < 500 ? 'refused' : 'failed', error: error.message };
        }
        this.#trouble(error, status === 429, retryAfter);
      }
    }
  }

  async #pause(): Promise<void> {
    for (;;) {
      const ms = this.#pausedUntilMs - performance.now();
      if (ms <= 0) return;
      await delay(ms, undefined, { signal: this.#signal });
    }
  }

  #heard(): void {
    this.#troubles = 0;
    this.#answeredMs = performance.now();
  }

  #trouble(error: CliError, isHeard: boolean, retryAfterSeconds = 0): void {
    const nowMs = performance.now();
    // A gateway that limits the pace is well.
    if (isHeard) this.#answeredMs = nowMs;
    if (nowMs - this.#answeredMs > SILENCE_MS_MAX) throw error;
    // Sends that fail together are one trouble.
    if (nowMs >= this.#pausedUntilMs) this.#troubles += 1;
    const backoffMs = Math.min(PAUSE_MS_FIRST * 2 ** this.#troubles, PAUSE_MS_MAX);
    const askedMs = Math.min(retryAfterSeconds, RETRY_AFTER_SECONDS_MAX) * 1000;
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, nowMs + (askedMs > 0 ? askedMs : backoffMs));
  }
}

/** Runs `work` on every item, at most `width` at a time. Rejects with the first failure after the started ones have ended. */
export async function forEachInParallel<Item>(
  items: AsyncIterable<Item>,
  width: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const running = new Set<Promise<void>>();
  const failures: unknown[] = [];
  for await (const item of items) {
    const done = work(item)
      .catch((error: unknown) => void failures.push(error))
      .finally(() => running.delete(done));
    running.add(done);
    if (running.size >= width) await Promise.race(running);
    if (failures.length > 0) break;
  }
  await Promise.all(running);
  if (failures.length > 0) throw failures[0];
}
