import type { Logger } from 'pino';
import type { Clock } from '../../core/time/clock.ts';
import { type Changes, publishChange } from '../../database/changes/change-feed.ts';
import type { Queryable } from '../../database/database.ts';
import type { NumberBook } from './number-book.ts';
import type { Throttled } from './throttled.ts';

export interface ThrottleBroadcastDeps {
  db: Queryable;
  clock: Clock;
  log: Logger;
  changes: Pick<Changes, 'follow'>;
  book: Pick<NumberBook, 'throttle'>;
  /** True if this is the only process on its database. */
  alone: boolean;
}

/** A throttle of the platform. An older node does not name the app. */
export interface Throttle extends Throttled {
  /** Wait, counted from the platform's answer. */
  waitMs: number;
  reason: string;
}

/** The broadcast form, with the end in epoch milliseconds, so that a late broadcast does not extend the wait. */
type Dated = Throttle & { endsAtMs: number };

/**
 * A throttle is broadcast only if it lasts this much longer than the known one. A shorter throttle would be over before the others hear of
 * it.
 */
const BROADCAST_FROM_MS = 5_000;

/**
 * Shares throttles of an account, of an app or of the platform with all nodes, since each may have numbers in their scope. Without this, a node that
 * has not heard of a throttle keeps sending and may prolong it. A node that cannot be reached meets the throttle by itself.
 */
export class ThrottleBroadcast {
  readonly #deps: ThrottleBroadcastDeps;

  constructor(deps: ThrottleBroadcastDeps) {
    this.#deps = deps;
    deps.changes.follow(
      'throttle',
      (key) => this.#apply(JSON.parse(key) as Dated),
      () => {},
    );
  }

  /** Parks the scope of a throttle on this node, and on the others. */
  send(throttle: Throttle): void {
    const { alone, clock, db, log } = this.#deps;
    const dated: Dated = { ...throttle, endsAtMs: clock.now() + throttle.waitMs };
    const longerMs = this.#apply(dated);
    if (alone || longerMs < BROADCAST_FROM_MS) return;
    publishChange(db, 'throttle', JSON.stringify(dated)).catch((error) =>
      log.warn({ err: error }, 'throttle not broadcast; other nodes will meet it themselves'),
    );
  }

  /** Applies a throttle. Returns by how many milliseconds it extends the known one. */
  #apply(dated: Dated): number {
    const { book, clock } = this.#deps;
    const leftMs = Math.min(dated.waitMs, dated.endsAtMs - clock.now());
    return book.throttle(dated, clock.monotonicMs() + leftMs, dated.reason);
  }
}
