import { unavailable } from '../core/errors.ts';
import { MicroBatcher } from '../database/batching/micro-batcher.ts';
import type { Queryable } from '../database/database.ts';
import { findOptedOut, type OptOutName } from './queries.ts';

/** The list of opt-outs, as sends are judged by it. */
export interface OptOuts {
  /** True if the person wants no marketing from the number. Reads the list; sends that arrive together share one statement. */
  isOptedOut(name: OptOutName): Promise<boolean>;
}

export function createOptOuts({ db }: { db: Queryable }): OptOuts {
  const reads = new MicroBatcher<OptOutName, boolean>({
    flush: (names) => findOptedOut(db, names),
    itemsMax: 256,
    lanes: 2,
    bound: { pendingMax: 20_000, overflow: () => unavailable('Too many requests are waiting. Try again.') },
  });
  return { isOptedOut: (name) => reads.submit(name) };
}
