import { AsyncLocalStorage } from 'node:async_hooks';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  accountFollower,
  type ConnectDeps,
  createAccounts,
  type DisconnectDeps,
  findForgottenPlatform,
  platformOf,
} from './accounts/index.ts';
import { createQueueBounds, createRateLimits } from './admission/index.ts';
import type { AppOptions } from './app-options.ts';
import { createApps } from './apps/index.ts';
import { cancelWaitingTo } from './cancellation/index.ts';
import { createSessions, SignInLinks } from './console/index.ts';
import { createWindows } from './conversations/index.ts';
import { newId } from './core/ids.ts';
import { createSecretBox } from './core/secret-box.ts';
import type { Clock } from './core/time/clock.ts';
import { createChangeFeed } from './database/changes/change-feed.ts';
import { followFailovers } from './database/changes/failovers.ts';
import { watchPublications } from './database/changes/watch-publications.ts';
import { boundDatabase } from './database/connection/bound-database.ts';
import { openDatabase } from './database/database.ts';
import { Dispatcher, InboundBroadcast } from './dispatch/index.ts';
import { ownedObjectFollower } from './edges/index.ts';
import { createEgress } from './egress/index.ts';
import { ErasedMessages, Erasures } from './erasure/index.ts';
import { EventWatch } from './events/index.ts';
import { PayloadReceiver } from './inbound-webhooks/index.ts';
import { Heartbeat } from './leases/index.ts';
import { createMedia } from './media/index.ts';
import {
  createMessageWriter,
  createTemplateRefusals,
  EarlyStatuses,
  OutcomeWaiters,
  RecentAcceptances,
} from './messages/index.ts';
import { createOperators } from './operators/index.ts';
import { createOptOuts } from './opt-outs/index.ts';
import { createFreeTier, createKeyring, createOrganizationSettings, createPlans } from './organizations/index.ts';
import { OutboundWebhooks } from './outbound-webhooks/index.ts';
import { createPeople } from './people/index.ts';
import { SentBodies } from './retention/index.ts';
import { Spool } from './spool/index.ts';
import { createMetrics, createTracing, EventLoopDelay, publishWorkers } from './telemetry/index.ts';
import {
  createTemplates,
  forgetTemplates,
  ReviewPoll,
  readAllTemplates,
  replaceTemplates,
  templateFollower,
} from './templates/index.ts';
import { TestSimulator } from './test-accounts/index.ts';
import { createUpstream, type PlatformClock, routeByToken, TokenApps } from './upstream/index.ts';

/** Directory of files in transit. Its name contains the user's id, because another user's directory would be refused. */
function spoolDir(): string {
  return join(tmpdir(), `fairway-uploads-${process.getuid?.() ?? 'user'}`);
}

/** Connections past a pooler: the change feed, the heartbeat, the shards taken of two kinds of work. */
const DIRECT_CONNECTIONS = 4;
/** Connections to the built-in simulator for messages; other calls share as many again. */
const TEST_CONNECTIONS = 64;

export type Base = ReturnType<typeof openBase>;

