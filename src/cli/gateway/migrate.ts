import { readConfig } from '../../config.ts';
import { migrate } from '../../database/migrate.ts';
import { openConfiguredPostgres } from './configured-postgres.ts';
import { openLog } from './open-log.ts';

/** Applies pending migrations to the configured database. */
export async function runMigrate(): Promise<void> {
  const config = readConfig();
  const log = openLog(config.logLevel);
  const { directUrl, stop } = await openConfiguredPostgres(config, log);
  try {
    const applied = await migrate({ connectionString: directUrl, log });
    process.stdout.write(applied.length === 0 ? 'Nothing to do.\n' : `Applied: ${applied.join(', ')}\n`);
  } finally {
    await stop();
  }
}
