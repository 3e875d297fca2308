import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { type Accounts, accountRoutes, createAccounts, followAccountChanges } from './accounts/index.ts';
import { createWindows } from './conversations/index.ts';
import type { Clock } from './core/clock.ts';
import { newId } from './core/ids.ts';
import { createSecretBox } from './core/secret-box.ts';
import { createChangeFeed } from './database/change-feed.ts';
import { type Database, openDatabase } from './database/database.ts';
import { Dispatcher, explainWaiting, queueRoutes } from './dispatch/index.ts';
import { createEgress } from './egress/index.ts';
import { EventWatch, eventRoutes, webhookOperations } from './events/index.ts';
import { createHttpServer, type HttpServer, healthRoutes, requireAdminToken, requireApiKey } from './http/index.ts';
import { inboundWebhookRoutes, PayloadReceiver, upstreamJournalRoutes } from './inbound-webhooks/index.ts';
import { Chores, DEFAULT_RETENTION, preparePartitions, type Retention, scheduleMaintenance } from './maintenance.ts';
import { createMedia, mediaRoutes } from './media/index.ts';
import { applyEarlyStatuses, createMessageWriter, messageRoutes, OutcomeWaiters } from './messages/index.ts';
import { nodeRoutes } from './nodes/index.ts';
import { createKeyring, createOrganizationSettings, createPlans, organizationRoutes } from './organizations/index.ts';
import { createTemplates, followTemplateChanges, ReviewPoll, templateRoutes } from './templates/index.ts';
import { timelineRoutes } from './timeline/index.ts';
import { createUpstream } from './upstream/index.ts';

export interface AppOptions {
  databaseUrl: string;
  connectionsMax?: number;
  /** This process is alone on its database. */
  alone: boolean;
  encryptionKey: Buffer;
  adminToken: string;
  upstream: {
    baseUrl: string;
    connectionsMax?: number;
    appId: string | undefined;
    appSecrets: readonly string[];
    verifyToken: string;
  };
  /** Private ranges that fetches of foreign URLs may reach; none when absent. */
  fetchAllowCidrs?: readonly string[];
  /** Longest time a client may take to send one request; the HTTP server's own default when absent. */
  requestTimeoutMs?: number;
  /** How long history is kept; 90 days of messages and 14 of webhooks when absent. */
  retention?: Retention;
  /** Where uploads wait on disk; a private directory under the system's temporary one when absent. */
  spoolDir?: string;
  log: Logger;
  clock: Clock;
  random: () => number;
}

/** A gateway, built but not started. */
export interface App {
  http: HttpServer;
  db: Database;
  accounts: Accounts;
  nodeId: string;
  /** Starts dispatching and the background work. The server is not listening yet. */
  start(): Promise<void>;
  /** Ends in order: no new requests, requests in flight answered, what is in flight upstream ended, everything written down. */
  stop(): Promise<void>;
}

const EARLY_SWEEP_MS = 1_000;
const EARLY_SWEEP_SPAN_MS = 10 * 60 * 1000;
const DRAIN_MS = 10_000;

/** Named after the user, because a directory of another user's would be refused. */
function defaultSpoolDir(): string {
  return join(tmpdir(), `fairway-uploads-${process.getuid?.() ?? 'user'}`);
}

