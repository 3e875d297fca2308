import type { FastifyInstance } from 'fastify';
import { AppError } from '../core/errors.ts';
import { replyError } from './error-reply.ts';

/** For clients of the Cloud API, which can do much that is none of a gateway's business: registration, profiles, flows, QR codes … */
const ELSEWHERE =
  ': ask the platform itself, with its own access token, for what is not about messages, media and templates';
const NO_BATCHES = ': a batch of requests is not taken; send each by itself';
/** What the Graph API has in place of our `/v1`. */
const GRAPH_VERSION = /^\/v(?!1(?:\/|$))\d{1,3}(?:\.\d{1,3})?(?=\/|$)/;

/** Answers what no route of `app` takes: NOT_FOUND, or METHOD_NOT_ALLOWED with the methods a path takes. To be called before any route is made. */
export function refuseUnknownRoutes(app: FastifyInstance): void {
  const methodsOf = new Map<string, Set<string>>();
  app.addHook('onRoute', (route) => {
    const methods = methodsOf.get(route.url) ?? new Set();
    for (const method of [route.method].flat()) methods.add(method);
    methodsOf.set(route.url, methods);
  });
  /** Where to go instead, as the end of a sentence; empty where nobody knows. */
  const whereInstead = (method: string, path: string, asked: string): string => {
    const rest = asked.replace(GRAPH_VERSION, '');
    if (method === 'POST' && (rest === '' || rest === '/')) return NO_BATCHES;
    const isVersioned = rest !== asked;
    const ours = `${isVersioned ? '/v1' : ''}${rest.replace(/\/$/, '')}`;
    if (ours !== asked && isOurs(method, ours, methodsOf)) return `: ask ${ours}`;
    return isVersioned || /^\/v1\/\d+\//.test(path) ? ELSEWHERE : '';
  };
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0] ?? '/';
    const parts = path.split('/');
    const allowed =
      methodsOf.get(path) ??
      new Set([...methodsOf].filter(([pattern]) => matches(pattern, parts)).flatMap(([, methods]) => [...methods]));
    // A route that takes the method has seen the path and found nothing there.
    const asked = request.originalUrl.split('?', 1)[0] ?? '/';
    if (allowed.size === 0 || allowed.has(request.method)) {
      const where = whereInstead(request.method, path, asked);
      return replyError(reply, new AppError('NOT_FOUND', `There is no ${asked} here${where}.`));
    }
    reply.header('allow', [...allowed].join(', '));
    return replyError(reply, new AppError('METHOD_NOT_ALLOWED', `${request.method} is not possible on ${asked}.`));
  });
}

/** Whether `path` is one of those that only Fairway has, which do not begin with an id and are under `/v1` alone. */
function isOurs(method: string, path: string, methodsOf: ReadonlyMap<string, ReadonlySet<string>>): boolean {
  const parts = path.split('/');
  return [...methodsOf].some(
    ([pattern, methods]) => /^\/v1\/[^:]/.test(pattern) && methods.has(method) && matches(pattern, parts),
  );
}

function matches(pattern: string, given: readonly string[]): boolean {
  const wanted = pattern.split('/');
  return (
    wanted.length === given.length &&
    wanted.every((part, index) => (part.startsWith(':') ? given[index] !== '' : part === given[index]))
  );
}
