import type { Clock } from '../../core/time/clock.ts';
import type { Queryable } from '../../database/database.ts';
import type { DispatchOutcome } from '../../dispatch/index.ts';
import { findSettled, type SettledRow } from '../queries.ts';

interface Waiter {
  organizationId: string;
  resolve(outcome: DispatchOutcome | undefined): void;
}

const POLL_MS = 100;

/**
 * Callers of `sync=true` that wait for the outcome of their messages. The dispatcher of this process settles its messages at once. For
 * messages of other nodes, one query ten times a second looks up all waiters together.
 */
export class OutcomeWaiters {
  readonly #db: Queryable;
  readonly #clock: Clock;
  readonly #waiters = new Map<string, Set<Waiter>>();
  #polling = false;
  #stopped = false;

  constructor(deps: { db: Queryable; clock: Clock }) {
    this.#db = deps.db;
    this.#clock = deps.clock;
  }

  /** Resolves with the outcome, or with undefined after `timeoutMs`. */
  wait(organizationId: string, messageId: string, timeoutMs: number): Promise<DispatchOutcome | undefined> {
    if (this.#stopped) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const waiter: Waiter = {
        organizationId,
        resolve(outcome) {
          cancel();
          resolve(outcome);
        },
      };
      const waiters = this.#waiters.get(messageId) ?? new Set();
      this.#waiters.set(messageId, waiters.add(waiter));
      const cancel = this.#clock.schedule(timeoutMs, () => {
        waiters.delete(waiter);
        if (waiters.size === 0) this.#waiters.delete(messageId);
        resolve(undefined);
      });
      this.#poll();
    });
  }

  isAwaited(messageId: string): boolean {
    return this.#waiters.has(messageId);
  }

  /** Resolves every waiter of the message. */
  settle(messageId: string, outcome: DispatchOutcome): void {
    const waiters = this.#waiters.get(messageId);
    if (waiters === undefined) return;
    this.#waiters.delete(messageId);
    for (const waiter of waiters) waiter.resolve(outcome);
  }

  /** Resolves all present and future waiters without an outcome, because the process is shutting down. */
  stop(): void {
    this.#stopped = true;
    for (const waiters of this.#waiters.values()) for (const waiter of waiters) waiter.resolve(undefined);
    this.#waiters.clear();
  }

  #poll(): void {
    if (this.#polling) return;
    this.#polling = true;
    this.#clock.schedule(POLL_MS, () => void this.#look());
  }

  async #look(): Promise<void> {
    const waiting = [...this.#waiters].map(([messageId, waiters]) => {
      const [waiter] = waiters;
      return { messageId, organizationId: waiter?.organizationId ?? '' };
    });
    if (waiting.length > 0) {
      // A failed query is repeated at the next poll, until the waiters time out.
      const settled = await findSettled(this.#db, waiting, this.#clock.now()).catch(() => []);
      for (const row of settled) this.settle(row.messageId, toOutcome(row));
    }
    this.#polling = false;
    if (this.#waiters.size > 0) this.#poll();
  }
}

/** Returns the outcome of a stored message. A message with a wamid was sent, whatever happened to it later. */
export function toOutcome(row: SettledRow): DispatchOutcome {
  const { wamid, upstreamStatus, errorCode, errorMessage, errorUserTitle, errorUserMsg } = row;
  if (wamid !== null) return { kind: 'sent', wamid, ...(upstreamStatus !== null && { upstreamStatus }) };
  const failed = {
    kind: 'failed' as const,
    errorCode: errorCode ?? '131000',
    errorMessage: errorMessage ?? 'The message failed.',
  };
  if (errorUserTitle === null || errorUserMsg === null) return failed;
  const code = providerCodeOf(failed.errorCode);
  return { ...failed, provider: { code, error_user_title: errorUserTitle, error_user_msg: errorUserMsg } };
}

/**
 * Returns the upstream's error number of a failed message. Fairway's own codes are words; they become the upstream's generic number 131000.
 */
export function providerCodeOf(errorCode: string): number {
  return Number.parseInt(errorCode, 10) || 131000;
}
