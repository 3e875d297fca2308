import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSteps } from './documented-steps.ts';
import { embeddedInstallation, type Installation, OLDEST, packagedInstallations } from './installations.ts';
import { runMove } from './moves.ts';
import { PostgresServer } from './postgres-server.ts';

/** Locale of each copy; the original has `C`. */
const NEW_LOCALE = process.env.TEST_LOCALE || 'C.UTF-8';

/**
 * Moves a gateway by dump and restore: from PostgreSQL 15 into each newer one, and within each version that has client programs into
 * another locale. Returns true if every promise was kept.
 */
export async function runDumps(): Promise<boolean> {
  const packaged = packagedInstallations();
  const newer = [...packaged.filter(({ major }) => major > OLDEST.major), await embeddedInstallation()];
  const pairs = [...newer.map((to) => [OLDEST, to] as const), ...packaged.map((one) => [one, one] as const)];
  const steps = await readSteps('sh', 'pg_restore');
  let isKept = true;
  for (const [from, to] of pairs) {
    // Programs of a version newer than both servers write commands that the new server does not know.
    const clients = packaged.findLast(({ major }) => major <= to.major) ?? from;
    isKept &&= await withServers(from, to, async (source, target, name) => {
      await source.create();
      await target.createEmpty();
      const move = async () => {
        await source.shell(
          steps,
          {
            DATABASE_URL: source.url,
            NEW_DATABASE_URL: target.url,
            NEW_SUPERUSER_URL: target.superuserUrl,
            NEW_LOCALE,
          },
          clients.dir,
        );
        await source.stop();
      };
      return await runMove(`dump and restore, ${name}, locale C → ${NEW_LOCALE}`, source, target, move);
    });
  }
  return isKept;
}

/** Moves a gateway by `pg_upgrade` from PostgreSQL 15 to each newer one of Debian's packages. Returns true if every promise was kept. */
export async function runPgUpgrades(): Promise<boolean> {
  const newer = packagedInstallations().filter(({ major }) => major > OLDEST.major);
  if (newer.length === 0) console.log('no newer package than postgresql-15 is installed beside it');
  const [upgrade, analyze] = [await readSteps('sh', 'pg_upgrade'), await readSteps('sh', 'vacuumdb')];
  let isKept = newer.length > 0;
  for (const to of newer) {
    isKept &&= await withServers(OLDEST, to, async (source, target, name) => {
      await source.create();
      const move = async () => {
        await source.stop();
        await target.shell(upgrade, {
          OLD_BIN: join(source.installation, 'bin'),
          NEW_BIN: join(target.installation, 'bin'),
          OLD_DATA: source.dir,
          NEW_DATA: target.dir,
          LOCALE: 'C',
        });
        await target.adopt();
        await target.shell(analyze, { PGHOST: '127.0.0.1', PGPORT: String(target.port), PGUSER: 'postgres' });
      };
      return await runMove(`pg_upgrade, ${name}`, source, target, move);
    });
  }
  return isKept;
}

async function withServers(
  from: Installation,
  to: Installation,
  work: (source: PostgresServer, target: PostgresServer, name: string) => Promise<boolean>,
): Promise<boolean> {
  const dir = await mkdtemp(join(tmpdir(), 'fairway-upgrades-'));
  const source = await PostgresServer.prepare(dir, 'source', from.dir);
  const target = await PostgresServer.prepare(dir, 'target', to.dir);
  try {
    return await work(source, target, `${from.major} → ${to.major}`);
  } finally {
    for (const server of [source, target]) await server.kill();
    await rm(dir, { recursive: true, force: true, maxRetries: 5 });
  }
}
