import { randomBytes } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import type { Logger } from 'pino';
import type { AppOptions } from '../../app-options.ts';
import type { Config } from '../../config.ts';
import { preparePooler } from '../../database/connection/pooler.ts';
import { migrate } from '../../database/migrate.ts';
import { type GeneratedSecrets, loadGeneratedSecrets } from '../../generated-secrets.ts';
import { type Simulator, startSimulator } from '../../simulator/index.ts';
import { openConfiguredPostgres } from './configured-postgres.ts';
import { inDataDir } from './data-dir.ts';
import type { StartContext } from './run-until-stopped.ts';

const SIMULATED_APP_ID = '900000000000001';
/** The simulator's dialog takes any configuration. */
const SIMULATED_CONFIG_ID = '900000000000002';

/** Settings of a gateway that can be handed to another process. */
export type GatewaySettings = Omit<AppOptions, 'team' | 'onUnfit' | 'log' | 'clock' | 'random'>;

/** The parts that exist once for an installation, whatever the number of its workers. */
export interface Surroundings {
  secrets: GeneratedSecrets;
  /** The simulated platform, if no other one is configured. */
  simulator: Simulator | undefined;
  /** Settings of a process that does all work. */
  settings: GatewaySettings;
}

/**
 * Checks the address, loads secrets, opens and migrates the database, and starts the simulated platform if no other one is configured.
 */
export async function openSurroundings(
  config: Config,
  log: Logger,
  { stop, closers }: Pick<StartContext, 'stop' | 'closers'>,
): Promise<Surroundings> {
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
  const settings: GatewaySettings = {
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
      signupConfigId: simulated === undefined ? upstream.signupConfigId : SIMULATED_CONFIG_ID,
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
  };
  return { secrets, simulator, settings };
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
export function urlOf({ address, family, port }: AddressInfo): string {
  const host = address === '0.0.0.0' || address === '::' ? '127.0.0.1' : family === 'IPv6' ? `[${address}]` : address;
  return `http://${host}:${port}`;
}
