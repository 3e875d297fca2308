import type { Logger } from 'pino';
import { Chores } from '../core/run/chores.ts';
import type { Clock } from '../core/time/clock.ts';
import type { Changes } from '../database/changes/change-feed.ts';
import { type EraseDeps, eraseStep } from './erase-person.ts';
import { type Erasure, listOpenErasures } from './queries.ts';

/** Delay after which an erasure that has to wait is tried again. */
const RETRY_MS = 500;
/** Delay between two looks for erasures that a process left when it was killed. */
const REST_MS = 60_000;

/** Works on the erasures of all organizations, one step after the other. Safe on any number of nodes. Dispose it with `stop()`. */
export class Erasures {
  readonly #deps: EraseDeps & { clock: Clock; log: Logger };
  readonly #chores: Chores;
  #waits = false;
  #wake: () => void = () => {};

  constructor(deps: EraseDeps & { clock: Clock; log: Logger; changes: Pick<Changes, 'follow'> }) {
    this.#deps = deps;
    this.#chores = new Chores(deps);
    deps.changes.follow(
      'erasure',
      () => this.#wake(),
      () => this.#wake(),
    );
  }

  /** Starts the work. */
  start(): void {
    this.#wake = this.#chores.every(
      () => (this.#waits ? RETRY_MS : REST_MS),
      () => this.#run(),
      0,
    );
  }

  /** Resolves when the step in progress has ended. */
  stop(): Promise<void> {
    return this.#chores.stop();
  }

  async #run(): Promise<void> {
    // A failure is tried again soon.
    this.#waits = true;
    const open = await listOpenErasures(this.#deps.db);
    let waits = false;
    for (const erasure of open) {
      const mustWait = await this.#goOn(erasure);
      waits ||= mustWait;
      if (this.#chores.stopped) return;
    }
    this.#waits = waits;
  }

  /** Goes on with an erasure as far as possible. Returns true if it has to be tried again: a failure must not hold up the others. */
  async #goOn(erasure: Erasure): Promise<boolean> {
    try {
      let result = await eraseStep(this.#deps, erasure);
      while (result === 'more' && !this.#chores.stopped) {
        result = await eraseStep(this.#deps, { ...erasure, phase: 'messages' });
      }
      return result === 'later';
    } catch (error) {
      const { organizationId, id: erasureId } = erasure;
      this.#deps.log.warn({ err: error, organizationId, erasureId }, 'step of an erasure failed; it is tried again');
      return true;
    }
  }
}