/** Opens the parts that all others stand on: database, change feed, the ways to the platform and to foreign URLs. */
export function openBase(options: AppOptions) {
  const { log, clock, random, connectionsMax, alone } = options;
  const metrics = createMetrics(options.team?.gatherMetrics);
  publishWorkers(metrics);
  /** Called when a database connection breaks: commits may have gone unnoticed. */
  const onBreak: (() => void)[] = [];
  const watched = {
    onIdleError: (error: Error) => log.warn({ err: error }, 'idle database connection lost'),
    onBreak() {
      for (const react of onBreak) react();
    },
  };
  const { databaseUrl, databaseDirectUrl, preparesStatements } = options;
  const throughPooler = databaseDirectUrl !== null;
  const pool = openDatabase({
    ...watched,
    connectionString: databaseUrl,
    connectionsMax,
    throughPooler,
    preparesStatements,
  });
  // Leases and changes do not wait in a pooler's queue, and a pooler hides it from its clients that the server was replaced.
  const directPool = throughPooler
    ? openDatabase({ ...watched, connectionString: databaseDirectUrl, connectionsMax: DIRECT_CONNECTIONS })
    : pool;
  const changes = createChangeFeed({ db: directPool, clock, log, alone });
  const db = watchPublications(pool, changes);
  onBreak.push(() => changes.doubt());
  // Each gets a share of the pool, so that look-ups cannot take the connections of other work: storing, dispatching, statuses.
  const connectionsShare = Math.max(2, Math.floor(connectionsMax / 4));
  const tenant = new AsyncLocalStorage<string>();
  const lookups = boundDatabase(db, connectionsShare, () => tenant.getStore());
  metrics.gauge('database_lookups_waiting', 'Lookups and changes of tenants waiting for a connection.', () =>
    lookups.waiting(),
  );
  const { baseUrl, appId, appSecrets, appSecretProof } = options.upstream;
  const tokenApps = new TokenApps();
  const live = createUpstream({
    baseUrl,
    tokenApps,
    appId,
    provenAppSecret: appSecretProof ? (appSecrets[0] ?? null) : null,
    clock,
    log,
    connectionsMax: options.upstream.connectionsMax,
  });
  const secretBox = createSecretBox(options.encryptionKeys);
  const nodeId = newId(clock.now());
  const roles = new Set(options.roles);
  const testSimulator = new TestSimulator({ db, changes, clock: clockOfPlatform(clock, live.platformClock) });
  const tests = createUpstream({
    baseUrl: 'http://localhost/v24.0',
    appId: testSimulator.appId,
    findTestSocket: () => testSimulator.findSocket(),
    clock,
    log,
    connectionsMax: TEST_CONNECTIONS,
  });
  return {
    log,
    clock,
    random,
    metrics,
    db,
    directDb: throughPooler ? directPool : db,
    onBreak,
    changes,
    tenant,
    lookups,
    sendLookups: boundDatabase(db, connectionsShare),
    nodeId,
    roles,
    heartbeat: new Heartbeat({ db: directPool, clock, log, nodeId, servesApi: roles.has('api'), alone }),
    tracing: createTracing(),
    eventLoopDelay: new EventLoopDelay(),
    secretBox,
    tokenApps,
    apps: createApps({ db, changes, secretBox, log }, options.upstream),
    platform: platformOf(options.upstream),
    egress: createEgress({ allowCidrs: options.fetchAllowCidrs, clock }),
    testSimulator,
    upstream: routeByToken({ live, tests }),
  };
}

/** Returns a clock that shows the platform's time. The statuses of test messages are judged by it, like those of all others. */
function clockOfPlatform(clock: Clock, platformClock: PlatformClock): Clock {
  return {
    now: () => platformClock.now(),
    monotonicMs: () => clock.monotonicMs(),
    schedule: (delayMs, run) => clock.schedule(delayMs, run),
  };
}

export type TenantParts = ReturnType<typeof createTenantParts>;

/** Creates what is known of tenants, and what they may do: accounts, keys, plans, templates, media, windows, bounds. */
export function createTenantParts(
  base: Base,
  { onUnfit, adminToken, team }: Pick<AppOptions, 'onUnfit' | 'adminToken' | 'team'>,
) {
  const { db, changes, clock, upstream, platform } = base;
  const accounts = createAccounts(base);
  const plans = createPlans({ db, changes });
  const endUnlessFit = async () => {
    const reason = await findForgottenPlatform({ db, platform });
    if (reason !== undefined) onUnfit(reason);
  };
  changes.follow('waba', endUnlessFit, endUnlessFit);
  const spool = new Spool({ dir: spoolDir() });
  const keyring = createKeyring({ db, changes, clock });
  const signInLinks = new SignInLinks(clock);
  const operators = createOperators({ db, changes, clock });
  return {
    accounts,
    plans,
    freeTier: createFreeTier({ db, clock }),
    spool,
    keyring,
    operators,
    sessions: createSessions({
      db,
      changes,
      clock,
      adminToken,
      findOperatorByHash: operators.findByHash,
      findCallerByHash: keyring.findByHash,
    }),
    signInLinks,
    redeemLink: team?.redeemLink ?? ((code: string) => signInLinks.redeem(code)),
    settings: createOrganizationSettings({ db, changes }),
    templates: createTemplates({ db, changes, clock, accounts, upstream }),
    media: createMedia({ db, clock, accounts, upstream, spool }),
    windows: createWindows({ db, clock }),
    optOuts: createOptOuts({ db }),
    people: createPeople({ db, clock }),
    queueBounds: createQueueBounds({ db, clock }),
    checkRate: createRateLimits({ plans, clock, shared: team?.requests }),
  };
}

