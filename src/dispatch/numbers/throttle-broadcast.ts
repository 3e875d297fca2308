import type { Logger } from 'pino';
import type { Clock } from '../../core/time/clock.ts';
import { type Changes, publishChange } from '../../database/changes/change-feed.ts';
import type { Queryable } from '../../database/database.ts';
import type { NumberBook } from './number-book.ts';
import type { Account, Throttled } from './throttled.ts';

export interface ThrottleBroadcastDeps {
  db: Queryable;
  clock: Clock;
  log: Logger;
  changes: Pick<Changes, 'follow'>;
  book: Pick<NumberBook, 'throttle'>;
  /** True if this is the only process on its database. */
  alone: boolean;
}

/** A throttle of the platform, for an account, an app, or all numbers. */
export interface Throttle {
  scope: 'waba' | 'app' | 'platform';
  account: Account;
  /** The app of the account, null for that of the environment; undefined if it is not known. */
  appId?: string | null | undefined;
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
  #apply({ scope, account, appId, waitMs, endsAtMs, reason }: Dated): number {
    const { book, clock } = this.#deps;
    const leftMs = Math.min(waitMs, endsAtMs - clock.now());
    return book.throttle(throttledBy(scope, account, appId), clock.monotonicMs() + leftMs, reason);
  }
}

function throttledBy(scope: Throttle['scope'], account: Account, appId: string | null | undefined): Throttled {
  if (scope !== 'app') return { scope, account };
  // An older node does not name the app.
  return appId === undefined ? { scope: 'platform', account } : { scope, account, appId };
}
