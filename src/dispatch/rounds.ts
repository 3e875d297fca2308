import { runDetached } from '../core/run/detached.ts';
import type { Clock } from '../core/time/clock.ts';
import type { Leases } from '../leases/index.ts';
import type { Scheduler } from './scheduler/index.ts';
import type { Outbox } from './sending/outbox.ts';
import type { QueueReader } from './shards/queue-reader.ts';
import type { UnknownOutcomes } from './unknown-outcomes/unknown-outcomes.ts';

export interface RoundsDeps {
  clock: Clock;
  scheduler: Pick<Scheduler, 'take' | 'nextWakeMs'>;
  outbox: Pick<Outbox, 'dispatch' | 'inFlight'>;
  reader: Pick<QueueReader, 'run'>;
  unknown: Pick<UnknownOutcomes, 'expire'>;
  leases: Pick<Leases, 'isCurrent'>;
  /** Limit of messages in flight at the same time. */
  inFlightMax: number;
}

const BATCH_MAX = 256;
const JOURNAL_LANES = 2;
/**
 * Minimum time between two journals that are not full, so that single messages share one. Within the pace's tolerance, and less than the
 * time between two messages of a number at 80/s.
 */
const ROUND_MS = 10;
const IDLE_LOOK_MS = 50;

/** Starts all work that can start: after each change that is reported, and when the scheduler says that time alone permits more. */
export class Rounds {
  readonly #deps: RoundsDeps;
  #kicked = false;
  #journaling = 0;
  #stopped = false;
  #cancelWake: (() => void) | undefined;
  #wakeAtMs = Number.POSITIVE_INFINITY;
  #roundAtMs = Number.NEGATIVE_INFINITY;

  constructor(deps: RoundsDeps) {
    this.#deps = deps;
  }

  /** Reports a change. Looks for work to start at the end of this turn of the event loop, when all its changes are known. */
  kick(): void {
    if (this.#kicked || this.#stopped) return;
    this.#kicked = true;
    setImmediate(() => {
      this.#kicked = false;
      runDetached(() => this.#start());
    });
  }

  /** Stops; no further work starts. */
  stop(): void {
    this.#stopped = true;
    this.#cancelWake?.();
  }

  // All steps use one reading of the clock. Without this, work due between two readings would wait for a kick that never comes.
  #start(): void {
    if (this.#stopped) return;
    const { clock, scheduler, outbox, reader, unknown, leases, inFlightMax } = this.#deps;
    const nowMs = clock.monotonicMs();
    unknown.expire();
    while (this.#journaling < JOURNAL_LANES && this.#roundAtMs <= nowMs && leases.isCurrent()) {
      const room = Math.min(BATCH_MAX, inFlightMax - outbox.inFlight);
      const batch = room > 0 ? scheduler.take(nowMs, room) : [];
      if (batch.length === 0) break;
      if (batch.length < BATCH_MAX) this.#roundAtMs = nowMs + ROUND_MS;
      this.#journaling += 1;
      void outbox.dispatch(batch).finally(() => {
        this.#journaling -= 1;
        this.kick();
      });
    }
    reader.run(nowMs);
    this.#wakeLater(nowMs);
  }

  #wakeLater(nowMs: number): void {
    const { clock, scheduler } = this.#deps;
    const wakeAtMs = Math.max(this.#roundAtMs, scheduler.nextWakeMs(nowMs) ?? Number.POSITIVE_INFINITY);
    if (wakeAtMs === this.#wakeAtMs) return;
    this.#cancelWake?.();
    this.#wakeAtMs = wakeAtMs;
    if (wakeAtMs === Number.POSITIVE_INFINITY) return;
    // Work that could start now waits for a lane, for room or for a lease; each of these kicks when it becomes available.
    const delayMs = wakeAtMs <= nowMs ? IDLE_LOOK_MS : wakeAtMs - clock.monotonicMs();
    this.#cancelWake = clock.schedule(delayMs, () => {
      this.#wakeAtMs = Number.POSITIVE_INFINITY;
      this.#start();
    });
  }
}
