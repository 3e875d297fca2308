import type { FastifyInstance } from 'fastify';
import { AppError } from '../core/errors.ts';
import { replyError } from './error-reply.ts';

/** For clients of the Cloud API, whose other calls would give access to accounts, or cross from one organization to another. */
const ELSEWHERE =
  ': ask the operator of this gateway, or the platform itself with its own access token, for a call that the reference does not list';
const NO_BATCHES = ': a batch of requests is not taken; send each by itself';
/** Version that the Graph API has in place of Fairway's `/v1`. */
const GRAPH_VERSION = /^\/v(?!1(?:\/|$))\d{1,3}(?:\.\d{1,3})?(?=\/|$)/;

/**
 * Answers requests that no route of `app` takes: NOT_FOUND, or METHOD_NOT_ALLOWED with the methods of the path. Call it before any route
 * is registered.
 */
export function refuseUnknownRoutes(app: FastifyInstance): void {
  const methodsOf = new Map<string, Set<string>>();
  app.addHook('onRoute', (route) => {
    const methods = methodsOf.get(route.url) ?? new Set();
    for (const method of [route.method].flat()) methods.add(method);
    methodsOf.set(route.url, methods);
  });
  /** Returns the path to use instead, as the end of a sentence; undefined if there is none. */
  const whereInstead = (method: string, asked: string): string | undefined => {
    const rest = asked.replace(GRAPH_VERSION, '');
    if (method === 'POST' && (rest === '' || rest === '/')) return NO_BATCHES;
    const isVersioned = rest !== asked;
    const ours = `${isVersioned ? '/v1' : ''}${rest.replace(/\/$/, '')}`;
    if (ours !== asked && isOurs(method, ours, methodsOf)) return `: ask ${ours}`;
    const withoutId = ours.replace(/^(?:\/v1)?\/\d[^/]*\//, '/v1/').replace('/message_templates/', '/templates/');
    if (withoutId !== ours && isOurs(method, withoutId, methodsOf)) return `: ask ${withoutId}`;
    const mediaId = /^(?:\/v1)?\/media\/(\d+)$/.exec(ours)?.[1];
    if (mediaId !== undefined && ['GET', 'HEAD', 'DELETE'].includes(method)) return `: ask /v1/${mediaId}`;
    const behindId = patternBehindId(method, rest, methodsOf);
    return behindId && `: ask ${behindId}`;
  };
  app.setNotFoundHandler((request, reply) => {
    const path = (request.url.split('?', 1)[0] ?? '/').replace(/(?<=.)\/$/, '');
    const parts = path.split('/');
    const allowed =
      methodsOf.get(path) ??
      new Set([...methodsOf].filter(([pattern]) => matches(pattern, parts)).flatMap(([, methods]) => [...methods]));
    // A route that accepts the method has seen the path and found nothing there.
    const asked = request.originalUrl.split('?', 1)[0] ?? '/';
    const where = whereInstead(request.method, asked);
    if (allowed.size === 0 || allowed.has(request.method) || where === NO_BATCHES) {
      const isCloudApi = GRAPH_VERSION.test(asked) || /^\/v1\/\d+\//.test(path);
      const rest = where ?? (isCloudApi ? ELSEWHERE : '');
      return replyError(reply, new AppError('NOT_FOUND', `There is no ${asked} here${rest}.`));
    }
    const allow = [...allowed].join(', ');
    reply.header('allow', allow);
    return replyError(
      reply,
      new AppError('METHOD_NOT_ALLOWED', `${request.method} is not possible on ${asked}${where ?? `, only ${allow}`}.`),
    );
  });
}

/** Returns true if `path` is specific to Fairway: it does not begin with an id and is under `/v1` only. */
function isOurs(method: string, path: string, methodsOf: ReadonlyMap<string, ReadonlySet<string>>): boolean {
  const parts = path.split('/');
  return [...methodsOf].some(
    ([pattern, methods]) => /^\/v1\/[^:]/.test(pattern) && methods.has(method) && matches(pattern, parts),
  );
}

/**
 * Returns the pattern of a path with an id before the last segment of `path`. Clients of services with one key per number leave the id
 * out, as do clients of the platform's predecessor. Others have a missing setting in its place (`undefined` or nothing), or the number
 * itself.
 */
function patternBehindId(
  method: string,
  path: string,
  methodsOf: ReadonlyMap<string, ReadonlySet<string>>,
): string | undefined {
  const segment = /^(?:\/v1)?(?:\/[^/]*)?\/([^/]+)\/?$/.exec(path)?.[1];
  if (segment === undefined) return undefined;
  const pattern = [...methodsOf].find(
    ([known, methods]) => methods.has(method) && /^\/v1\/:[^/]+\/([^/]+)$/.exec(known)?.[1] === segment,
  )?.[0];
  return pattern?.replace(/:([^/]+)/, '{$1}');
}

function matches(pattern: string, given: readonly string[]): boolean {
  const wanted = pattern.split('/');
  return (
    wanted.length === given.length &&
    wanted.every((part, index) => (part.startsWith(':') ? given[index] !== '' : part === given[index]))
  );
}
