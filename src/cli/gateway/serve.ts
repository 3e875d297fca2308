import { randomBytes } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { createApp } from '../../app.ts';
import { type Config, readConfig } from '../../config.ts';
import { SteadyClock } from '../../core/time/steady-clock.ts';
import { preparePooler } from '../../database/connection/pooler.ts';
import { migrate } from '../../database/migrate.ts';
import { loadGeneratedSecrets } from '../../generated-secrets.ts';
import { CONNECTIONS_MAX } from '../../http/index.ts';
import { type Simulator, startSimulator } from '../../simulator/index.ts';
import { announceLocalGateway, withdrawLocalGateway } from '../connection/local-gateway.ts';
import { openConfiguredPostgres } from './configured-postgres.ts';
import { inDataDir } from './data-dir.ts';
import { type Demo, setUpDemo } from './demo.ts';
import { openLog } from './open-log.ts';
import { upstreamWarnings } from './upstream-warnings.ts';

/** Time limit of a stop. Unfinished work is then cut off as in a crash, and recovers in the same way. */
const STOP_MS_MAX = 14_000;
/** Time for an aborted start to end by itself; after that, the server it waits for is not answering. */
const START_ENDS_MS_MAX = 2_000;
const SIMULATED_APP_ID = '900000000000001';

/**
 * Runs the gateway until it is stopped. Without a DATABASE_URL it starts the embedded database; without an upstream it starts the simulated
 * platform with a demo tenant.
 */
export async function runServe(stop: AbortSignal): Promise<void> {
  const config = readConfig();
  const log = openLog(config.logLevel);
  const closers: (() => Promise<void>)[] = [];
  const unfit = Promise.withResolvers<never>();
  // It may be rejected during the start, when no handler is attached yet.
  unfit.promise.catch(() => {});
  const close = async () => {
    for (let end = closers.pop(); end !== undefined; end = closers.pop())
      await end().catch((error: unknown) => log.error({ err: error }, 'stopping failed'));
  };
  let cutOff: NodeJS.Timeout | undefined;
  const limitStop = () => {
    cutOff ??= setTimeout(() => {
      log.error('stopping took too long; the process ends now');
      process.exit(1);
    }, STOP_MS_MAX);
  };
  const stopped = stop.aborted ? Promise.resolve() : once(stop, 'abort');
  void stopped.then(limitStop);
  const starting = start(config, log, { stop, onUnfit: unfit.reject }, closers);
  try {
    const banner = await Promise.race([
      starting,
      stopped.then(() => delay(START_ENDS_MS_MAX, undefined, { ref: false })),
    ]);
    if (banner === undefined) throw stop.reason;
    process.stdout.write(banner);
    await Promise.race([stopped, unfit.promise]);
    log.info('stopping');
  } catch (error) {
    // A stop signal may also end child processes the start waits for: a terminal signals the whole group, initdb included.
    if (!stop.aborted) throw error;
    log.info({ reason: error instanceof Error ? error.message : String(error) }, 'stopped while starting');
  } finally {
    limitStop();
    await close();
    // Closing ends the resources of a start that still waits, and so the start. Resources it opens meanwhile are closed next.
    await starting.catch(() => {});
    await close();
    clearTimeout(cutOff);
  }
}

