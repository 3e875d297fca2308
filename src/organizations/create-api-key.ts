import { randomInt } from 'node:crypto';
import type { Clock } from '../core/clock.ts';
import { sha256 } from '../core/digest.ts';
import { newId } from '../core/ids.ts';
import { publishChange } from '../database/change-feed.ts';
import type { Database } from '../database/database.ts';
import { hintOf, makeApiKey } from './api-key-format.ts';
import { checkOrganizationId, organizationNotFound } from './organization-not-found.ts';
import { type ApiKey, insertApiKey } from './queries.ts';

/** Issues an API key. `key` is the secret itself, which cannot be read again: only its hash is stored. Raises NOT_FOUND. */
export async function createApiKey(
  deps: { db: Database; clock: Clock },
  organizationId: string,
  input: { name?: string | undefined },
): Promise<ApiKey & { key: string }> {
  checkOrganizationId(organizationId);
  const key = makeApiKey(randomInt);
  const keyHash = sha256(key);
  const apiKey: ApiKey = { id: newId(), name: input.name ?? null, createdAt: new Date(deps.clock.now()) };
  await deps.db.transaction(async (tx) => {
    const stored = await insertApiKey(tx, organizationId, { ...apiKey, keyHash, hint: hintOf(key) });
    if (!stored) throw organizationNotFound();
    await publishChange(tx, 'api_key', keyHash.toString('hex'));
  });
  return { ...apiKey, key };
}
