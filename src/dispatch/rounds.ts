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
  /** Messages on their way to the upstream at once. */
  inFlightMax: number;
}

const BATCH_MAX = 256;
const JOURNAL_LANES = 2;
/**
 * Least time between two journals that are not full: what is little waits for more to share one. Within the pace's tolerance, and
 * less than lies between two messages of a number at 80/s.
 */
const ROUND_MS = 10;
const IDLE_LOOK_MS = 50;

/** Starts whatever can start: after each change that is told of, and when the scheduler says that time alone allows more. */
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

  /** Something changed: looks what can start as soon as what this turn of the event loop brings is known. */
  kick(): void {
    if (this.#kicked || this.#stopped) return;
    this.#kicked = true;
    setImmediate(() => {
      this.#kicked = false;
      runDetached(() => this.#start());
    });
  }

  /** Starts nothing any more. */
  stop(): void {
    this.#stopped = true;
    this.#cancelWake?.();
  }

  // All by one reading of the clock: what came due between two would be left to a kick that nobody gives.
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
    // Work that could start at once waits for a lane, for room or for a lease; all of them kick when they come.
    const delayMs = wakeAtMs <= nowMs ? IDLE_LOOK_MS : wakeAtMs - clock.monotonicMs();
    this.#cancelWake = clock.schedule(delayMs, () => {
      this.#wakeAtMs = Number.POSITIVE_INFINITY;
      this.#start();
    });
  }
}
