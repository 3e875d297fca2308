import { wamidDigest } from '../core/ids.ts';
import type { Clock } from '../core/time/clock.ts';
import type { Changes } from '../database/changes/change-feed.ts';
import type { Queryable } from '../database/database.ts';
import { hasErasures, listErasedDigests } from './queries.ts';

/** Time after which a node looks again if anybody was erased lately; it learns of an erasure that begins at once. */
const LOOK_MS = 60_000;

/**
 * Recognises messages of erased people by their wamids. The platform reports their statuses for weeks, each with the names of the person.
 * Costs one look-up a minute while no person was erased within the last weeks.
 */
export class ErasedMessages {
  readonly #deps: { db: Queryable; clock: Pick<Clock, 'monotonicMs'> };
  #lookedAtMs = Number.NEGATIVE_INFINITY;
  #exist = false;

  constructor(deps: { db: Queryable; clock: Pick<Clock, 'monotonicMs'>; changes: Pick<Changes, 'follow'> }) {
    this.#deps = deps;
    const lookAgain = () => {
      this.#lookedAtMs = Number.NEGATIVE_INFINITY;
    };
    deps.changes.follow('erasure', lookAgain, lookAgain);
  }

  /** Returns those of the wamids whose messages were sent to people who are erased. */
  async listErased(wamids: readonly string[]): Promise<ReadonlySet<string>> {
    const { db, clock } = this.#deps;
    if (wamids.length === 0) return new Set();
    if (clock.monotonicMs() - this.#lookedAtMs >= LOOK_MS) {
      this.#lookedAtMs = clock.monotonicMs();
      this.#exist = await hasErasures(db);
    }
    if (!this.#exist) return new Set();
    const byDigest = new Map(wamids.map((wamid) => [wamidDigest(wamid), wamid]));
    const digests = await listErasedDigests(db, [...byDigest.keys()]);
    return new Set(digests.flatMap((digest) => byDigest.get(digest) ?? []));
  }
}
