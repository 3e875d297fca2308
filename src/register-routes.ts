import { accountRoutes } from './accounts/index.ts';
import { cancellationRoutes } from './cancellation/index.ts';
import { closingRoutes } from './closing/index.ts';
import { windowRoutes } from './conversations/index.ts';
import { explainWaiting, queueRoutes } from './dispatch/index.ts';
import { eventRoutes } from './events/index.ts';
import { accessChecks, guardRoutes, type HttpServer, healthRoutes, metricsRoutes } from './http/index.ts';
import { inboundWebhookRoutes, upstreamJournalRoutes } from './inbound-webhooks/index.ts';
import { mediaRoutes } from './media/index.ts';
import { messageRoutes, sendRoutes } from './messages/index.ts';
import { nodeRoutes } from './nodes/index.ts';
import { organizationRoutes } from './organizations/index.ts';
import { webhookRoutes } from './outbound-webhooks/index.ts';
import type { Base, Engine, TenantParts } from './parts.ts';
import { referenceRoutes } from './reference/index.ts';
import { ROUTES, SEND_ROUTES } from './routes.ts';
import { serveUnder } from './telemetry/index.ts';
import { forgetTemplates, readAllTemplates, replaceTemplates, templateRoutes } from './templates/index.ts';
import { timelineRoutes } from './timeline/index.ts';

/** Parts of the gateway, and the settings that only routes need. */
type RouteDeps = Base &
  TenantParts &
  Engine & {
    adminToken: string;
    /** Secrets of the app; the platform signs its posts with one of them. */
    appSecrets: readonly string[];
    /** Token that the platform presents when its webhook is registered. */
    verifyToken: string;
    isReady: () => Promise<boolean>;
    /** Age at which messages are dropped, in days. */
    messageDays: number;
    /** Base URL for clients, without a trailing slash; `null` uses the address of each request. */
    publicUrl: string | null;
    /** True if the reference is served. */
    docs: boolean;
    /** False if only health and metrics are served. */
    servesApi: boolean;
  };

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
  if (deps.docs) referenceRoutes(http, deps);
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
  windowRoutes(http, { db, clock: deps.clock, getNumber: accounts.getNumber });
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
