import { AsyncLocalStorage } from 'node:async_hooks';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from 'pino';
import {
  type Accounts,
  accountFollower,
  checkEncryptionKey,
  createAccounts,
  findForgottenPlatform,
  platformOf,
  resealTokens,
} from './accounts/index.ts';
import { createOverloadGate, createQueueBounds, createRateLimits } from './admission/index.ts';
import { createWindows } from './conversations/index.ts';
import { newId } from './core/ids.ts';
import { ByteBudget } from './core/limits/byte-budget.ts';
import { Chores } from './core/run/chores.ts';
import { createSecretBox } from './core/secret-box.ts';
import type { Clock } from './core/time/clock.ts';
import { createChangeFeed } from './database/changes/change-feed.ts';
import { boundDatabase } from './database/connection/bound-database.ts';
import { checkClock } from './database/connection/check-clock.ts';
import { checkLocks } from './database/connection/check-locks.ts';
import { Reachability } from './database/connection/reachability.ts';
import { type Database, openDatabase } from './database/database.ts';
import { Dispatcher, InboundNews, showQueue } from './dispatch/index.ts';
import { createEgress } from './egress/index.ts';
import { EventWatch, webhookOperations } from './events/index.ts';
import { createHttpServer, drainServer, type HttpServer } from './http/index.ts';
import { PayloadReceiver } from './inbound-webhooks/index.ts';
import { preparePartitions, type Retention, scheduleMaintenance } from './maintenance.ts';
import { createMedia } from './media/index.ts';
import { createMessageWriter, createTemplateRefusals, EarlyStatuses, OutcomeWaiters } from './messages/index.ts';
import { createKeyring, createOrganizationSettings, createPlans } from './organizations/index.ts';
import { OutboundWebhooks, resealWebhookSecrets } from './outbound-webhooks/index.ts';
import { registerRoutes } from './register-routes.ts';
import { catchUpWithDump } from './restored-dump.ts';
import type { Role } from './roles.ts';
import { Spool } from './spool/index.ts';
import { createMetrics, createTracing, EventLoopDelay, type Metrics } from './telemetry/index.ts';
import { createTemplates, ReviewPoll, templateFollower } from './templates/index.ts';
import { createUpstream } from './upstream/index.ts';

export interface AppOptions {
  databaseUrl: string;
  connectionsMax: number;
  /** True if this process is alone on its database. */
  alone: boolean;
  /** Keys of 32 bytes each; the first one seals. */
  encryptionKeys: readonly Buffer[];
  adminToken: string;
  upstream: {
    baseUrl: string;
    /** True for the simulator of this process, which other processes do not know. */
    isBuiltIn: boolean;
    connectionsMax: number;
    appId: string | null;
    appSecrets: readonly string[];
    verifyToken: string;
    /** True if the app requires a proof of its first secret with every call. */
    appSecretProof: boolean;
  };
  /** Base URL for clients, without a trailing slash; `null` uses the address of each request. */
  publicUrl: string | null;
  /** Private ranges that fetches of foreign URLs may reach. */
  fetchAllowCidrs: readonly string[];
  /** Longest time a client may take to send one request; the HTTP server's own default when absent. */
  requestTimeoutMs?: number;
  retention: Retention;
  /** Roles of this process. Without `api` it serves only health and metrics. */
  roles: readonly Role[];
  /** Time in ms for which clients may keep using their connections during a stop; 2 s when absent. */
  drainGraceMs?: number;
  /** Called with the reason if this process must not go on. The caller must then stop it. */
  onUnfit: (reason: Error) => void;
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
  metrics: Metrics;
  /** Starts dispatching and background work; the server does not listen yet. Long steps are abandoned when `stop` aborts. */
  start(stop?: AbortSignal): Promise<void>;
  /** Stops in order: no new requests, requests in flight answered, sends in flight ended, all results written. */
  stop(): Promise<void>;
}

/** Time limits of a stop. It takes at most their sum and two seconds, within the 15 s that operators are promised. */
const DRAIN_GRACE_MS = 2_000;
const ANSWER_MS = 3_000;
const DRAIN_MS = 7_000;
const BODY_BYTES_MAX = 64 * 1024 * 1024;
/** Time for deliveries in flight to end; a delivery without an answer is repeated after the next start. */
const DELIVERY_GRACE_MS = 2_000;
const EARLY_STATUSES_MS = 2_000;

