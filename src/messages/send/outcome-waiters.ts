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
 * Callers of `sync=true` waiting for their messages. The dispatcher of this process tells them at once; for messages another
 * node dispatches, all open waiters are looked up together ten times a second.
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

  /** Resolves with the outcome, or with undefined when none came within `timeoutMs`. */
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

  /** Tells everyone waiting for the message. */
  settle(messageId: string, outcome: DispatchOutcome): void {
    const waiters = this.#waiters.get(messageId);
    if (waiters === undefined) return;
    this.#waiters.delete(messageId);
    for (const waiter of waiters) waiter.resolve(outcome);
  }

  /** Has everyone go without an outcome from now on: the process is about to end. */
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
      // A look-up that fails is made again a moment later, until the waiters' own time is up.
      const settled = await findSettled(this.#db, waiting, this.#clock.now()).catch(() => []);
      for (const row of settled) this.settle(row.messageId, toOutcome(row));
    }
    this.#polling = false;
    if (this.#waiters.size > 0) this.#poll();
  }
}

/** The outcome a stored message shows: one the upstream took was sent, whatever became of it later. */
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

/** The upstream's number for how a message failed; Fairway's own codes are words, and its generic number stands for them. */
export function providerCodeOf(errorCode: string): number {
  return Number.parseInt(errorCode, 10) || 131000;
}
