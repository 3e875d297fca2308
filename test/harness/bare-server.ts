import { pino } from 'pino';
import { newId } from '../../src/core/ids.ts';
import { ByteBudget } from '../../src/core/limits/byte-budget.ts';
import { createHttpServer, type HttpServer } from '../../src/http/index.ts';
import { createMetrics } from '../../src/telemetry/index.ts';

type HttpServerOptions = Parameters<typeof createHttpServer>[0];

const MIB = 1024 * 1024;

/** Creates the HTTP server alone, without routes and without listening. */
export function createBareServer(options: Partial<HttpServerOptions> = {}): Promise<HttpServer> {
  return createHttpServer({
    log: pino({ level: 'silent' }),
    newRequestId: () => newId(),
    bodies: new ByteBudget(64 * MIB),
    metrics: createMetrics(),
    ...options,
  });
}
