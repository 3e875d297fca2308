import type { AsyncLocalStorage } from 'node:async_hooks';
import type { Logger } from 'pino';
import { type Accounts, accountRoutes } from './accounts/index.ts';
import type { QueueBounds } from './admission/index.ts';
import { cancellationRoutes } from './cancellation/index.ts';
import { closingRoutes } from './closing/index.ts';
import type { Windows } from './conversations/index.ts';
import type { SecretBox } from './core/secret-box.ts';
import type { Clock } from './core/time/clock.ts';
import type { ChangeFeed } from './database/changes/change-feed.ts';
import type { BoundDatabase } from './database/connection/bound-database.ts';
import type { Database } from './database/database.ts';
import { type Dispatcher, explainWaiting, queueRoutes } from './dispatch/index.ts';
import type { Egress } from './egress/index.ts';
import { type EventWatch, eventRoutes } from './events/index.ts';
import {
  type ApiKeys,
  type CheckRate,
  callerOf,
  type HttpServer,
  healthRoutes,
  limitRate,
  metricsRoutes,
  requireAdminToken,
  requireApiKey,
} from './http/index.ts';
import { inboundWebhookRoutes, type PayloadReceiver, upstreamJournalRoutes } from './inbound-webhooks/index.ts';
import { type Media, mediaRoutes } from './media/index.ts';
import { type MessageWriter, messageRoutes, type OutcomeWaiters, sendRoutes } from './messages/index.ts';
import { nodeRoutes } from './nodes/index.ts';
import { type OrganizationSettings, organizationRoutes, type Plans } from './organizations/index.ts';
import { webhookRoutes } from './outbound-webhooks/index.ts';
import type { Spool } from './spool/index.ts';
import { type Metrics, serveUnder, type Tracing } from './telemetry/index.ts';
import {
  forgetTemplates,
  readAllTemplates,
  replaceTemplates,
  type Templates,
  templateRoutes,
} from './templates/index.ts';
import { timelineRoutes } from './timeline/index.ts';
import type { Upstream } from './upstream/index.ts';

/** Dependencies of the routes. */
export interface RouteDeps {
  accounts: Accounts;
  adminToken: string;
  /** Secrets of the app; the platform signs its posts with one of them. */
  appSecrets: readonly string[];
  changes: Pick<ChangeFeed, 'catchUp'>;
  checkRate: CheckRate;
  clock: Clock;
  db: Database;
  /** `db` with a bound on the look-ups and changes of tenants. */
  lookups: Database;
  /** `db` with a bound on the look-ups of sends. */
  sendLookups: BoundDatabase;
  dispatcher: Dispatcher;
  egress: Egress;
  isReady: () => Promise<boolean>;
  keyring: ApiKeys;
  log: Logger;
  media: Media;
  /** Age at which messages are dropped, in days. */
  messageDays: number;
  metrics: Metrics;
  plans: Plans;
  /** Identifies the platform, to which accounts are bound when they are connected. */
  platform: string;
  /** Base URL for clients, without a trailing slash; `null` uses the address of each request. */
  publicUrl: string | null;
  queueBounds: QueueBounds;
  receiver: PayloadReceiver;
  secretBox: SecretBox;
  /** False if only health and metrics are served. */
  servesApi: boolean;
  settings: OrganizationSettings;
  spool: Spool;
  templates: Templates;
  /** The organization whose request is being served; empty outside requests. */
  tenant: AsyncLocalStorage<string>;
  tracing: Tracing;
  upstream: Upstream;
  /** Token that the platform presents when its webhook is registered. */
  verifyToken: string;
  waiters: OutcomeWaiters;
  watch: EventWatch;
  windows: Windows;
  writer: MessageWriter;
}

/** Registers every route under its access check: open to all, operator's token, API key, or signed by the platform. */
export async function registerRoutes(http: HttpServer, deps: RouteDeps): Promise<void> {
  healthRoutes(http, deps);
  await http.register(async (scope) => {
    scope.addHook('onRequest', requireAdminToken(deps.adminToken));
    metricsRoutes(scope, deps);
    if (deps.servesApi) operatorRoutes(scope, deps);
  });
  if (!deps.servesApi) return;
  await http.register(async (scope) => {
    const requireKey = requireApiKey(deps.keyring);
    scope.addHook('onRequest', requireKey);
    scope.addHook('onRequest', limitRate(deps.checkRate));
    // Checked again when the body is complete: that may take half a minute, in which the key may have been disabled.
    scope.addHook('preHandler', requireKey);
    sendRoutes(scope, { ...deps, lookups: deps.sendLookups });
    await scope.register(async (naming) => {
      // Not earlier: a body is read on behalf of its connection. Not for sends: they name the organization of a look-up themselves.
      naming.addHook('preHandler', (request, _reply, done) => {
        const { traceparent } = request.headers;
        serveUnder(typeof traceparent === 'string' ? traceparent : undefined, () =>
          deps.tenant.run(callerOf(request).organizationId, done),
        );
      });
      await tenantRoutes(naming, deps);
    });
  });
  inboundWebhookRoutes(http, deps);
}

function operatorRoutes(scope: HttpServer, deps: RouteDeps): void {
  answerOnceInForce(scope, deps);
  organizationRoutes(scope, deps);
  accountRoutes(scope, {
    ...deps,
    forgetTemplates,
    readAllTemplates,
    replaceTemplates,
    applyMissed: (waba, since) => deps.receiver.applyMissed(waba, since),
  });
  closingRoutes(scope, { ...deps, forgetTemplates });
  queueRoutes(scope, deps);
  upstreamJournalRoutes(scope, deps);
}

async function tenantRoutes(scope: HttpServer, deps: RouteDeps): Promise<void> {
  const { lookups: db, dispatcher, media, accounts, publicUrl } = deps;
  messageRoutes(scope, deps);
  const { authenticate } = deps.keyring;
  eventRoutes(scope, { ...deps, db, authenticate, listNumberIds: accounts.listNumberIds });
  timelineRoutes(scope, {
    db,
    clock: deps.clock,
    explainWaiting: (numberId, contact) => explainWaiting({ db, dispatcher, numbers: accounts }, numberId, contact),
  });
  await scope.register(async (changing) => {
    answerOnceInForce(changing, deps);
    cancellationRoutes(changing, { db, accounts });
    webhookRoutes(changing, { ...deps, db });
    templateRoutes(changing, { ...deps, db });
  });
  await mediaRoutes(scope, { ...media, db, authenticate });
  nodeRoutes(scope, { ...media, db, publicUrl });
}

/**
 * Delays the answer to a change until it is in force on this node. Without this, a number answered as paused might still send its next
 * message, and a new template might not be found. Other nodes follow within a second.
 */
function answerOnceInForce(scope: HttpServer, { changes }: Pick<RouteDeps, 'changes'>): void {
  scope.addHook('onSend', async (request, reply) => {
    if (request.method !== 'GET' && reply.statusCode < 300) await changes.catchUp();
  });
}
