import type { Logger } from 'pino';
import type { Config } from '../../config.ts';
import { startEmbeddedPostgres } from '../../embedded-postgres/index.ts';
import { inDataDir } from './data-dir.ts';

export interface ConfiguredPostgres {
  connectionString: string;
  /** Leads to the server itself, past the pooler to which `connectionString` may lead. */
  directUrl: string;
  stop(): Promise<void>;
}

/**
 * Returns the PostgreSQL that `config` names, or starts the embedded one with the settings `config` requires. Dispose it with `stop()`.
 * Rejects soon after `stop` aborts.
 */
export async function openConfiguredPostgres(
  { database, dataDir, messageRetentionDays: messageDays }: Config,
  log: Logger,
  stop?: AbortSignal,
): Promise<ConfiguredPostgres> {
  if (database.url !== null) {
    const { url, directUrl } = database;
    return { connectionString: url, directUrl: directUrl ?? url, stop: async () => {} };
  }
  const options = { dataDir, log, messageDays, connections: database.connectionsMax, stop };
  const server = await inDataDir(dataDir, () => startEmbeddedPostgres(options));
  return { connectionString: server.connectionString, directUrl: server.connectionString, stop: () => server.stop() };
}
