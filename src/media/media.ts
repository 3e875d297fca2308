import type { Accounts } from '../accounts/index.ts';
import type { Clock } from '../core/clock.ts';
import type { Queryable } from '../database/database.ts';
import type { Spool } from '../spool/index.ts';
import type { Upstream } from '../upstream/index.ts';
import type { FindDeps } from './find-media.ts';
import { LookupBudget } from './lookup-budget.ts';

/** What the work on media needs, and what it shares between requests. */
export interface Media extends FindDeps {
  spool: Spool;
}

export function createMedia(deps: {
  db: Queryable;
  clock: Clock;
  accounts: Accounts;
  upstream: Upstream;
  /** Where uploads wait until they are known to be whole: fields may come after the file. */
  spool: Spool;
}): Media {
  return { ...deps, lookups: new LookupBudget() };
}
