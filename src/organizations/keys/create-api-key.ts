import { sha256 } from '../../core/digest.ts';
import { newId } from '../../core/ids.ts';
import type { Clock } from '../../core/time/clock.ts';
import type { Queryable } from '../../database/database.ts';
import { hintOf, makeToken } from '../../http/index.ts';
import { getOrganization } from '../get-organization.ts';
import { organizationNotFound } from '../organization-not-found.ts';
import { checkLimits } from './check-limits.ts';
import { keyPrefixOf } from './key-prefix.ts';
import { type ApiKey, insertApiKey, type KeyChange } from './key-queries.ts';

/**
 * Issues an API key. `key` is the secret itself; it cannot be read again, because only its hash is stored. Absent limits do not limit.
 * Raises NOT_FOUND, and VALIDATION_ERROR for limits that no key can have.
 */
export async function createApiKey(
  deps: { db: Queryable; clock: Clock },
  organizationId: string,
  input: KeyChange,
): Promise<ApiKey & { key: string }> {
  const { test } = await getOrganization(deps, organizationId);
  await checkLimits(deps, organizationId, input);
  const prefix = keyPrefixOf(test);
  const key = makeToken(prefix);
  const nowMs = deps.clock.now();
  const apiKey: ApiKey = {
    id: newId(nowMs),
    name: input.name ?? null,
    hint: hintOf(prefix, key),
    createdAt: new Date(nowMs),
    disabledAt: null,
    scopes: input.scopes ?? null,
    phoneNumberIds: input.phoneNumberIds ?? null,
    sourceRanges: input.sourceRanges ?? null,
    expiresAt: input.expiresAt ?? null,
    messagesPerMinute: input.messagesPerMinute ?? null,
    previousUntil: null,
    lastUsedAt: null,
  };
  const stored = await insertApiKey(deps.db, organizationId, { ...apiKey, keyHash: sha256(key) });
  if (!stored) throw organizationNotFound();
  return { ...apiKey, key };
}
