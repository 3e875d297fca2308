import { createBoundedCache } from '../../core/limits/bounded-cache.ts';
import type { Clock } from '../../core/time/clock.ts';
import type { Queryable } from '../../database/database.ts';
import { countFreeService } from './usage-queries.ts';

/** Tells how many free service messages the platform has reported for a number in the current calendar month (UTC). */
export interface FreeTier {
  /** Returns the count, at most ten seconds old; at once if it is known. */
  usedBy(organizationId: string, numberId: number): number | Promise<number>;
}

const NUMBERS_MAX = 50_000;
const KNOWN_MS = 10_000;

/** Creates a cache of the counts. They only decide the price at acceptance: the platform's report settles it. */
export function createFreeTier(deps: { db: Queryable; clock: Clock }): FreeTier {
  const { db, clock } = deps;
  const counts = createBoundedCache<string, number>({
    max: NUMBERS_MAX,
    load: (key) => {
      const [organizationId = '', numberId] = key.split(' ');
      return countFreeService(db, organizationId, Number(numberId), clock.now());
    },
    expiry: { afterMs: KNOWN_MS, monotonicMs: () => clock.monotonicMs() },
  });
  return { usedBy: (organizationId, numberId) => counts.get(`${organizationId} ${numberId}`) };
}
