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

/** What routes need, and whom they admit. */
export interface RouteDeps {
  accounts: Accounts;
  adminToken: string;
  /** Secrets of which one has signed what the upstream posts. */
  appSecrets: readonly string[];
  changes: Pick<ChangeFeed, 'catchUp'>;
  checkRate: CheckRate;
  clock: Clock;
  db: Database;
  /** `db` for what tenants look up and change. */
  lookups: Database;
  /** `db` for what their sends look up. */
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
  /** What accounts remember of where they were connected here. */
  platform: string;
  /** Where clients reach the gateway, without a slash at its end; `null`: each at the address it asks. */
  publicUrl: string | null;
  queueBounds: QueueBounds;
  receiver: PayloadReceiver;
  secretBox: SecretBox;
  /** Whether anything but health and metrics is served. */
  servesApi: boolean;
  settings: OrganizationSettings;
  spool: Spool;
  templates: Templates;
  /** The organization whose request is being served, where there is one. */
  tenant: AsyncLocalStorage<string>;
  tracing: Tracing;
  upstream: Upstream;
  /** What the upstream presents when its webhook is registered. */
  verifyToken: string;
  waiters: OutcomeWaiters;
  watch: EventWatch;
  windows: Windows;
  writer: MessageWriter;
}

/** Puts every route where it belongs: open to all, behind the operator's token, behind an API key, or signed by the upstream. */
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
    // Once more when the body is there: half a minute may have passed, in which the key was disabled.
    scope.addHook('preHandler', requireKey);
    sendRoutes(scope, { ...deps, lookups: deps.sendLookups });
    await scope.register(async (naming) => {
      // Not sooner: a body is read on behalf of its connection. And not for sends, which say for whom they look something up.
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
 * Answers a change once it holds on this node: who was told that a number is paused must not see its next message go, and who made a
 * template must be able to send it. Other nodes follow within a second.
 */
function answerOnceInForce(scope: HttpServer, { changes }: Pick<RouteDeps, 'changes'>): void {
  scope.addHook('onSend', async (request, reply) => {
    if (request.method !== 'GET' && reply.statusCode < 300) await changes.catchUp();
  });
}
