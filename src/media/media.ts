import type { Accounts } from '../accounts/index.ts';
import type { Clock } from '../core/clock.ts';
import type { Queryable } from '../database/database.ts';
import type { Upstream } from '../upstream/index.ts';
import { BufferCollector } from './buffer-collector.ts';
import type { FindDeps } from './find-media.ts';
import { LookupBudget } from './lookup-budget.ts';
import { BYTES_MAX } from './media-type-table.ts';
import { UploadSpool } from './upload-spool.ts';

/** What the work on media needs, and what it shares between requests. */
export interface Media extends FindDeps {
  spool: UploadSpool;
}

/** `spoolDir`: where uploads wait on disk, a directory of this user's own. */
export function createMedia(deps: {
  db: Queryable;
  clock: Clock;
  accounts: Accounts;
  upstream: Upstream;
  spoolDir: string;
}): Media {
  const { db, clock, accounts, upstream, spoolDir } = deps;
  const spool = new UploadSpool({
    dir: spoolDir,
    bytesMax: BYTES_MAX.document,
    collector: new BufferCollector(),
  });
  return { db, clock, accounts, upstream, spool, lookups: new LookupBudget() };
}
