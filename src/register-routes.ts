import { accountRoutes, connectTestAccount, numberNotFound, permittedNumberIds, syncWaba } from './accounts/index.ts';
import type { AppOptions } from './app-options.ts';
import { appRoutes } from './apps/index.ts';
import { auditHooks, auditRoutes } from './audit/index.ts';
import { cancellationRoutes } from './cancellation/index.ts';
import { closingRoutes } from './closing/index.ts';
import { consoleRoutes, IdentityProvider } from './console/index.ts';
import { windowRoutes } from './conversations/index.ts';
import { explainWaiting, queueRoutes, type ReadTotals } from './dispatch/index.ts';
import { doctorRoutes } from './doctor/index.ts';
import { createEdges, type Edges, edgeRoutes, nodePasser } from './edges/index.ts';
import { erasureRoutes } from './erasure/index.ts';
import { eventRoutes } from './events/index.ts';
import {
  accessChecks,
  addressFor,
  type Callers,
  checkPageRequest,
  createCallers,
  createOperatorCheck,
  guardRoutes,
  type HttpRequest,
  type HttpServer,
  healthRoutes,
  metricsRoutes,
  readSessionCookie,
  SignInLimit,
  securityTxtRoute,
} from './http/index.ts';
import { inboundWebhookRoutes, upstreamJournalRoutes } from './inbound-webhooks/index.ts';
import { mediaRoutes } from './media/index.ts';
import { messageRoutes, numberOfMessage, sendRoutes } from './messages/index.ts';
import { nodeRoutes } from './nodes/index.ts';
import { linkRoutes, onboardingRoutes, releaseApp, setupRoutes } from './onboarding/index.ts';
import type { OnboardingParts } from './onboarding-parts.ts';
import { operatorRoutes } from './operators/index.ts';
import { optOutRoutes } from './opt-outs/index.ts';
import { hasOrganization, organizationRoutes } from './organizations/index.ts';
import {
  appTokenRoutes,
  callbackRoutes,
  createHandshake,
  numberCallbackChanger,
  readWebhookConfiguration,
  webhookRoutes,
} from './outbound-webhooks/index.ts';
import { overviewRoutes } from './overview/index.ts';
import { accountDepsOf, type Base, type Engine, type TenantParts } from './parts.ts';
import { referenceRoutes } from './reference/index.ts';
import { ROUTES, SEND_ROUTES } from './routes.ts';
import { serveUnder } from './telemetry/index.ts';
import { findTemplateWaba, forgetTemplates, templateRoutes } from './templates/index.ts';
import { timelineRoutes } from './timeline/index.ts';

/** Parts of the gateway, and the settings that only routes need. */
type RouteDeps = Base &
  TenantParts &
  Engine &
  Pick<
    AppOptions,
    'adminToken' | 'connectionsMax' | 'docs' | 'encryptionKeys' | 'oidc' | 'publicUrl' | 'retention' | 'securityContact'
  > & {
    /** Settings of the way to the platform. */
    platformSettings: AppOptions['upstream'];
    onboarding: OnboardingParts;
    isReady: () => Promise<boolean>;
    /** Reads the totals of the queue. */
    readTotals: ReadTotals;
    /** Folder of the built pages of the console. */
    consoleDir: string;
  };

/** Registers the routes of the table in `routes.ts`, each under the access check of its row. */
export async function registerRoutes(http: HttpServer, deps: RouteDeps): Promise<void> {
  const signInLimit = new SignInLimit();
  const sessionOf = sessionReader(deps);
  const operators = createOperatorCheck({ ...deps, findOperator: deps.operators.find, sessionOf, signInLimit });
  const callers = createCallers({
    keyring: deps.keyring,
    operators,
    sessionOf,
    hasOrganization: (organizationId) => hasOrganization(deps.settings, organizationId),
  });
  const audit = { db: deps.lookups, clock: deps.clock, log: deps.log };
  const checksOf = accessChecks({
    callers,
    operators,
    checkRate: deps.checkRate,
    numberLookups: {
      hasNumber: async (organizationId, id) => (await deps.accounts.findNumber(organizationId, id)) !== undefined,
      numberOfMessage: (organizationId, id) => numberOfMessage(deps.lookups, organizationId, id),
      numberNotFound,
    },
    isSend: (name) => SEND_ROUTES.has(name),
    catchUp: () => deps.changes.catchUp(),
    serveFor: (organizationId, traceparent, serve) =>
      serveUnder(traceparent, () => deps.tenant.run(organizationId, serve)),
  });
  // The caller is known, and the organization is named, before a change is recorded.
  guardRoutes(http, ROUTES, (row, operationId) => {
    const checks = checksOf(row);
    const audited = auditHooks(audit, row, operationId);
    return {
      ...checks,
      preHandler: [...(checks.preHandler ?? []), ...(audited.preHandler ?? [])],
      onSend: [...(audited.onSend ?? []), ...(checks.onSend ?? [])],
    };
  });
  healthRoutes(http, deps);
  metricsRoutes(http, deps);
  if (!deps.roles.has('api')) return;
  const { securityContact, publicUrl } = deps;
  const { baseUrl, isBuiltIn, appId } = deps.platformSettings;
  if (deps.docs) referenceRoutes(http, deps);
  if (securityContact !== null) securityTxtRoute(http, { securityContact, publicUrl });
  const provider = deps.oidc && new IdentityProvider(deps.oidc, deps);
  consoleRoutes(http, {
    ...{ ...deps, provider, signInLimit, pagesDir: deps.consoleDir },
    simulatorOrigin: isBuiltIn ? new URL(baseUrl).origin : null,
  });
  inboundWebhookRoutes(http, deps);
  const accountDeps = accountDepsOf(deps, deps.receiver, publicUrl);
  adminRoutes(http, { ...deps, provider }, accountDeps);
  const edges = createEdges({
    ...deps,
    db: deps.lookups,
    findTemplateWaba: (organizationId, templateId) =>
      findTemplateWaba({ db: deps.lookups }, organizationId, templateId),
    readAccount: (wabaId) => syncWaba(accountDeps, wabaId),
    appId,
  });
  await tenantRoutes(http, deps, edges, callers);
}

