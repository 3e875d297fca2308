import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createRestartableGateway } from '../harness/restartable-gateway.ts';
import { createTenant, until } from '../harness/tenant.ts';
import { PostgresServer, urlOf } from './postgres-server.ts';
import { startPrimaryProxy } from './proxy-process.ts';
import { describeTally, SteadyLoad } from './steady-load.ts';

const PER_SECOND = 40;
const STEADY_MS = 1_500;
/** Time for which an asynchronous standby lags behind before the primary is killed. */
const LAG_MS = 700;
const BACK_MS_MAX = 10_000;

/**
 * Kills the primary of three servers under load, promotes the standby with the latest changes, and makes the killed server a standby again,
 * `count` times. With `synchronous`, one of the standbys confirms each commit; otherwise the standbys lag when the primary is killed. With
 * `proxied`, the gateway knows HAProxy alone, which leads to the server that takes writes.
 * Returns true if every promise was kept.
 */
export async function runFailovers(options: {
  count: number;
  synchronous: boolean;
  proxied?: boolean;
}): Promise<boolean> {
  const { count, synchronous, proxied = false } = options;
  const dir = await mkdtemp(join(tmpdir(), 'fairway-failovers-'));
  const servers = await Promise.all(['one', 'two', 'three'].map((name) => PostgresServer.prepare(dir, name)));
  const proxy = proxied
    ? await startPrimaryProxy(
        dir,
        servers.map(({ port }) => port),
      )
    : undefined;
  const gateway = await createRestartableGateway({
    DATABASE_URL: proxy === undefined ? urlOf(servers) : urlOf([{ port: Number(new URL(proxy.baseUrl).port) }]),
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    ADMIN_TOKEN: 'operator',
  });
  try {
    let [primary, ...standbys] = servers as [PostgresServer, ...PostgresServer[]];
    await primary.create();
    if (proxied) await primary.query('CREATE ROLE haproxy LOGIN', 'postgres');
    for (const standby of standbys) await standby.follow(primary, servers);
    await untilFollowed(primary, 2);
    // Not before: without a standby no commit would end.
    if (synchronous) for (const server of servers) await server.reconfigure({ synchronous_standby_names: 'ANY 1 (*)' });
    const served = await gateway.start();
    const ended = served.ended.then(({ code, signal }) => `the gateway ended (${code ?? signal})`);
    const tenant = await createTenant(served);
    const load = new SteadyLoad([served], tenant, PER_SECOND);
    const backMs: number[] = [];
    for (let round = 1; round <= count; round += 1) {
      await delay(STEADY_MS);
      if (!synchronous) {
        await primary.silenceReplication();
        await delay(LAG_MS);
      }
      const killed = primary;
      await killed.kill();
      primary = await latestOf(standbys);
      await primary.promote();
      const outcome = await Promise.race([load.nextAccepted(), ended]);
      if (typeof outcome === 'string') throw new Error(outcome);
      backMs.push(outcome);
      const reported = await readLost(served.baseUrl, served.adminToken);
      console.log(
        `failover ${round}: to ${primary.name}, accepted again ${Math.round(outcome)} ms after the promotion, ${reported} reported as lost`,
      );
      standbys = servers.filter((server) => server !== primary);
      await killed.follow(primary, servers);
      await untilFollowed(primary, 2);
    }
    await delay(STEADY_MS);
    const tally = await load.stop();
    const reported = await readLost(served.baseUrl, served.adminToken);
    console.log(
      `${count} failovers, ${synchronous ? 'synchronous' : 'asynchronous'} standbys${proxied ? ' behind HAProxy' : ''}: ${describeTally(tally)}`,
    );
    console.log(
      `reported as lost: ${reported}; longest time from promotion to 202: ${Math.round(Math.max(...backMs))} ms`,
    );
    const isPrompt = Math.max(...backMs) <= BACK_MS_MAX;
    return (
      isPrompt && tally.doubled === 0 && (synchronous ? tally.lost === 0 && reported === 0 : tally.lost <= reported)
    );
  } finally {
    await gateway.close();
    await proxy?.stop();
    for (const server of servers) await server.kill();
    await rm(dir, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function untilFollowed(primary: PostgresServer, count: number): Promise<void> {
  const text = "SELECT count(*)::int AS count FROM pg_stat_replication WHERE state = 'streaming'";
  await until(`${count} standbys follow ${primary.name}`, async () => {
    const [row] = await primary.query<{ count: number }>(text, 'postgres');
    return row !== undefined && row.count >= count ? true : undefined;
  });
}

/** The standby with the latest changes. */
async function latestOf(standbys: readonly PostgresServer[]): Promise<PostgresServer> {
  const text = "SELECT (pg_last_wal_receive_lsn() - '0/0')::float8 AS position";
  const positions = await Promise.all(
    standbys.map(async (server) => ({
      server,
      position: (await server.query<{ position: number }>(text, 'postgres'))[0]?.position ?? 0,
    })),
  );
  const [latest] = positions.sort((a, b) => b.position - a.position);
  if (latest === undefined) throw new Error('no standby');
  return latest.server;
}

/** The gateway's own count of accepted messages that are missing. */
async function readLost(baseUrl: string, adminToken: string): Promise<number> {
  const answer = await fetch(`${baseUrl}/metrics`, { headers: { authorization: `Bearer ${adminToken}` } });
  return Number(/^fairway_accepted_messages_lost_total\{[^}]*\} (\d+)$/m.exec(await answer.text())?.[1] ?? Number.NaN);
}
