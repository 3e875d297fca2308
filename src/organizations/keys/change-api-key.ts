import { sha256 } from '../../core/digest.ts';
import { AppError } from '../../core/errors.ts';
import { isUuid } from '../../core/ids.ts';
import type { Clock } from '../../core/time/clock.ts';
import { publishChanges } from '../../database/changes/change-feed.ts';
import type { Database, Queryable } from '../../database/database.ts';
import { hintOf, makeToken } from '../../http/index.ts';
import { checkLimits } from './check-limits.ts';
import { keyPrefixOf } from './key-prefix.ts';
import {
  type ApiKey,
  disableApiKeyById,
  disableApiKeys,
  type KeyChange,
  type KeyHashes,
  lockApiKey,
  replaceSecret,
  updateApiKey,
} from './key-queries.ts';

interface KeyDeps {
  db: Database;
  clock: Clock;
}

/** Changes the name or limits of a key; absent members stay. In force on every node within a second. Raises NOT_FOUND, VALIDATION_ERROR. */
export async function changeApiKey(deps: KeyDeps, apiKeyId: string, change: KeyChange): Promise<ApiKey> {
  return await withLockedKey(deps, apiKeyId, async (tx, organizationId) => {
    await checkLimits({ db: tx, clock: deps.clock }, organizationId, change);
    const changed = await updateApiKey(tx, organizationId, apiKeyId, change);
    if (changed === undefined) throw notFound();
    await publishChanges(tx, 'api_key', hashesOf(changed));
    return changed;
  });
}

/**
 * Gives a key a new secret; id, name, limits and usage stay. The present secret works for `overlapMs` more, an earlier one no longer.
 * Raises NOT_FOUND.
 */
export async function rotateApiKey(
  deps: KeyDeps,
  apiKeyId: string,
  overlapMs: number,
): Promise<ApiKey & { key: string }> {
  return await withLockedKey(deps, apiKeyId, async (tx, organizationId, test) => {
    const prefix = keyPrefixOf(test);
    const key = makeToken(prefix);
    const previousUntil = new Date(deps.clock.now() + overlapMs);
    const secret = { hash: sha256(key), hint: hintOf(prefix, key), previousUntil };
    const changed = await replaceSecret(tx, organizationId, apiKeyId, secret);
    if (changed === undefined) throw notFound();
    const { droppedHash } = changed;
    await publishChanges(tx, 'api_key', [...hashesOf(changed), ...(droppedHash === null ? [] : [droppedHash])]);
    return { ...changed, key };
  });
}

/** Disables an API key for good; every node refuses it within a second. A repeated call changes nothing. Raises NOT_FOUND. */
export async function disableApiKey(deps: KeyDeps, apiKeyId: string): Promise<void> {
  if (!isUuid(apiKeyId)) throw notFound();
  await deps.db.transaction(async (tx) => {
    const hashes = await disableApiKeyById(tx, apiKeyId, new Date(deps.clock.now()));
    if (hashes === undefined) throw notFound();
    await publishChanges(tx, 'api_key', hashesOf(hashes));
  });
}

/** Disables all API keys of an organization, as `disableApiKey` does. */
export async function disableApiKeysOf(deps: KeyDeps, organizationId: string): Promise<void> {
  await deps.db.transaction(async (tx) => {
    const hashes = await disableApiKeys(tx, organizationId, new Date(deps.clock.now()));
    await publishChanges(tx, 'api_key', hashes.flatMap(hashesOf));
  });
}

async function withLockedKey<Result>(
  { db }: KeyDeps,
  apiKeyId: string,
  work: (tx: Queryable, organizationId: string, test: boolean) => Promise<Result>,
): Promise<Result> {
  if (!isUuid(apiKeyId)) throw notFound();
  return await db.transaction(async (tx) => {
    const locked = await lockApiKey(tx, apiKeyId);
    if (locked === undefined) throw notFound();
    return await work(tx, locked.organizationId, locked.test);
  });
}

function hashesOf({ keyHash, previousHash }: KeyHashes): string[] {
  return previousHash === null ? [keyHash] : [keyHash, previousHash];
}

function notFound(): AppError {
  return new AppError('NOT_FOUND', 'There is no API key with this id.');
}