/** Returns a function that finds the owner of a request's session; undefined without one. It raises FORBIDDEN for a foreign page. */
function sessionReader({ sessions, publicUrl }: Pick<RouteDeps, 'sessions' | 'publicUrl'>) {
  return (request: HttpRequest) => {
    const secret = readSessionCookie(request);
    if (secret === undefined) return undefined;
    checkPageRequest(request, new URL(addressFor(request, publicUrl)).origin);
    return sessions.find(secret);
  };
}

function adminRoutes(
  http: HttpServer,
  deps: RouteDeps & { provider: IdentityProvider | null },
  accountDeps: Parameters<typeof accountRoutes>[1],
): void {
  const { encryptionKeys, connectionsMax, adminToken, publicUrl } = deps;
  const { messageDays } = deps.retention;
  const { baseUrl: upstreamBaseUrl, appId, appSecrets, verifyToken } = deps.platformSettings;
  operatorRoutes(http, deps);
  appRoutes(http, { ...deps, releaseApp });
  auditRoutes(http, { db: deps.lookups });
  organizationRoutes(http, {
    ...deps,
    connectTestAccount: (organization, insert) => connectTestAccount(accountDeps, organization, insert),
  });
  accountRoutes(http, accountDeps);
  const onboarding = { ...deps.onboarding.deps, wake: () => deps.onboarding.work.wake() };
  onboardingRoutes(http, onboarding);
  linkRoutes(http, onboarding);
  setupRoutes(http, { ...onboarding, upstreamBaseUrl });
  doctorRoutes(http, {
    ...deps,
    tokenOf: deps.accounts.tokenOf,
    checkProvider: deps.provider && (() => deps.provider?.check() ?? Promise.resolve()),
    syncWaba: (wabaId) => syncWaba(accountDeps, wabaId),
    settings: {
      ...{ encryptionKeys, connectionsMax, adminToken, publicUrl, upstreamBaseUrl, appId, appSecrets, verifyToken },
      ...{ messageDays, spoolDir: deps.spool.dir },
    },
  });
  closingRoutes(http, { ...deps, forgetTemplates });
  queueRoutes(http, deps);
  overviewRoutes(http, deps);
  upstreamJournalRoutes(http, { ...deps, messageDays });
}

async function tenantRoutes(http: HttpServer, deps: RouteDeps, edges: Edges, callers: Callers): Promise<void> {
  const { lookups: db, dispatcher, media, accounts, publicUrl } = deps;
  const { authenticate } = callers;
  sendRoutes(http, { ...deps, lookups: deps.sendLookups });
  messageRoutes(http, deps);
  windowRoutes(http, { db, clock: deps.clock, getNumber: accounts.getNumber });
  optOutRoutes(http, deps);
  eventRoutes(http, {
    ...deps,
    db,
    authenticate,
    permittedNumberIds: (caller, phoneNumberId) => permittedNumberIds(accounts, caller, phoneNumberId),
  });
  timelineRoutes(http, {
    db,
    clock: deps.clock,
    explainWaiting: (numberId, contact) => explainWaiting({ db, dispatcher, numbers: accounts }, numberId, contact),
  });
  cancellationRoutes(http, { db, accounts });
  erasureRoutes(http, { db, clock: deps.clock });
  webhookRoutes(http, { ...deps, db });
  const callbackDeps = { ...deps, db, shakeHands: createHandshake(deps.egress) };
  callbackRoutes(http, callbackDeps);
  appTokenRoutes(http, deps);
  const passNode = nodePasser(edges, publicUrl);
  templateRoutes(http, {
    ...{ ...deps, db, passNode },
    changeWebhooks: numberCallbackChanger(callbackDeps),
  });
  await mediaRoutes(http, { ...media, db, authenticate, passNode, publicUrl, uploads: edges.uploads });
  nodeRoutes(http, { ...media, db, publicUrl, passNode, webhooksOf: (number) => readWebhookConfiguration(db, number) });
  edgeRoutes(http, edges, publicUrl);
}
