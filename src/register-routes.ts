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
  accessChecks,
  type CheckRate,
  guardRoutes,
  type HttpServer,
  healthRoutes,
  metricsRoutes,
} from './http/index.ts';
import { inboundWebhookRoutes, type PayloadReceiver, upstreamJournalRoutes } from './inbound-webhooks/index.ts';
import { type Media, mediaRoutes } from './media/index.ts';
import { type MessageWriter, messageRoutes, type OutcomeWaiters, sendRoutes } from './messages/index.ts';
import { nodeRoutes } from './nodes/index.ts';
import { type OrganizationSettings, organizationRoutes, type Plans } from './organizations/index.ts';
import { webhookRoutes } from './outbound-webhooks/index.ts';
import { ROUTES, SEND_ROUTES } from './routes.ts';
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

/** Registers the routes of the table in `routes.ts`, each under the access check of its row. */
export async function registerRoutes(http: HttpServer, deps: RouteDeps): Promise<void> {
  guardRoutes(
    http,
    ROUTES,
    accessChecks({
      ...deps,
      isSend: (name) => SEND_ROUTES.has(name),
      catchUp: () => deps.changes.catchUp(),
      serveFor: (organizationId, traceparent, serve) =>
        serveUnder(traceparent, () => deps.tenant.run(organizationId, serve)),
    }),
  );
  healthRoutes(http, deps);
  metricsRoutes(http, deps);
  if (!deps.servesApi) return;
  inboundWebhookRoutes(http, deps);
  operatorRoutes(http, deps);
  await tenantRoutes(http, deps);
}

function operatorRoutes(http: HttpServer, deps: RouteDeps): void {
  organizationRoutes(http, deps);
  accountRoutes(http, {
    ...deps,
    forgetTemplates,
    readAllTemplates,
    replaceTemplates,
    applyMissed: (waba, since) => deps.receiver.applyMissed(waba, since),
  });
  closingRoutes(http, { ...deps, forgetTemplates });
  queueRoutes(http, deps);
  upstreamJournalRoutes(http, deps);
}

async function tenantRoutes(http: HttpServer, deps: RouteDeps): Promise<void> {
  const { lookups: db, dispatcher, media, accounts, publicUrl } = deps;
  const { authenticate } = deps.keyring;
  sendRoutes(http, { ...deps, lookups: deps.sendLookups });
  messageRoutes(http, deps);
  eventRoutes(http, { ...deps, db, authenticate, listNumberIds: accounts.listNumberIds });
  timelineRoutes(http, {
    db,
    clock: deps.clock,
    explainWaiting: (numberId, contact) => explainWaiting({ db, dispatcher, numbers: accounts }, numberId, contact),
  });
  cancellationRoutes(http, { db, accounts });
  webhookRoutes(http, { ...deps, db });
  templateRoutes(http, { ...deps, db });
  await mediaRoutes(http, { ...media, db, authenticate });
  nodeRoutes(http, { ...media, db, publicUrl });
}
