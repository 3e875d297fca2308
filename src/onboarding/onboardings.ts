import type { Logger } from 'pino';
import { Chores } from '../core/run/chores.ts';
import { waitAtMost } from '../core/run/waiting.ts';
import { claimDue, type Onboarding, releaseClaim, renewClaim } from './queries.ts';
import { runSteps } from './run-steps.ts';
import { ClaimLost, type StepDeps } from './step-context.ts';

/** Delay between two looks for onboardings that another node began or left. */
const REST_MS = 5_000;
const RENEW_MS = 10_000;
const AT_ONCE_MAX = 8;
/** Delay after an unexpected failure. */
const RETRY_MS = 5_000;
/** Time for steps in progress at a stop. Their claims end by themselves. */
const STOP_MS = 2_000;

/** Works on the onboardings of all organizations. Safe on any number of nodes. Dispose it with `stop()`. */
export class Onboardings {
  readonly #deps: StepDeps & { log: Logger };
  readonly #chores: Chores;
  #active = 0;
  #wake: () => void = () => {};

  constructor(deps: StepDeps & { log: Logger }) {
    this.#deps = deps;
    this.#chores = new Chores(deps);
  }

  /** Starts the work. */
  start(): void {
    this.#wake = this.#chores.every(REST_MS, () => this.#look(), 0);
  }

  /** Makes this node look at once, after a request has begun or repeated something. */
  wake(): void {
    this.#chores.once(0, () => this.#look());
  }

  /** Resolves when the steps in progress have ended, or after two seconds. */
  async stop(): Promise<void> {
    await waitAtMost(this.#deps.clock, STOP_MS, this.#chores.stop());
  }

  async #look(): Promise<void> {
    const free = AT_ONCE_MAX - this.#active;
    if (free <= 0) return;
    for (const claimed of await claimDue(this.#deps.db, free)) {
      this.#active += 1;
      this.#chores.once(0, () => this.#work(claimed).finally(() => this.#ended()));
    }
  }

  #ended(): void {
    const wasFull = this.#active === AT_ONCE_MAX;
    this.#active -= 1;
    if (wasFull) this.#wake();
  }

  async #work(claimed: Onboarding): Promise<void> {
    const { db, clock, log } = this.#deps;
    const renewal = new Chores({ clock, log });
    renewal.every(RENEW_MS, async () => void (await renewClaim(db, claimed)));
    try {
      const afterMs = await runSteps(this.#deps, claimed, () => this.#chores.stopped);
      if (afterMs !== null) this.#chores.once(afterMs, async () => this.#wake());
    } catch (error) {
      if (error instanceof ClaimLost) return;
      log.warn({ err: error, onboardingId: claimed.id }, 'onboarding failed; its step is tried again');
      await releaseClaim(db, claimed, RETRY_MS);
      this.#chores.once(RETRY_MS, async () => this.#wake());
    } finally {
      await renewal.stop();
    }
  }
}
