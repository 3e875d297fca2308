import { sha256Hex } from '../core/digest.ts';
import { createBoundedCache } from '../core/limits/bounded-cache.ts';
import { mapNow } from '../core/now.ts';
import type { Clock } from '../core/time/clock.ts';
import { loadTogether } from '../database/batching/load-together.ts';
import type { ChangeFeed } from '../database/changes/change-feed.ts';
import type { Queryable } from '../database/database.ts';
import { type FindOperator, isToken, OPERATOR_TOKEN_PREFIX } from '../http/index.ts';
import { findOperatorsByHash, noteOperatorUses } from './queries.ts';

const OPERATORS_MAX = 1_000;

/** Operators, as this process knows them. */
export interface Operators {
  /** Finds the operator of a token, at once if it is cached. A revoked token is unknown on every node within a second. */
  find: FindOperator;
  /** `find` by the hex SHA-256 of the token. */
  findByHash: FindOperator;
  /** Stores when the tokens were last used, correct to the hour. */
  noteUses(): Promise<void>;
}

/** Creates the memory of operators. */
export function createOperators(deps: {
  db: Queryable;
  changes: Pick<ChangeFeed, 'on' | 'resetOverdue'>;
  clock: Clock;
}): Operators {
  const { db, changes, clock } = deps;
  const known = createBoundedCache({
    max: OPERATORS_MAX,
    load: loadTogether((hashes: readonly string[]) => findOperatorsByHash(db, hashes)),
  });
  changes.on('operator', known.invalidate, known.clear);
  const used = new Set<string>();
  const findByHash: FindOperator = (hash) => {
    changes.resetOverdue();
    return mapNow(known.get(hash), (found) => {
      if (found === undefined || (found.worksUntil !== null && found.worksUntil.getTime() <= clock.now()))
        return undefined;
      used.add(found.id);
      return found;
    });
  };
  return {
    find: (token) => (isToken(OPERATOR_TOKEN_PREFIX, token) ? findByHash(sha256Hex(token)) : undefined),
    findByHash,
    async noteUses() {
      const ids = [...used];
      used.clear();
      if (ids.length > 0) await noteOperatorUses(db, ids, new Date(clock.now()));
    },
  };
}
