import { readConfig } from '../config.ts';
import { startEmbeddedPostgres } from '../database/embedded/index.ts';
import { migrate } from '../database/migrate.ts';
import { openLog } from './open-log.ts';

/** Applies what is missing of the schema to the configured database. */
export async function runMigrate(): Promise<void> {
  const config = readConfig();
  const log = openLog(config.logLevel);
  const embedded =
    config.database.url === null ? await startEmbeddedPostgres({ dataDir: config.dataDir, log }) : undefined;
  try {
    const applied = await migrate({ connectionString: config.database.url ?? embedded?.connectionString ?? '', log });
    process.stdout.write(applied.length === 0 ? 'Nothing to do.\n' : `Applied: ${applied.join(', ')}\n`);
  } finally {
    await embedded?.stop();
  }
}
