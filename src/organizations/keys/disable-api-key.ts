import { AppError } from '../../core/errors.ts';
import { isUuid } from '../../core/ids.ts';
import type { Clock } from '../../core/time/clock.ts';
import { publishChange, publishChanges } from '../../database/changes/change-feed.ts';
import type { Database } from '../../database/database.ts';
import { disableApiKeyById, disableApiKeys } from '../queries.ts';

/** Disables an API key for good; every node refuses it within a second. A repeated call changes nothing. Raises NOT_FOUND. */
export async function disableApiKey(deps: { db: Database; clock: Clock }, apiKeyId: string): Promise<void> {
  const notFound = new AppError('NOT_FOUND', 'There is no API key with this id.');
  if (!isUuid(apiKeyId)) throw notFound;
  await deps.db.transaction(async (tx) => {
    const keyHash = await disableApiKeyById(tx, apiKeyId, new Date(deps.clock.now()));
    if (keyHash === undefined) throw notFound;
    await publishChange(tx, 'api_key', keyHash);
  });
}

/** Disables all API keys of an organization, as `disableApiKey` does. */
export async function disableApiKeysOf(deps: { db: Database; clock: Clock }, organizationId: string): Promise<void> {
  await deps.db.transaction(async (tx) => {
    const keyHashes = await disableApiKeys(tx, organizationId, new Date(deps.clock.now()));
    await publishChanges(tx, 'api_key', keyHashes);
  });
}
