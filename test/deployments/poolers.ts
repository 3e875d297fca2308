import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createRestartableGateway } from '../harness/restartable-gateway.ts';
import { createTenant } from '../harness/tenant.ts';
import { startPgBouncer } from '../support/pgbouncer.ts';
import { PostgresServer } from './postgres-server.ts';
import { describeTally, SteadyLoad } from './steady-load.ts';

const PER_SECOND = 40;
const STEADY_MS = 10_000;

/**
 * Sends through PgBouncer, in transaction mode and in session mode, while PostgreSQL is killed and restarted once. Returns true if every
 * promise was kept.
 */
export async function runPoolers(): Promise<boolean> {
  let isKept = true;
  for (const poolMode of ['transaction', 'session'] as const) {
    const dir = await mkdtemp(join(tmpdir(), 'fairway-poolers-'));
    const server = await PostgresServer.prepare(dir, 'one');
    await server.create();
    const pooler = await startPgBouncer(server.url, { poolMode, poolSize: poolMode === 'session' ? 40 : 8 });
    const gateway = await createRestartableGateway({
      DATABASE_URL: pooler.url,
      DATABASE_DIRECT_URL: server.url,
      DATABASE_PREPARED_STATEMENTS: 'off',
      ENCRYPTION_KEY: randomBytes(32).toString('base64'),
      ADMIN_TOKEN: 'operator',
    });
    try {
      const served = await gateway.start();
      const load = new SteadyLoad([served], await createTenant(served), PER_SECOND);
      await delay(STEADY_MS);
      await server.kill();
      await server.start();
      await delay(STEADY_MS);
      const tally = await load.stop();
      console.log(`PgBouncer, ${poolMode} mode: ${describeTally(tally)}`);
      isKept &&= tally.lost === 0 && tally.doubled === 0;
    } finally {
      await gateway.close();
      await pooler.stop();
      await server.kill();
      await rm(dir, { recursive: true, force: true, maxRetries: 5 });
    }
  }
  return isKept;
}