/** Builds a gateway: the only place that knows every module. */
export async function createApp(options: AppOptions): Promise<App> {
  const { log, clock, random } = options;
  const nodeId = newId();
  const db = openDatabase({
    connectionString: options.databaseUrl,
    connectionsMax: options.connectionsMax ?? 16,
    onIdleError: (error) => log.warn({ err: error }, 'idle database connection lost'),
  });
  const changes = createChangeFeed({ db, clock, log });
  const upstream = createUpstream({
    baseUrl: options.upstream.baseUrl,
    appId: options.upstream.appId ?? null,
    clock,
    log,
    connectionsMax: options.upstream.connectionsMax ?? 1024,
  });
  const egress = createEgress({ allowCidrs: options.fetchAllowCidrs ?? [], clock });
  const secretBox = createSecretBox(options.encryptionKey);
  const accounts = createAccounts({ db, changes, secretBox, clock });
  const keyring = createKeyring({ db, changes });
  const plans = createPlans({ db, changes });
  const settings = createOrganizationSettings({ db, changes });
  const templates = createTemplates({ db, changes, clock, accounts, upstream });
  const media = createMedia({ db, clock, accounts, upstream, spoolDir: options.spoolDir ?? defaultSpoolDir() });
  const windows = createWindows({ db, clock });
  const waiters = new OutcomeWaiters({ db, clock });

  const sweepEarly = async (sinceMs: number) => {
    while ((await applyEarlyStatuses(db, sinceMs)) > 0) {
      // until none is left
    }
  };
  const sweepRecent = () => {
    sweepEarly(clock.now() - EARLY_SWEEP_SPAN_MS).catch((error) =>
      log.warn({ err: error }, 'early statuses not applied'),
    );
  };
  const dispatcher = new Dispatcher({
    db,
    clock,
    log,
    random,
    nodeId,
    alone: options.alone,
    accounts,
    settings,
    upstream,
    onSettled: ({ messageId, outcome }) => waiters.settle(messageId, outcome),
    applyEarlyStatuses: sweepRecent,
  });
  changes.on(
    'number',
    (phoneNumberId) => dispatcher.numberChanged(phoneNumberId),
    () => dispatcher.allNumbersChanged(),
  );
  const writer = createMessageWriter({ db, clock, nodeId, queue: dispatcher });
  const receiver = new PayloadReceiver({
    db,
    clock,
    log,
    accounts,
    followers: [followTemplateChanges, followAccountChanges],
    inboundCounted: (numberId, count) => dispatcher.countInbound(numberId, count),
  });

  const reviewPoll = new ReviewPoll({ db, clock, log, accounts, upstream });

  const watch = new EventWatch({ db, clock, log });

  const requestPrefix = nodeId.slice(-6);
  let requests = 0;
  const http = await createHttpServer({
    log,
    webhooks: webhookOperations(),
    newRequestId: () => {
      requests += 1;
      return `${requestPrefix}-${requests.toString(36)}`;
    },
    ...(options.requestTimeoutMs !== undefined && { requestTimeoutMs: options.requestTimeoutMs }),
  });
  await http.register(async (scope) => {
    scope.addHook('onRequest', requireApiKey(keyring.authenticate));
    messageRoutes(scope, { db, clock, accounts, plans, settings, templates, windows, writer, waiters, upstream });
    eventRoutes(scope, { db, clock, watch, getNumber: accounts.getNumber });
    timelineRoutes(scope, { db, explainWaiting: (numberId) => explainWaiting(dispatcher, numberId) });
    templateRoutes(scope, { db, clock, accounts, upstream, egress });
    await mediaRoutes(scope, media);
    nodeRoutes(scope, media);
  });
  await http.register(async (scope) => {
    scope.addHook('onRequest', requireAdminToken(options.adminToken));
    organizationRoutes(scope, { db, clock });
    accountRoutes(scope, { db, clock, secretBox, upstream });
    queueRoutes(scope, { db, dispatcher });
    upstreamJournalRoutes(scope, { db });
  });
  let ready = false;
  healthRoutes(http, { isReady: async () => ready && (await isReachable(db)) });
  inboundWebhookRoutes(http, {
    receiver,
    appSecrets: options.upstream.appSecrets,
    verifyToken: options.upstream.verifyToken,
  });

  const chores = new Chores({ clock, log });
  const maintenance = { db, clock, media, retention: options.retention ?? DEFAULT_RETENTION };

  return {
    http,
    db,
    accounts,
    nodeId,
    async start() {
      await preparePartitions(maintenance);
      await media.spool.sweep(clock.now());
      await changes.start();
      await dispatcher.start();
      await sweepEarly(0);
      receiver.start();
      reviewPoll.start();
      ready = true;
      scheduleMaintenance(chores, maintenance);
      chores.every(EARLY_SWEEP_MS, () => sweepEarly(clock.now() - EARLY_SWEEP_SPAN_MS));
    },
    async stop() {
      ready = false;
      chores.stop();
      const pollEnded = reviewPoll.stop();
      // Downloads can take longer than a stop may; what waits for one is answered 503.
      await egress[Symbol.asyncDispose]();
      // Who waits for events is answered, or closing would wait for them.
      await watch.stop();
      await http.close();
      await receiver.stop();
      await dispatcher.stop(DRAIN_MS);
      await upstream.close(1_000);
      await pollEnded;
      await changes.stop();
      await db.close();
    },
  };
}

async function isReachable(db: Database): Promise<boolean> {
  try {
    await db.query({ text: 'SELECT 1' });
    return true;
  } catch {
    return false;
  }
}
