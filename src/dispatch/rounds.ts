import type { Wakeup } from '../core/run/wakeup.ts';
import type { Clock } from '../core/time/clock.ts';
import type { Leases } from '../leases/index.ts';
import type { Scheduler } from './scheduler/index.ts';
import type { AcceptedJournal } from './sending/acceptance-journal-queries.ts';
import type { Journal } from './sending/journal.ts';
import type { QueueReader } from './shards/queue-reader.ts';
import type { InFlight } from './unknown-outcomes/in-flight.ts';
import type { UnknownOutcomes } from './unknown-outcomes/unknown-outcomes.ts';

export interface RoundsDeps {
  clock: Clock;
  scheduler: Pick<Scheduler, 'take' | 'nextWakeMs'>;
  inFlight: Pick<InFlight, 'size'>;
  journal: Pick<Journal, 'dispatch' | 'drop'>;
  reader: Pick<QueueReader, 'run'>;
  unknown: Pick<UnknownOutcomes, 'expire'>;
  leases: Pick<Leases, 'isCurrent'>;
  /** Runs `start` of these rounds. */
  wakeup: Pick<Wakeup, 'wake'>;
  /** Limit of messages in flight at the same time. */
  inFlightMax: number;
}

const BATCH_MAX = 256;
const JOURNAL_LANES = 2;
/**
 * Minimum time between two journals that are not full, so that single messages share one. Within the pace's tolerance, and less than the
 * time between two messages of a number at 80/s.
 */
export const ROUND_MS = 10;
const IDLE_LOOK_MS = 50;

/** Starts all work that can start: at each wake-up, and when the scheduler says that time alone permits more. */
export class Rounds {
  readonly #deps: RoundsDeps;
  #journaling = 0;
  #stopped = false;
  #cancelWake: (() => void) | undefined;
  #wakeAtMs = Number.POSITIVE_INFINITY;
  #roundAtMs = Number.NEGATIVE_INFINITY;
  /** Journals whose messages have not been offered a place in a round yet. */
  #accepted: AcceptedJournal[] = [];

  constructor(deps: RoundsDeps) {
    this.#deps = deps;
  }

  /** Stops; no further work starts. */
  stop(): void {
    this.#stopped = true;
    this.#cancelWake?.();
    this.#dropAccepted();
  }

  get isStopped(): boolean {
    return this.#stopped;
  }

  /** Takes in messages that their acceptance has journaled. Those that the next round does not release are journaled again later. */
  noteAccepted(journal: AcceptedJournal): void {
    this.#accepted.push(journal);
    if (this.#stopped) this.#dropAccepted();
  }

  #dropAccepted(): void {
    for (const journal of this.#accepted.splice(0)) this.#deps.journal.drop(journal);
  }

  /**
   * Starts the work that can start now. All its steps use one reading of the clock. Without this, work due between two readings would wait
   * for a wake-up that never comes.
   */
  start(): void {
    if (this.#stopped) return;
    const { clock, scheduler, inFlight, inFlightMax, journal, reader, unknown, leases, wakeup } = this.#deps;
    const nowMs = clock.monotonicMs();
    unknown.expire();
    while (
      this.#journaling < JOURNAL_LANES &&
      (this.#accepted.length > 0 || this.#roundAtMs <= nowMs) &&
      leases.isCurrent()
    ) {
      const free = Math.min(BATCH_MAX, inFlightMax - inFlight.size);
      const batch = free > 0 ? scheduler.take(nowMs, free) : [];
      if (batch.length === 0) break;
      if (batch.length < BATCH_MAX) this.#roundAtMs = nowMs + ROUND_MS;
      this.#journaling += 1;
      void journal.dispatch(batch, this.#accepted.splice(0)).finally(() => {
        this.#journaling -= 1;
        wakeup.wake();
      });
    }
    this.#dropAccepted();
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
    // Work that could start now waits for a lane, for the limit in flight or for a lease; each of these wakes the rounds.
    const delayMs = wakeAtMs <= nowMs ? IDLE_LOOK_MS : wakeAtMs - clock.monotonicMs();
    this.#cancelWake = clock.schedule(delayMs, () => {
      this.#wakeAtMs = Number.POSITIVE_INFINITY;
      this.start();
    });
  }
}
