import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createRestartableGateway } from '../harness/restartable-gateway.ts';
import { createTenant } from '../harness/tenant.ts';
import { readSteps } from './documented-steps.ts';
import { startPgpool } from './pgpool-process.ts';
import { PostgresServer, urlOf } from './postgres-server.ts';
import { describeTally, SteadyLoad } from './steady-load.ts';

const PER_SECOND = 40;
const STEADY_MS = 5_000;

/** Sends through Pgpool-II with the documented settings, while PostgreSQL is killed and restarted once. Returns true if every promise was kept. */
export async function runPgpool(): Promise<boolean> {
  const dir = await mkdtemp(join(tmpdir(), 'fairway-pgpool-'));
  const server = await PostgresServer.prepare(dir, 'one');
  await server.create();
  const pooler = await startPgpool(dir, server.port, await readSteps('ini', 'backend_clustering_mode'));
  const gateway = await createRestartableGateway({
    DATABASE_URL: urlOf([{ port: Number(new URL(pooler.baseUrl).port) }]),
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
    console.log(`Pgpool-II: ${describeTally(tally)}`);
    return tally.lost === 0 && tally.doubled === 0;
  } finally {
    await gateway.close();
    await pooler.stop();
    await server.kill();
    await rm(dir, { recursive: true, force: true, maxRetries: 5 });
  }
}