/** Directory of files in transit. Its name contains the user's id, because another user's directory would be refused. */
function spoolDir(): string {
  return join(tmpdir(), `fairway-uploads-${process.getuid?.() ?? 'user'}`);
}

/** Builds a gateway. This is the only place that knows every module. */
export async function createApp(options: AppOptions): Promise<App> {
  const { log, clock, random, publicUrl, connectionsMax, retention } = options;
  const nodeId = newId(clock.now());
  const roles = new Set(options.roles);
  const metrics = createMetrics();
  const tracing = createTracing();
  const eventLoopDelay = new EventLoopDelay();
  const db = openDatabase({
    connectionString: options.databaseUrl,
    connectionsMax,
    onIdleError: (error) => log.warn({ err: error }, 'idle database connection lost'),
    onBreak() {
      changes.doubt();
      dispatcher.connectionBroke();
    },
  });
  const changes = createChangeFeed({ db, clock, log });
  const upstream = createUpstream({
    baseUrl: options.upstream.baseUrl,
    appId: options.upstream.appId,
    provenAppSecret: options.upstream.appSecretProof ? (options.upstream.appSecrets[0] ?? null) : null,
    clock,
    log,
    connectionsMax: options.upstream.connectionsMax,
  });
  const egress = createEgress({ allowCidrs: options.fetchAllowCidrs, clock });
  const secretBox = createSecretBox(options.encryptionKeys);
  const platform = platformOf(options.upstream);
  const accounts = createAccounts({ db, changes, secretBox, platform, clock });
  // Each gets a share of the pool, so that look-ups cannot take the connections of other work: storing, dispatching, statuses.
  const connectionsShare = Math.max(2, Math.floor(connectionsMax / 4));
  const tenant = new AsyncLocalStorage<string>();
  const sendLookups = boundDatabase(db, connectionsShare);
  const lookups = boundDatabase(db, connectionsShare, () => tenant.getStore());
  metrics.gauge('database_lookups_waiting', 'Lookups and changes of tenants waiting for a connection.', () =>
    lookups.waiting(),
  );
  const keyring = createKeyring({ db, changes });
  const plans = createPlans({ db, changes });
  const settings = createOrganizationSettings({ db, changes });
  const templates = createTemplates({ db, changes, clock, accounts, upstream });
  const spool = new Spool({ dir: spoolDir() });
  const media = createMedia({ db, clock, accounts, upstream, spool });
  const windows = createWindows({ db, clock });
  const waiters = new OutcomeWaiters({ db, clock });
  const queueBounds = createQueueBounds({ db, clock });
  const checkRate = createRateLimits({ plans, clock });

  const earlyStatuses = new EarlyStatuses({ db, clock, log });
  const noteTemplateRefusal = createTemplateRefusals({ db, clock, log });
  const dispatcher = new Dispatcher({
    db,
    clock,
    log,
    random,
    nodeId,
    alone: options.alone,
    changes,
    accounts,
    settings,
    upstream,
    inFlightMax: options.upstream.connectionsMax,
    dispatches: roles.has('dispatch'),
    servesApi: roles.has('api'),
    metrics,
    tracing,
    onSettled(message) {
      queueBounds.settled(message.organizationId);
      waiters.settle(message.messageId, message.outcome);
      noteTemplateRefusal(message);
    },
    applyEarlyStatuses: (wamidDigests) => earlyStatuses.applySoon(wamidDigests),
  });
  const endUnlessFit = async () => {
    const reason = await findForgottenPlatform({ db, platform });
    if (reason !== undefined) options.onUnfit(reason);
  };
  changes.follow('waba', endUnlessFit, endUnlessFit);
  changes.follow(
    ['number', 'organization'],
    (id) => dispatcher.numbersChanged(id),
    () => dispatcher.allNumbersChanged(),
  );
  changes.follow(
    'cancellation',
    () => dispatcher.messagesCancelled(),
    () => {}, // The dispatcher looks by itself from time to time.
  );
  const inboundNews = new InboundNews({ db, clock, log, changes, metrics, dispatcher, alone: options.alone });
  const writer = createMessageWriter({ db, clock, nodeId, queue: dispatcher, metrics });
  const receiver = new PayloadReceiver({
    changes,
    db,
    clock,
    log,
    metrics,
    accounts,
    // Numbers before templates, the same lock order as everywhere.
    followers: [accountFollower, templateFollower],
    inboundCounted: (numberId, count) => inboundNews.received(numberId, count),
  });

  const outboundWebhooks = new OutboundWebhooks({
    db,
    clock,
    log,
    random,
    nodeId,
    alone: options.alone,
    changes,
    secretBox,
    egress,
    metrics,
  });

  const watch = new EventWatch({ db, clock, log });

  const requestPrefix = nodeId.slice(-6);
  let requests = 0;
  const bodies = new ByteBudget(BODY_BYTES_MAX);
  const http = await createHttpServer({
    log,
    bodies,
    metrics,
    random,
    gathering: () => writer.pending,
    sheds: createOverloadGate({ eventLoopDelay, writer, bodies, db, metrics }),
    webhooks: webhookOperations(),
    newRequestId: () => {
      requests += 1;
      return `${requestPrefix}-${requests.toString(36)}`;
    },
    ...(options.requestTimeoutMs !== undefined && { requestTimeoutMs: options.requestTimeoutMs }),
  });
  const reachability = new Reachability({ db, clock });
  let ready = false;
  /** True once work has started that must be ended in order. */
  let isAtWork = false;
  await registerRoutes(http, {
    accounts,
    adminToken: options.adminToken,
    appSecrets: options.upstream.appSecrets,
    changes,
    checkRate,
    clock,
    db,
    lookups,
    sendLookups,
    dispatcher,
    egress,
    isReady: async () => ready && (await reachability.isGiven()),
    keyring,
    log,
    media,
    messageDays: retention.messageDays,
    metrics,
    plans,
    platform,
    publicUrl,
    queueBounds,
    receiver,
    secretBox,
    servesApi: roles.has('api'),
    settings,
    spool,
    templates,
    tenant,
    tracing,
    upstream,
    verifyToken: options.upstream.verifyToken,
    waiters,
    watch,
    windows,
    writer,
  });
  showQueue({ db, clock, log, metrics });

  const chores = new Chores({ clock, log });
  const reviewPoll = new ReviewPoll({ db, clock, log, accounts, upstream });

  return {
    http,
    db,
    accounts,
    nodeId,
    metrics,
    async start(stop) {
      await checkClock({ db, clock });
      await checkLocks({ db, log }, { days: retention.messageDays, connections: connectionsMax });
      const forgotten = await findForgottenPlatform({ db, platform });
      if (forgotten !== undefined) throw forgotten;
      await checkEncryptionKey({ db, secretBox });
      const resealed = (await resealTokens({ db, secretBox })) + (await resealWebhookSecrets({ db, secretBox }));
      if (resealed > 0) log.info({ resealed }, 'secrets sealed again with the first encryption key');
      await catchUpWithDump({ db, log }, stop);
      await preparePartitions({ db, clock });
      await spool.sweep(clock.now());
      stop?.throwIfAborted();
      isAtWork = true;
      await changes.start();
      await dispatcher.start();
      if (roles.has('api')) {
        inboundNews.start();
        receiver.start();
      }
      if (roles.has('deliver')) await outboundWebhooks.start();
      if (roles.has('dispatch')) {
        chores.every(EARLY_STATUSES_MS, () => earlyStatuses.apply());
        reviewPoll.start();
      }
      scheduleMaintenance(chores, { db, clock, log, media, outboundWebhooks, retention, random });
      ready = true;
    },
    async stop() {
      ready = false;
      void chores.stop();
      const pollEnded = reviewPoll.stop();
      const deliveryEnded = isAtWork && roles.has('deliver') ? outboundWebhooks.stop(DELIVERY_GRACE_MS) : undefined;
      await drainServer(http, {
        clock,
        graceMs: options.drainGraceMs ?? DRAIN_GRACE_MS,
        answerMs: ANSWER_MS,
        async endWaiting() {
          waiters.stop();
          await Promise.all([watch.stop(), deliveryEnded]);
          // Downloads can take longer than a stop may; requests that wait for a download are answered 503.
          await egress[Symbol.asyncDispose]();
        },
      });
      await receiver.stop();
      const newsEnded = inboundNews.stop();
      if (isAtWork) await dispatcher.stop(DRAIN_MS);
      await upstream.close(1_000);
      await Promise.all([pollEnded, newsEnded]);
      await changes.stop();
      eventLoopDelay.stop();
      await db.close();
    },
  };
}
