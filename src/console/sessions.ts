import { createHmac, randomBytes } from 'node:crypto';
import { sha256Hex } from '../core/digest.ts';
import { createBoundedCache } from '../core/limits/bounded-cache.ts';
import type { Now } from '../core/now.ts';
import type { Clock } from '../core/time/clock.ts';
import { loadTogether } from '../database/batching/load-together.ts';
import { type ChangeFeed, publishChange, publishChanges } from '../database/changes/change-feed.ts';
import type { Database } from '../database/database.ts';
import { type Caller, FIRST_ADMIN, type FindOperator, type SessionOwner } from '../http/index.ts';
import {
  deleteSession,
  deleteSurplusSessions,
  findSessions,
  insertSession,
  noteSessionUses,
  type StoredSession,
} from './queries.ts';

/** A session ends after this time without a request, and this time after the sign-in at the latest. */
const IDLE_MS = 30 * 60_000;
const LIFE_MS = 12 * 3_600_000;
/** Most sessions of one token; a further sign-in ends the oldest. */
const SESSIONS_PER_TOKEN_MAX = 100;
const SESSIONS_MAX = 10_000;
const SECRET = /^[\w-]{43}$/;

/** Token that opens a session: ADMIN_TOKEN, or the hex SHA-256 of an operator's token or an API key. */
export type SignInToken = { kind: 'admin_token' } | { kind: 'operator' | 'api_key'; tokenHash: string };

/** A session that works now. */
export type OpenSession = SessionOwner & { expiresAt: Date };

/** Sessions of the console, as this process knows them. */
export interface Sessions {
  /**
   * Opens a session; undefined if the token is unknown, expired or revoked. The secret cannot be read again, because only its hash is
   * stored.
   */
  open(token: SignInToken): Promise<{ secret: string; session: OpenSession } | undefined>;
  /** Returns the session with this secret; undefined once it has ended. An ended session is unknown on every node within a second. */
  find(secret: string): Promise<OpenSession | undefined>;
  end(secret: string): Promise<void>;
  /** Stores when the sessions were last used. */
  noteUses(): Promise<void>;
}

interface SessionDeps {
  db: Database;
  changes: Pick<ChangeFeed, 'on' | 'resetOverdue'>;
  clock: Pick<Clock, 'now'>;
  adminToken: string;
  findOperatorByHash: FindOperator;
  findCallerByHash: (keyHash: string) => Now<Caller | undefined>;
}

/**
 * Creates the memory of sessions. A session is looked up by the token that opened it, in the caches of operators and keys. It therefore
 * ends together with that token, by the same changes.
 */
export function createSessions(deps: SessionDeps): Sessions {
  const { db, changes, clock, adminToken } = deps;
  const known = createBoundedCache({
    max: SESSIONS_MAX,
    load: loadTogether((hashes: readonly string[]) => findSessions(db, hashes)),
  });
  changes.on('console_session', known.invalidate, known.clear);
  /** Times of last use that this node knows of, in epoch ms, until they are stored. */
  const used = new Map<string, number>();

  const isIdle = ({ sessionHash, usedAt }: StoredSession) =>
    Math.max(usedAt.getTime(), used.get(sessionHash) ?? 0) + IDLE_MS <= clock.now();

  const ownerOf = async (
    { ownerKind, tokenHash }: StoredSession,
    secret: string,
  ): Promise<SessionOwner | undefined> => {
    if (ownerKind === 'admin_token') {
      return hmacHex(adminToken, secret) === tokenHash ? { operator: FIRST_ADMIN } : undefined;
    }
    if (ownerKind === 'operator') {
      const operator = await deps.findOperatorByHash(tokenHash);
      return operator && { operator };
    }
    const caller = await deps.findCallerByHash(tokenHash);
    return caller && { caller };
  };

  const find = async (secret: string): Promise<OpenSession | undefined> => {
    if (!SECRET.test(secret)) return undefined;
    changes.resetOverdue();
    const hash = sha256Hex(secret);
    let stored = await known.get(hash);
    if (stored !== undefined && isIdle(stored)) {
      // Another node may have stored a later use.
      known.invalidate(hash);
      stored = await known.get(hash);
    }
    if (stored === undefined || isIdle(stored) || stored.expiresAt.getTime() <= clock.now()) return undefined;
    const owner = await ownerOf(stored, secret);
    if (owner === undefined) return undefined;
    used.set(hash, clock.now());
    return { ...owner, expiresAt: stored.expiresAt };
  };

  return {
    find,
    async open(token) {
      const secret = randomBytes(32).toString('base64url');
      const now = new Date(clock.now());
      const stored: StoredSession = {
        sessionHash: sha256Hex(secret),
        ownerKind: token.kind,
        tokenHash: token.kind === 'admin_token' ? hmacHex(adminToken, secret) : token.tokenHash,
        openedAt: now,
        usedAt: now,
        expiresAt: new Date(now.getTime() + LIFE_MS),
      };
      const owner = await ownerOf(stored, secret);
      if (owner === undefined) return undefined;
      const { tokenHash, expiresAt } = stored;
      await db.transaction(async (tx) => {
        const surplus = await deleteSurplusSessions(tx, { tokenHash, keptMax: SESSIONS_PER_TOKEN_MAX - 1, now });
        await publishChanges(tx, 'console_session', surplus);
        await insertSession(tx, stored);
      });
      return { secret, session: { ...owner, expiresAt } };
    },
    async end(secret) {
      const hash = sha256Hex(secret);
      await db.transaction(async (tx) => {
        await deleteSession(tx, hash);
        await publishChange(tx, 'console_session', hash);
      });
      known.invalidate(hash);
    },
    async noteUses() {
      const uses = [...used];
      used.clear();
      if (uses.length === 0) return;
      const hashes = uses.map(([hash]) => hash);
      await noteSessionUses(db, hashes, new Date(Math.max(...uses.map(([, atMs]) => atMs))));
      for (const hash of hashes) known.invalidate(hash);
    },
  };
}

function hmacHex(text: string, key: string): string {
  return createHmac('sha256', key).update(text).digest('hex');
}
