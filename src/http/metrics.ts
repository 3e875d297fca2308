import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import type { ErrorCode } from '../core/errors.ts';
import { type Distribution, DURATION_BUCKETS, type Metrics } from '../telemetry/index.ts';
import { ERROR_CATALOGUE } from './error-catalogue.ts';
import type { RequestEnd } from './intake/request-end.ts';
import { adminErrors } from './schemas.ts';

const UNKNOWN_ROUTE = '(none)';

/**
 * Observes the duration of every answered request by route template, method and status class: rate, errors and duration of each route. A
 * client cannot add a label value: all unknown paths are one route, and the methods of routes are known.
 */
export function observeRequests(metrics: Metrics): RequestEnd {
  const durations = metrics.histograms(
    'http_request_duration_seconds',
    'Time from the request line to the last byte of the answer, by route template.',
    ['method', 'route', 'status'],
    DURATION_BUCKETS,
  );
  const bound = new Map<string, Distribution>();
  return (request, reply, seconds) => {
    if (!reply.raw.writableFinished) return;
    const route = request.routeOptions.url ?? UNKNOWN_ROUTE;
    const method = route === UNKNOWN_ROUTE ? '' : request.method;
    const status = Math.floor(reply.statusCode / 100);
    const key = `${status}${method}${route}`;
    let duration = bound.get(key);
    if (duration === undefined) {
      duration = durations({ method, route, status: `${status}xx` });
      bound.set(key, duration);
    }
    duration.observe(seconds);
  };
}

/** Returns a function that counts an answer with an error by its code; the codes are those of the error catalogue. */
export function createErrorCounter(metrics: Metrics): (code: ErrorCode) => void {
  const codes = Object.keys(ERROR_CATALOGUE) as ErrorCode[];
  const errors = metrics.counters('http_errors_total', 'Answers with an error, by its code.', 'code', codes);
  return (code) => errors[code].inc();
}

const metricsSchema = {
  operationId: 'getMetrics',
  summary: 'Metrics in the text format of Prometheus, or OpenMetrics if that is asked for',
  description: 'The operations guide explains each metric and lists the ones to watch.',
  tags: ['Operator'],
  response: {
    200: {
      description: 'The metrics of this process.',
      content: { 'text/plain': { schema: Type.String({ examples: ['fairway_accept_pending 0\n'] }) } },
    },
    401: adminErrors[401],
    403: adminErrors[403],
    429: adminErrors[429],
    503: adminErrors[503],
  },
};

/** Registers `GET /metrics`. */
export function metricsRoutes(app: FastifyInstance, deps: { metrics: Metrics }): void {
  app.get('/metrics', { schema: metricsSchema }, async (request, reply) => {
    const takesOpenMetrics = /application\/openmetrics-text/i.test(request.headers.accept ?? '');
    const { contentType, text } = await deps.metrics.render(takesOpenMetrics ? 'openmetrics' : 'prometheus');
    return reply.header('content-type', contentType).header('vary', 'accept').send(text);
  });
}
