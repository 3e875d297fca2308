import type { Completion } from './result-queries.ts';

/** Longer than a standby usually lags behind its primary. */
const REMEMBERED_MS = 60_000;
/** About 15 MB. */
const REMEMBERED_MAX = 50_000;

interface Batch {
  atMs: number;
  count: number;
  /** The completions as JSON, a single string, which costs the garbage collector less than several objects for each message. */
  packed: string;
}

/**
 * The ends of messages that this process recorded within the last minute. A failover to an asynchronous standby may lose them: the messages
 * then wait in the queue as if they had not been sent.
 */
export class RecentCompletions {
  #batches: Batch[] = [];
  #count = 0;
  #doubtEndsMs = Number.NEGATIVE_INFINITY;
  #index: Set<string> | undefined;

  note(nowMs: number, completions: readonly Completion[]): void {
    if (completions.length === 0) return;
    this.#batches.push({ atMs: nowMs, count: completions.length, packed: JSON.stringify(completions) });
    this.#count += completions.length;
    this.#index = undefined;
    this.#forget(nowMs);
  }

  /** Reports a broken connection: another server may answer from now on, so `has` compares for as long as ends are remembered. */
  doubt(nowMs: number): void {
    this.#doubtEndsMs = nowMs + REMEMBERED_MS;
  }

  /** True if this process has recorded the message's end and a connection has broken since, so that the end may be lost. */
  has(nowMs: number, messageId: string): boolean {
    if (nowMs > this.#doubtEndsMs) return false;
    this.#index ??= new Set(this.list().map((completion) => completion.messageId));
    return this.#index.has(messageId);
  }

  list(): Completion[] {
    return this.#batches.flatMap(({ packed }) => JSON.parse(packed) as Completion[]);
  }

  #forget(nowMs: number): void {
    const isOld = (atMs: number) => nowMs - atMs > REMEMBERED_MS || this.#count > REMEMBERED_MAX;
    for (let [oldest] = this.#batches; oldest !== undefined && isOld(oldest.atMs); [oldest] = this.#batches) {
      this.#batches.shift();
      this.#count -= oldest.count;
    }
  }
}
