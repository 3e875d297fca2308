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
  #exist: Promise<boolean> = Promise.resolve(false);

  constructor(deps: { db: Queryable; clock: Pick<Clock, 'monotonicMs'>; changes: Pick<Changes, 'follow'> }) {
    this.#deps = deps;
    const lookAgain = () => {
      this.#lookedAtMs = Number.NEGATIVE_INFINITY;
    };
    deps.changes.follow('erasure', lookAgain, lookAgain);
  }

  /** Returns those of the wamids whose messages were sent to people who are erased. */
  async listErased(wamids: readonly string[]): Promise<ReadonlySet<string>> {
    if (wamids.length === 0 || !(await this.#mayExist())) return new Set();
    const byDigest = new Map(wamids.map((wamid) => [wamidDigest(wamid), wamid]));
    const digests = await listErasedDigests(this.#deps.db, [...byDigest.keys()]);
    return new Set(digests.flatMap((digest) => byDigest.get(digest) ?? []));
  }

  /** Returns true if a person was erased lately. Calls at the same time share a look-up, and none goes on before its answer. */
  #mayExist(): Promise<boolean> {
    const { db, clock } = this.#deps;
    const nowMs = clock.monotonicMs();
    if (nowMs - this.#lookedAtMs < LOOK_MS) return this.#exist;
    this.#lookedAtMs = nowMs;
    this.#exist = hasErasures(db);
    this.#exist.catch(() => {
      this.#lookedAtMs = Number.NEGATIVE_INFINITY;
    });
    return this.#exist;
  }
}