async function start(
  config: Config,
  log: Logger,
  { stop, onUnfit }: { stop: AbortSignal; onUnfit: (reason: Error) => void },
  closers: (() => Promise<void>)[],
): Promise<string> {
  await tryAddress(config);
  const secrets = await inDataDir(config.dataDir, () => loadGeneratedSecrets(config.dataDir, config));
  const postgres = await openConfiguredPostgres(config, log, stop);
  closers.push(() => postgres.stop());
  const { connectionString, directUrl } = postgres;
  const { preparesStatements } = config.database;
  await migrate({ connectionString: directUrl, log, stop });
  if (config.database.directUrl !== null) {
    await preparePooler({ connectionString, directUrl, preparesStatements, log, stop });
  }

  const { upstream } = config;
  const verifyToken = upstream.verifyToken ?? randomBytes(24).toString('base64url');
  const simulated =
    upstream.baseUrl === null
      ? {
          appId: upstream.appId ?? SIMULATED_APP_ID,
          appSecret: upstream.appSecrets[0] ?? randomBytes(24).toString('base64url'),
          verifyToken,
        }
      : undefined;
  const simulator = simulated && (await startSimulator(simulated));
  if (simulator !== undefined) closers.push(() => simulator.close());
  const app = await createApp({
    databaseUrl: connectionString,
    databaseDirectUrl: config.database.directUrl,
    preparesStatements,
    connectionsMax: config.database.connectionsMax,
    alone: config.database.url === null,
    ...secrets,
    upstream: {
      baseUrl: upstream.baseUrl ?? simulator?.baseUrl ?? '',
      isBuiltIn: simulator !== undefined,
      connectionsMax: upstream.connectionsMax,
      appId: simulated?.appId ?? upstream.appId,
      appSecrets: simulated === undefined ? upstream.appSecrets : [simulated.appSecret, ...upstream.appSecrets],
      verifyToken,
      appSecretProof: upstream.appSecretProof,
    },
    fetchAllowCidrs: config.fetchAllowCidrs,
    trustedProxies: config.trustedProxies,
    publicUrl: config.publicUrl,
    oidc: config.oidc,
    docs: config.docs,
    securityContact: config.securityContact,
    roles: config.roles,
    retention: {
      messageDays: config.messageRetentionDays,
      webhookDays: config.webhookRetentionDays,
      auditDays: config.auditRetentionDays,
    },
    onUnfit,
    log,
    clock: new SteadyClock(),
    random: Math.random,
  });
  app.metrics.includeProcess();
  closers.push(() => app.stop());
  await app.start(stop);
  await app.http.listen({ host: config.host, port: config.port, backlog: CONNECTIONS_MAX });
  const baseUrl = urlOf(app.http.server.address() as AddressInfo);
  if (simulator === undefined) return banner(config, baseUrl, undefined);
  simulator.world.setWebhookUrl(`${baseUrl}/webhooks/upstream`);
  const { adminToken } = secrets;
  const { dataDir } = config;
  const demo = await inDataDir(dataDir, () => setUpDemo({ baseUrl, adminToken, dataDir, simulator }));
  closers.push(() => withdrawLocalGateway(dataDir));
  await inDataDir(dataDir, () =>
    announceLocalGateway(dataDir, {
      url: baseUrl,
      api_key: demo.apiKey,
      admin_token: adminToken,
      phone_number_id: demo.phoneNumberId,
      simulator_url: simulator.origin,
    }),
  );
  return banner(config, baseUrl, { ...demo, simulator, consoleUrl: `${baseUrl}${app.consoleLink()}` });
}

/**
 * Throws the reason if the gateway cannot listen on its address; later the process would have taken over work of other nodes already. The
 * test binds the address by a connection to nowhere. With a listener, a client that connects just before its end would be reset
 * instead of trying the next node.
 */
async function tryAddress({ host, port }: Config): Promise<void> {
  try {
    const { address } = await lookup(host);
    await once(connect({ host: address, port: 0, localAddress: address, localPort: port }), 'connect');
  } catch (error) {
    const { syscall, message } = error as NodeJS.ErrnoException;
    if (syscall !== 'connect')
      throw new Error(`The gateway cannot listen where HOST and PORT say: ${message}`, { cause: error });
  }
}

/** URL of the listener for a client on this machine. */
function urlOf({ address, family, port }: AddressInfo): string {
  const host = address === '0.0.0.0' || address === '::' ? '127.0.0.1' : family === 'IPv6' ? `[${address}]` : address;
  return `http://${host}:${port}`;
}

function banner(
  config: Config,
  baseUrl: string,
  demo: (Demo & { simulator: Simulator; consoleUrl: string }) | undefined,
): string {
  const lines = [
    '',
    `Fairway is ready: ${baseUrl}`,
    `  API description  ${baseUrl}/openapi.json`,
    ...(config.adminToken === null ? [`  admin token      in ${config.dataDir}/admin-token`] : []),
  ];
  if (demo === undefined) {
    lines.push(`  upstream         ${config.upstream.baseUrl}`);
    lines.push(...upstreamWarnings(config.upstream).map((warning) => `  WARNING          ${warning}`));
  } else {
    lines.push(
      `  upstream         SIMULATED, development only: ${demo.simulator.baseUrl} (controls under /_sim)`,
      `  console          ${demo.consoleUrl} (signs in once, within an hour)`,
      `  demo API key     ${demo.apiKey}`,
      `  demo number      ${demo.phoneNumberId}`,
      '',
      'In this checkout, send a message and follow it:',
      '',
      `  npx fairway send --to ${demo.recipient} 'Hello from Fairway' --wait`,
      '  npx fairway messages watch',
    );
  }
  return `${lines.join('\n')}\n\n`;
}
