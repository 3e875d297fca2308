import type { Logger } from 'pino';
import { AppError, unavailable } from '../../core/errors.ts';
import { runDetached } from '../../core/run/detached.ts';
import type { Clock } from '../../core/time/clock.ts';
import type { Queryable } from '../../database/database.ts';
import type { EventPosition } from '../event-cursor.ts';
import { listOrganizationsWithEvents, readHorizon } from './commit-order-queries.ts';

export interface EventWatchDeps {
  db: Queryable;
  clock: Clock;
  log: Logger;
}

/** A request that waits for events of one organization. Must be closed. */
export interface Watcher {
  /** Resolves when events may have settled since the watcher was made or last resolved, or after `timeoutMs`. */
  news(timeoutMs: number): Promise<void>;
  close(): void;
}

const POLL_MS = 50;
const WATCHERS_MAX = 2_000;
const WATCHERS_PER_ORGANIZATION_MAX = 50;

interface Waiting {
  organizationId: string;
  /** Events came while no call of `news` was waiting. */
  pending: boolean;
  wake: (() => void) | undefined;
}

/**
 * Wakes requests that wait for events. One look at the database serves all of them, and there are no looks while none waits. Each look
 * finds the organizations with events between the previous look's horizon and its own, so no commit order hides an event.
 */
export class EventWatch {
  readonly #deps: EventWatchDeps;
  readonly #watchers = new Set<Waiting>();
  #horizon: EventPosition | undefined;
  /** The first look of a series, which sets its horizon; requests that arrive meanwhile wait for it. */
  #starting: Promise<void> | undefined;
  #cancelPoll: (() => void) | undefined;
  #looking: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(deps: EventWatchDeps) {
    this.#deps = deps;
  }

  /**
   * Starts to watch: events not settled when this resolves will wake the watcher. Raises RATE_LIMITED if the organization has too many
   * waiting requests, UNAVAILABLE if all together are too many.
   */
  async open(organizationId: string): Promise<Watcher> {
    const own = [...this.#watchers].filter((waiting) => waiting.organizationId === organizationId);
    if (own.length >= WATCHERS_PER_ORGANIZATION_MAX) {
      const message = `At most ${WATCHERS_PER_ORGANIZATION_MAX} requests may wait for events at once.`;
      throw new AppError('RATE_LIMITED', message, { retryAfterSeconds: 1 });
    }
    if (this.#watchers.size >= WATCHERS_MAX || this.#stopped) {
      throw unavailable('Too many requests are waiting for events.');
    }
    const waiting: Waiting = { organizationId, pending: false, wake: undefined };
    this.#watchers.add(waiting);
    try {
      await this.#running();
    } catch (error) {
      this.#close(waiting);
      throw error;
    }
    return {
      news: (timeoutMs) => this.#news(waiting, timeoutMs),
      close: () => this.#close(waiting),
    };
  }

  /** True after `stop`: no request may wait any longer. */
  get stopped(): boolean {
    return this.#stopped;
  }

  /** Wakes all waiting requests and stops looking; resolves when no look is in progress. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancelPoll?.();
    for (const waiting of this.#watchers) tell(waiting);
    await this.#looking;
  }

  #news(waiting: Waiting, timeoutMs: number): Promise<void> {
    if (waiting.pending) {
      waiting.pending = false;
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      const cancel = this.#deps.clock.schedule(timeoutMs, () => waiting.wake?.());
      waiting.wake = () => {
        cancel();
        waiting.wake = undefined;
        resolve();
      };
    });
  }

  #close(waiting: Waiting): void {
    this.#watchers.delete(waiting);
    waiting.wake?.();
  }

  async #running(): Promise<void> {
    if (this.#horizon !== undefined) return;
    this.#starting ??= runDetached(() => this.#start());
    try {
      await this.#starting;
    } finally {
      this.#starting = undefined;
    }
  }

  async #start(): Promise<void> {
    this.#horizon = await readHorizon(this.#deps.db);
    this.#lookLater();
  }

  #lookLater(): void {
    if (this.#stopped) return;
    this.#cancelPoll = this.#deps.clock.schedule(POLL_MS, () => {
      this.#looking = runDetached(() => this.#look());
    });
  }

  async #look(): Promise<void> {
    const from = this.#horizon;
    if (from === undefined || this.#watchers.size === 0) {
      this.#horizon = undefined;
      return;
    }
    try {
      const found = await listOrganizationsWithEvents(this.#deps.db, from);
      this.#horizon = found.horizon;
      const lucky = found.organizationIds && new Set(found.organizationIds);
      for (const waiting of this.#watchers) if (lucky?.has(waiting.organizationId) ?? true) tell(waiting);
    } catch (error) {
      // The horizon stays, so the next look covers this one's range.
      this.#deps.log.warn({ err: error }, 'could not look for events; trying again');
    }
    this.#lookLater();
  }
}

function tell(waiting: Waiting): void {
  if (waiting.wake === undefined) waiting.pending = true;
  else waiting.wake();
}
