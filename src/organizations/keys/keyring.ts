import { sha256Hex } from '../../core/digest.ts';
import { AppError } from '../../core/errors.ts';
import { createBoundedCache } from '../../core/limits/bounded-cache.ts';
import { mapNow } from '../../core/now.ts';
import { loadTogether } from '../../database/batching/load-together.ts';
import type { ChangeFeed } from '../../database/changes/change-feed.ts';
import type { Queryable } from '../../database/database.ts';
import type { ApiKeys, Caller } from '../../http/index.ts';
import { findCallersByKeyHash } from '../queries.ts';
import { isApiKey } from './api-key-format.ts';

const KEYS_MAX = 20_000;

/**
 * Finds the caller of an API key, at once if the key is cached. Raises UNAUTHORIZED alike for a missing, wrong or disabled key and for
 * another scheme (api-rules#keys). A disabled key is refused on every node within a second.
 */
export function createKeyring(deps: { db: Queryable; changes: Pick<ChangeFeed, 'on' | 'resetOverdue'> }): ApiKeys {
  const callers = createBoundedCache<string, Caller | undefined>({
    max: KEYS_MAX,
    load: loadTogether((keyHashes) => findCallersByKeyHash(deps.db, keyHashes)),
  });
  let changesHeard = 0;
  deps.changes.on(
    'api_key',
    (keyHash) => {
      changesHeard += 1;
      callers.invalidate(keyHash);
    },
    () => {
      changesHeard += 1;
      callers.clear();
    },
  );

  return {
    get changesHeard() {
      deps.changes.resetOverdue();
      return changesHeard;
    },
    authenticate(authorization) {
      deps.changes.resetOverdue();
      const apiKey = /^bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
      if (apiKey === undefined || !isApiKey(apiKey)) throw unauthorized();
      return mapNow(callers.get(sha256Hex(apiKey)), known);
    },
  };
}

function known(caller: Caller | undefined): Caller {
  if (caller === undefined) throw unauthorized();
  return caller;
}

function unauthorized(): AppError {
  return new AppError('UNAUTHORIZED', 'A valid API key is needed: "Authorization: Bearer <API_KEY>".');
}
