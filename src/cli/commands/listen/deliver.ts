import { setTimeout as delay } from 'node:timers/promises';
import type { Signer } from './signature.ts';

const ANSWER_MS_MAX = 15_000;
/** Pauses between the tries of one event, in milliseconds. */
const RETRY_PAUSES_MS = [250, 1_000, 3_000, 10_000];

/** One try to deliver an event. */
export interface Attempt {
  /** Status code of the answer; undefined without an answer. */
  status: number | undefined;
  /** Reason that there is no answer. */
  error: string | undefined;
  elapsedMs: number;
  isDelivered: boolean;
  isLast: boolean;
}

/** Delivers the event of an id to a URL, again after anything but 2xx, and yields each try. */
export async function* deliver(
  url: string,
  sign: Signer,
  { id, body }: { id: string; body: string },
  signal: AbortSignal,
): AsyncGenerator<Attempt> {
  for (let tries = 0; ; tries += 1) {
    const startedMs = performance.now();
    const { status, error } = await post(url, sign(id, Date.now(), body), body, signal);
    signal.throwIfAborted();
    const isDelivered = status !== undefined && status >= 200 && status < 300;
    const pauseMs = RETRY_PAUSES_MS[tries];
    const isLast = isDelivered || pauseMs === undefined;
    yield { status, error, elapsedMs: performance.now() - startedMs, isDelivered, isLast };
    if (isLast) return;
    await delay(pauseMs, undefined, { signal });
  }
}

async function post(
  url: string,
  headers: Record<string, string>,
  body: string,
  signal: AbortSignal,
): Promise<{ status: number | undefined; error: string | undefined }> {
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers,
      body,
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS_MAX)]),
    });
    await answer.body?.cancel();
    return { status: answer.status, error: undefined };
  } catch (error) {
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    return { status: undefined, error: (cause as NodeJS.ErrnoException).code ?? (cause as Error).message };
  }
}
