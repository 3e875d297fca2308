import { randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import pino from 'pino';
import { type App, createApp } from '../../src/app.ts';
import type { AppOptions } from '../../src/app-options.ts';
import { readConfig } from '../../src/config.ts';
import { type Clock, systemClock } from '../../src/core/time/clock.ts';
import { CONNECTIONS_MAX } from '../../src/http/index.ts';
import type { Role } from '../../src/roles.ts';
import { type Simulator, type SimulatorOptions, startSimulator } from '../../src/simulator/index.ts';
import { createTestDatabase } from './database.ts';
import { watchAnswers } from './documented-answers.ts';

export interface Gateway {
  baseUrl: string;
  app: App;
  simulator: Simulator;
  adminToken: string;
  encryptionKeys: readonly Buffer[];
  connectionString: string;
  stop(): Promise<void>;
}

export interface GatewayOptions {
  /** The gateway's clock, and the simulated platform's unless it gets its own. Default: the system's. */
  clock?: Clock;
  /** True if other nodes will share its database. */
  isOneOfSeveral?: boolean;
  /** Roles of the process; all if absent. */
  roles?: readonly Role[];
  /** Longest time a client may take to send one request. */
  requestTimeoutMs?: number;
  /** Secrets that may sign webhooks, besides the simulated platform's own. */
  moreAppSecrets?: readonly string[];
  simulator?: Partial<SimulatorOptions>;
  /** True if the tests post all webhooks of the platform, which itself posts none. */
  postsOwnWebhooks?: boolean;
  /** Highest number of connections to the platform. */
  upstreamConnectionsMax?: number;
  /** True if it proves to the platform that it knows the app's secret. */
  appSecretProof?: boolean;
  /** Port of its listener; any free one if absent. */
  port?: number;
  /** Settings in place of the usual ones. */
  settings?: (usual: AppOptions) => Partial<AppOptions>;
  /** URL under which clients reach it. */
  publicUrl?: string;
  /** False if the reference is off. */
  docs?: boolean;
  /** Private ranges that fetches of foreign URLs may reach. */
  fetchAllowCidrs?: readonly string[];
  /** Returns the connection string that the gateway gets instead of the database's own, for a proxy in between. */
  reachDatabase?: (connectionString: string) => Promise<string>;
  /** True if `reachDatabase` returns the address of a pooler that does not track prepared statements. */
  isBehindPooler?: boolean;
}

/** Starts a further node of a gateway that was started as one of several: same database, same platform. */
export async function startFurtherNode(
  first: Gateway,
  options: Pick<GatewayOptions, 'clock' | 'roles' | 'reachDatabase' | 'fetchAllowCidrs'> = {},
): Promise<Gateway> {
  const { app, baseUrl, stop } = await startNode(first, options);
  return { ...first, app, baseUrl, stop };
}

/** The configuration of a gateway without any settings. */
const DEFAULTS = readConfig({});

/** The Meta app all test gateways belong to. */
export const UPSTREAM_APP = { appId: '880011223344', appSecret: 'test-app-secret', verifyToken: 'test-verify-token' };

/**
 * Starts a whole gateway on real sockets: its own database, its own simulated platform, webhooks enabled. Its stop fails if an answer
 * contradicted the OpenAPI file.
 */
export async function startGateway(options: GatewayOptions = {}): Promise<Gateway> {
  const { clock = systemClock } = options;
  const database = await createTestDatabase();
  const simulator = await startSimulator({
    ...UPSTREAM_APP,
    clock,
    statusLatencyMs: { sent: 5, delivered: 10, read: 15 },
    ...options.simulator,
  });
  const encryptionKeys = [randomBytes(32)];
  const adminToken = randomBytes(24).toString('base64url');
  const { connectionString } = database;
  const shared = { simulator, adminToken, encryptionKeys, connectionString };
  const giveUp = async (error: unknown) => {
    await simulator.close();
    await database.drop();
    throw error;
  };
  const alone = options.isOneOfSeveral !== true;
  const { app, baseUrl, stop } = await startNode(shared, { ...options, alone }).catch(giveUp);
  if (options.postsOwnWebhooks !== true) simulator.world.setWebhookUrl(`${baseUrl}/webhooks/upstream`);
  return {
    ...shared,
    baseUrl,
    app,
    async stop() {
      await simulator.close();
      await stop().finally(() => database.drop());
    },
  };
}

async function startNode(
  shared: Pick<Gateway, 'simulator' | 'adminToken' | 'encryptionKeys' | 'connectionString'>,
  options: GatewayOptions & { alone?: boolean },
): Promise<Pick<Gateway, 'app' | 'baseUrl' | 'stop'>> {
  const { simulator, adminToken, encryptionKeys, connectionString } = shared;
  const { alone = false, clock = systemClock, moreAppSecrets = [], roles = DEFAULTS.roles } = options;
  const usual: AppOptions = {
    databaseUrl: (await options.reachDatabase?.(connectionString)) ?? connectionString,
    databaseDirectUrl: options.isBehindPooler === true ? connectionString : null,
    preparesStatements: options.isBehindPooler !== true,
    connectionsMax: DEFAULTS.database.connectionsMax,
    alone,
    encryptionKeys,
    adminToken,
    upstream: {
      baseUrl: simulator.baseUrl,
      isBuiltIn: false,
      connectionsMax: options.upstreamConnectionsMax ?? DEFAULTS.upstream.connectionsMax,
      appId: UPSTREAM_APP.appId,
      signupConfigId: '770011223344',
      appSecrets: [UPSTREAM_APP.appSecret, ...moreAppSecrets],
      verifyToken: UPSTREAM_APP.verifyToken,
      appSecretProof: options.appSecretProof ?? DEFAULTS.upstream.appSecretProof,
    },
    fetchAllowCidrs: options.fetchAllowCidrs ?? DEFAULTS.fetchAllowCidrs,
    trustedProxies: DEFAULTS.trustedProxies,
    publicUrl: options.publicUrl ?? DEFAULTS.publicUrl,
    docs: options.docs ?? DEFAULTS.docs,
    oidc: DEFAULTS.oidc,
    securityContact: DEFAULTS.securityContact,
    retention: {
      messageDays: DEFAULTS.messageRetentionDays,
      webhookDays: DEFAULTS.webhookRetentionDays,
      auditDays: DEFAULTS.auditRetentionDays,
    },
    roles,
    drainGraceMs: 0,
    ...(options.requestTimeoutMs !== undefined && { requestTimeoutMs: options.requestTimeoutMs }),
    onUnfit: (reason) => {
      throw reason;
    },
    log: pino({ level: process.env.TEST_LOG_LEVEL ?? 'silent' }),
    clock,
    random: Math.random,
  };
  const app = await createApp({ ...usual, ...options.settings?.(usual) });
  try {
    await app.start();
    await app.http.listen({ host: '127.0.0.1', port: options.port ?? 0, backlog: CONNECTIONS_MAX });
  } catch (error) {
    // Open resources would keep the test's process from ending.
    await app.stop();
    throw error;
  }
  // Without the API role the process describes no operations.
  const assertDocumented = roles.includes('api') ? watchAnswers(app.http) : () => {};
  const { port } = app.http.server.address() as AddressInfo;
  return {
    app,
    baseUrl: `http://127.0.0.1:${port}`,
    async stop() {
      await app.stop();
      assertDocumented();
    },
  };
}
