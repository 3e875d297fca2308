import { sha256Hex } from '../../core/digest.ts';
import { AppError } from '../../core/errors.ts';
import { createBoundedCache } from '../../core/limits/bounded-cache.ts';
import { mapNow, type Now } from '../../core/now.ts';
import type { Clock } from '../../core/time/clock.ts';
import { loadTogether } from '../../database/batching/load-together.ts';
import type { ChangeFeed } from '../../database/changes/change-feed.ts';
import type { Queryable } from '../../database/database.ts';
import { type ApiKeys, type Caller, type Credential, isApiKey } from '../../http/index.ts';
import { keyPrefixOf } from './key-prefix.ts';
import { findKeysByHash, type KnownKey, noteKeyUses } from './key-queries.ts';

const KEYS_MAX = 20_000;

/** API keys, and the record of their use. */
export interface Keyring extends ApiKeys {
  /** Returns the caller of the key with this hex SHA-256; undefined if it is unknown, expired or disabled. Synchronous if possible. */
  findByHash(keyHash: string): Now<Caller | undefined>;
  /** Stores when the keys were last used, correct to the hour. */
  noteUses(): Promise<void>;
}

/**
 * Finds the caller of an API key, at once if the key is cached. Raises UNAUTHORIZED alike for a missing, wrong, expired or disabled key and
 * for another scheme (api-rules#keys). A disabled key is refused on every node within a second.
 */
export function createKeyring(deps: {
  db: Queryable;
  changes: Pick<ChangeFeed, 'on' | 'resetOverdue'>;
  clock: Pick<Clock, 'now'>;
}): Keyring {
  const { db, changes, clock } = deps;
  const keys = createBoundedCache<string, KnownKey | undefined>({
    max: KEYS_MAX,
    load: loadTogether((keyHashes) => findKeysByHash(db, keyHashes)),
  });
  let changesHeard = 0;
  changes.on(
    'api_key',
    (keyHash) => {
      changesHeard += 1;
      keys.invalidate(keyHash);
    },
    () => {
      changesHeard += 1;
      keys.clear();
    },
  );
  const used = new Set<number>();

  const findKey = (keyHash: string) => {
    changes.resetOverdue();
    return mapNow(keys.get(keyHash), (known) => {
      const expiresAtMs = known?.caller.limits?.expiresAtMs ?? null;
      return expiresAtMs !== null && expiresAtMs <= clock.now() ? undefined : known;
    });
  };
  const valid = (known: KnownKey | undefined, { key, scheme }: Credential): Caller => {
    if (known === undefined || (scheme !== 'bearer' && !known.cloudApiCredentials)) throw unauthorized();
    // The organization decides what the key reaches. A prefix that promises something else is refused.
    if (!key.startsWith(keyPrefixOf(known.test))) throw unauthorized();
    return known.caller;
  };

  return {
    get changesHeard() {
      changes.resetOverdue();
      return changesHeard;
    },
    authenticate(credential) {
      if (credential === undefined || !isApiKey(credential.key)) throw unauthorized();
      return mapNow(findKey(sha256Hex(credential.key)), (known) => valid(known, credential));
    },
    findByHash: (keyHash) => mapNow(findKey(keyHash), (known) => known?.caller),
    used: ({ keyNumber }) => void used.add(keyNumber),
    async noteUses() {
      const keyNumbers = [...used];
      used.clear();
      if (keyNumbers.length > 0) await noteKeyUses(db, keyNumbers, new Date(clock.now()));
    },
  };
}

function unauthorized(): AppError {
  return new AppError('UNAUTHORIZED', 'A valid API key is needed: "Authorization: Bearer <API_KEY>".');
}
