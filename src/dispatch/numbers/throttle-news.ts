import type { Logger } from 'pino';
import type { Clock } from '../../core/time/clock.ts';
import { type Changes, publishChange } from '../../database/changes/change-feed.ts';
import type { Queryable } from '../../database/database.ts';
import type { Account, NumberBook } from './number-book.ts';

export interface ThrottleNewsDeps {
  db: Queryable;
  clock: Clock;
  log: Logger;
  changes: Changes;
  book: Pick<NumberBook, 'throttle'>;
  /** This process is alone on its database. */
  alone: boolean;
}

/** What the platform throttles together: an account, or everybody. */
export interface Throttle {
  scope: 'waba' | 'app';
  account: Account;
  /** From when the platform said it. */
  waitMs: number;
  reason: string;
}

/** As it is told: with its end in epoch milliseconds, which counts where it is heard late. */
type Told = Throttle & { endsAtMs: number };

/** What is over by the time it would be heard is not told; nor is what makes a throttle that was told longer by less. */
const TOLD_FROM_MS = 5_000;

/**
 * Throttles of an account, or of everybody, that all nodes may have numbers of: whoever does not know of one sends, and may make it last
 * longer. A node that cannot be told meets it by itself.
 */
export class ThrottleNews {
  readonly #deps: ThrottleNewsDeps;

  constructor(deps: ThrottleNewsDeps) {
    this.#deps = deps;
    deps.changes.follow(
      'throttle',
      (key) => this.#hear(JSON.parse(key) as Told),
      () => {},
    );
  }

  /** Makes what is throttled wait, here and with the others. */
  tell(throttle: Throttle): void {
    const { alone, clock, db, log } = this.#deps;
    const told: Told = { ...throttle, endsAtMs: clock.now() + throttle.waitMs };
    const longerMs = this.#hear(told);
    if (alone || longerMs < TOLD_FROM_MS) return;
    publishChange(db, 'throttle', JSON.stringify(told)).catch((error) =>
      log.warn({ err: error }, 'other nodes not told of a throttle'),
    );
  }

  /** Answers by how many milliseconds it is longer than what was known of. */
  #hear({ scope, account, waitMs, endsAtMs, reason }: Told): number {
    const { book, clock } = this.#deps;
    const leftMs = Math.min(waitMs, endsAtMs - clock.now());
    return book.throttle(scope, account, clock.monotonicMs() + leftMs, reason);
  }
}