export type Engine = ReturnType<typeof createEngine>;

/** Creates the parts that work on messages: accept, dispatch, statuses, events, deliveries. */
export function createEngine(base: Base, tenants: TenantParts, options: AppOptions) {
  const { db, directDb, clock, log, random, nodeId, changes, metrics, roles } = base;
  const { accounts, queueBounds } = tenants;
  const { alone } = options;
  const waiters = new OutcomeWaiters({ db, clock });
  const earlyStatuses = new EarlyStatuses({ db, clock, log });
  const noteTemplateRefusal = createTemplateRefusals({ db, clock, log });
  const dispatcher = new Dispatcher({
    ...base,
    alone,
    accounts,
    settings: tenants.settings,
    templates: tenants.templates,
    inFlightMax: options.upstream.connectionsMax,
    dispatches: roles.has('dispatch'),
    servesApi: roles.has('api'),
    isAwaited: (messageId) => waiters.isAwaited(messageId),
    onSettled(message) {
      queueBounds.settled(message.organizationId);
      waiters.settle(message.messageId, message.outcome);
      noteTemplateRefusal(message);
    },
    applyEarlyStatuses: (wamidDigests) => earlyStatuses.applySoon(wamidDigests),
    learnNames(names) {
      const sighting = { ...names, parentUserIds: [], atMs: clock.now() };
      tenants.people.confirm([sighting]).catch((error) => log.warn({ err: error }, 'names of a recipient not stored'));
    },
  });
  base.onBreak.push(() => dispatcher.connectionBroke());
  changes.relaxWhile(() => dispatcher.isAlone);
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
  changes.follow(
    'person',
    (key) => dispatcher.peopleMerged(key),
    () => {}, // A merge that went unnoticed here is in the stored pair debts, and the platform slows the pair down.
  );
  const recent = new RecentAcceptances({ db, clock, log, metrics });
  followFailovers({ db: directDb, changes }, async () => {
    await dispatcher.failedOver();
    await recent.reportLost();
  });
  const forgetPeople = () => {
    tenants.windows.forget();
    tenants.people.forget();
  };
  changes.follow('erasure', forgetPeople, forgetPeople);
  const erasedMessages = new ErasedMessages({ db, clock, changes });
  const inboundBroadcast = new InboundBroadcast({ db, clock, log, changes, metrics, dispatcher, alone });
  return {
    waiters,
    earlyStatuses,
    dispatcher,
    inboundBroadcast,
    writer: createMessageWriter({ db, clock, nodeId, queue: dispatcher, metrics, recent }),
    receiver: new PayloadReceiver({
      ...base,
      accounts,
      people: tenants.people,
      settings: tenants.settings,
      // Numbers before templates, the same lock order as everywhere.
      followers: [accountFollower, templateFollower, ownedObjectFollower],
      listErased: (wamids) => erasedMessages.listErased(wamids),
      inboundCounted: (numberId, count) => inboundBroadcast.received(numberId, count),
    }),
    outboundWebhooks: new OutboundWebhooks({ ...base, random, alone }),
    erasures: new Erasures({
      db,
      clock,
      log,
      changes,
      cancelWaiting: (organizationId, name) => cancelWaitingTo({ db, accounts }, organizationId, name),
    }),
    sentBodies: new SentBodies({ db, clock, log, changes }),
    watch: new EventWatch({ db, clock, log }),
    reviewPoll: new ReviewPoll({ db, clock, log, accounts, upstream: base.upstream }),
  };
}

/** Returns the dependencies of connecting, reading and disconnecting business accounts. */
export function accountDepsOf(
  base: Pick<Base, 'db' | 'clock' | 'log' | 'secretBox' | 'upstream' | 'platform' | 'tokenApps' | 'apps'>,
  receiver: Pick<PayloadReceiver, 'applyMissed'>,
  publicUrl: string | null,
): ConnectDeps & DisconnectDeps {
  return {
    ...base,
    publicUrl,
    forgetTemplates,
    readAllTemplates,
    replaceTemplates,
    applyMissed: (waba, since) => receiver.applyMissed(waba, since),
  };
}
