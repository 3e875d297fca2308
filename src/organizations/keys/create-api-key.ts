import { randomInt } from 'node:crypto';
import { sha256 } from '../../core/digest.ts';
import { newId } from '../../core/ids.ts';
import type { Clock } from '../../core/time/clock.ts';
import type { Queryable } from '../../database/database.ts';
import { checkOrganizationId, organizationNotFound } from '../organization-not-found.ts';
import { type ApiKey, insertApiKey } from '../queries.ts';
import { hintOf, makeApiKey } from './api-key-format.ts';

/** Issues an API key. `key` is the secret itself; it cannot be read again, because only its hash is stored. Raises NOT_FOUND. */
export async function createApiKey(
  deps: { db: Queryable; clock: Clock },
  organizationId: string,
  input: { name?: string | undefined },
): Promise<ApiKey & { key: string }> {
  checkOrganizationId(organizationId);
  const key = makeApiKey(randomInt);
  const nowMs = deps.clock.now();
  const apiKey: ApiKey = { id: newId(nowMs), name: input.name ?? null, createdAt: new Date(nowMs) };
  const stored = await insertApiKey(deps.db, organizationId, { ...apiKey, keyHash: sha256(key), hint: hintOf(key) });
  if (!stored) throw organizationNotFound();
  return { ...apiKey, key };
}
