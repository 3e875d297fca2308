import type { Logger } from 'pino';
import type { Config } from '../../config.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../embedded-postgres/index.ts';
import { inDataDir } from './data-dir.ts';

/**
 * Returns the PostgreSQL that `config` names, or starts the embedded one with the settings `config` requires. Dispose it with `stop()`.
 * Rejects soon after `stop` aborts.
 */
export async function openConfiguredPostgres(
  { database, dataDir, messageRetentionDays: messageDays }: Config,
  log: Logger,
  stop?: AbortSignal,
): Promise<Pick<EmbeddedPostgres, 'connectionString' | 'stop'>> {
  if (database.url !== null) return { connectionString: database.url, stop: async () => {} };
  const options = { dataDir, log, messageDays, connections: database.connectionsMax, stop };
  return await inDataDir(dataDir, () => startEmbeddedPostgres(options));
}
