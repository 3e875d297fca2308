import { join } from 'node:path';
import type { Accounts } from './accounts/index.ts';
import { createOverloadGate } from './admission/index.ts';
import type { AppOptions } from './app-options.ts';
import { consoleLinkOf } from './console/index.ts';
import { ByteBudget } from './core/limits/byte-budget.ts';
import { Services } from './core/run/service.ts';
import { Reachability } from './database/connection/reachability.ts';
import type { Database } from './database/database.ts';
import { type ReadTotals, showQueue } from './dispatch/index.ts';
import { webhookOperations } from './events/index.ts';
import { createHttpServer, ERROR_PAGE, type HttpServer } from './http/index.ts';
import { createOnboarding, type OnboardingParts } from './onboarding-parts.ts';
import { type Base, createEngine, createTenantParts, type Engine, openBase, type TenantParts } from './parts.ts';
import { registerRoutes } from './register-routes.ts';
import { listServices } from './services.ts';
import type { Metrics } from './telemetry/index.ts';

/** A gateway, built but not started. */
export interface App {
  http: HttpServer;
  db: Database;
  accounts: Accounts;
  nodeId: string;
  metrics: Metrics;
  /** Returns the address of the console behind its origin, with a one-time code that signs in as the holder of ADMIN_TOKEN. */
  consoleLink(): string;
  /** Starts dispatching and background work; the server does not listen yet. Long steps are abandoned when `stop` aborts. */
  start(stop?: AbortSignal): Promise<void>;
  /** Stops in order: no new requests, requests in flight answered, sends in flight ended, all results written. */
  stop(): Promise<void>;
}

/** Memory of all request bodies together. */
const BODY_BYTES_MAX = 64 * 1024 * 1024;

/** The built pages of the console, as `npm ci` leaves them. */
const CONSOLE_DIR = join(import.meta.dirname, '../console/dist');

/** Builds a gateway. */
export async function createApp(options: AppOptions): Promise<App> {
  const base = openBase(options);
  const tenants = createTenantParts(base, options);
  const engine = createEngine(base, tenants, options);
  const { db, clock, log, metrics, nodeId } = base;
  const onboarding = createOnboarding(base, tenants, engine, options);
  let ready = false;
  const readTotals = showQueue({ db, clock, log, metrics });
  const http = await createServer(base, tenants, engine, {
    ...{ ...options, isReady: () => ready, readTotals, onboarding },
  });
  const services = new Services(listServices(base, tenants, engine, { ...options, http, onboarding }));
  return {
    http,
    db,
    accounts: tenants.accounts,
    nodeId,
    metrics,
    consoleLink: () => consoleLinkOf(tenants.signInLinks),
    async start(stop) {
      await services.start(stop);
      ready = true;
    },
    stop() {
      ready = false;
      return services.stop();
    },
  };
}

/** Creates the HTTP server with every route. It does not listen yet. */
async function createServer(
  base: Base,
  tenants: TenantParts,
  engine: Engine,
  options: AppOptions & { isReady: () => boolean; readTotals: ReadTotals; onboarding: OnboardingParts },
): Promise<HttpServer> {
  const { log, metrics, random, db, clock, eventLoopDelay, nodeId } = base;
  const { writer } = engine;
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
    trustedProxies: options.trustedProxies,
    errorPage: options.docs ? `${options.publicUrl ?? ''}${ERROR_PAGE}` : null,
    newRequestId: () => {
      requests += 1;
      return `${requestPrefix}-${requests.toString(36)}`;
    },
    ...(options.requestTimeoutMs !== undefined && { requestTimeoutMs: options.requestTimeoutMs }),
  });
  const reachability = new Reachability({ db, clock });
  await registerRoutes(http, {
    ...options,
    ...base,
    ...tenants,
    ...engine,
    platformSettings: options.upstream,
    isReady: async () => options.isReady() && (await reachability.isGiven()),
    consoleDir: options.consoleDir ?? CONSOLE_DIR,
  });
  return http;
}
