import { createBoundedCache } from '../core/bounded-cache.ts';
import { sha256Hex } from '../core/digest.ts';
import { AppError } from '../core/errors.ts';
import type { Changes } from '../database/change-feed.ts';
import type { Queryable } from '../database/database.ts';
import { loadTogether } from '../database/load-together.ts';
import type { Caller } from '../http/index.ts';
import { isApiKey } from './api-key-format.ts';
import { findCallersByKeyHash } from './queries.ts';

/** Knows whom an API key belongs to. */
export interface Keyring {
  /**
   * The caller behind an `Authorization` header; at once when the key is remembered. Raises UNAUTHORIZED, alike for a missing,
   * wrong or disabled key and a foreign scheme (spec 5). A disabled key is refused on every node within a second.
   */
  authenticate(authorization: string | undefined): Caller | Promise<Caller>;
}

const KEYS_MAX = 20_000;
const UNKNOWN_KEYS_MAX = 20_000;

export function createKeyring(deps: { db: Queryable; changes: Changes }): Keyring {
  const callers = createBoundedCache<string, Caller | undefined>({
    max: KEYS_MAX,
    missesMax: UNKNOWN_KEYS_MAX,
    load: loadTogether((keyHashes) => findCallersByKeyHash(deps.db, keyHashes)),
  });
  deps.changes.on('api_key', callers.invalidate, callers.clear);

  return {
    authenticate(authorization) {
      const apiKey = /^bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
      if (apiKey === undefined || !isApiKey(apiKey)) throw unauthorized();
      const caller = callers.get(sha256Hex(apiKey));
      return caller instanceof Promise ? caller.then(known) : known(caller);
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
