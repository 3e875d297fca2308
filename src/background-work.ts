import { Chores } from './core/chores.ts';
import { type MaintenanceDeps, scheduleMaintenance } from './maintenance.ts';
import type { EarlyStatuses } from './messages/index.ts';
import type { ReviewPoll } from './templates/index.ts';

export interface BackgroundDeps extends MaintenanceDeps {
  earlyStatuses: EarlyStatuses;
  reviewPoll: ReviewPoll;
}

const EARLY_STATUSES_MS = 2_000;

/** What goes on besides requests, queues and deliveries. Dispose it with `stop()`. */
export class BackgroundWork {
  readonly #deps: BackgroundDeps;
  readonly #chores: Chores;

  constructor(deps: BackgroundDeps) {
    this.#deps = deps;
    this.#chores = new Chores(deps);
  }

  /** Starts what every node does, and with `dispatches` what belongs to the sending of messages. */
  start({ dispatches }: { dispatches: boolean }): void {
    const { earlyStatuses, reviewPoll } = this.#deps;
    if (dispatches) {
      this.#chores.every(EARLY_STATUSES_MS, () => earlyStatuses.apply());
      reviewPoll.start();
    }
    scheduleMaintenance(this.#chores, this.#deps);
  }

  /** Begins nothing more. Resolves when what goes on at the upstream has ended; the database may still be in use for a moment. */
  stop(): Promise<void> {
    void this.#chores.stop();
    return this.#deps.reviewPoll.stop();
  }
}
