import type { FastifyInstance } from 'fastify';
import { AppError } from '../core/errors.ts';
import { replyError } from './error-reply.ts';

/** For clients of the Cloud API, which can do much that is none of a gateway's business: registration, profiles, flows, QR codes … */
const ELSEWHERE =
  ': ask the platform itself, with its own access token, for what is not about messages, media and templates';

/** Answers what no route of `app` takes: NOT_FOUND, or METHOD_NOT_ALLOWED with the methods a path takes. To be called before any route is made. */
export function refuseUnknownRoutes(app: FastifyInstance): void {
  const methodsOf = new Map<string, Set<string>>();
  app.addHook('onRoute', (route) => {
    const methods = methodsOf.get(route.url) ?? new Set();
    for (const method of [route.method].flat()) methods.add(method);
    methodsOf.set(route.url, methods);
  });
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0] ?? '/';
    const parts = path.split('/');
    const allowed =
      methodsOf.get(path) ??
      new Set([...methodsOf].filter(([pattern]) => matches(pattern, parts)).flatMap(([, methods]) => [...methods]));
    // A route that takes the method has seen the path and found nothing there.
    const asked = request.originalUrl.split('?', 1)[0] ?? '/';
    if (allowed.size === 0 || allowed.has(request.method)) {
      const where = /^\/v1\/\d+\//.test(path) ? ELSEWHERE : '';
      return replyError(reply, new AppError('NOT_FOUND', `There is no ${asked} here${where}.`));
    }
    reply.header('allow', [...allowed].join(', '));
    return replyError(reply, new AppError('METHOD_NOT_ALLOWED', `${request.method} is not possible on ${asked}.`));
  });
}

function matches(pattern: string, given: readonly string[]): boolean {
  const wanted = pattern.split('/');
  return (
    wanted.length === given.length &&
    wanted.every((part, index) => (part.startsWith(':') ? given[index] !== '' : part === given[index]))
  );
}
