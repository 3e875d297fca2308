import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { Type } from 'typebox';
import { AppError } from '../core/errors.ts';
import type { SecretBox } from '../core/secret-box.ts';
import type { Clock } from '../core/time/clock.ts';
import type { ChangeFeed } from '../database/changes/change-feed.ts';
import type { Database } from '../database/database.ts';
import {
  addressFor,
  checkPageRequest,
  readJsonBody,
  readSessionCookie,
  SESSION_COOKIE,
  type SignInLimit,
  sendJson,
  tooManySignIns,
} from '../http/index.ts';
import { BuiltPages } from './built-pages.ts';
import type { IdentityProvider } from './oidc/identity-provider.ts';
import { oidcRoutes } from './oidc/routes.ts';
import { renderSession } from './session-view.ts';
import { type SignInDeps, signIn } from './sign-in.ts';
import { askSimulator } from './simulator-door.ts';

const HIDDEN = { schema: { hide: true } };
const COOKIE = 'HttpOnly; SameSite=Strict; Path=/';
const TEXT = Type.String({ minLength: 1, maxLength: 1000 });
const signInBody = Type.Union([
  Type.Object({ token: TEXT }, { additionalProperties: false }),
  Type.Object({ link: TEXT }, { additionalProperties: false }),
]);

export interface ConsoleDeps extends SignInDeps {
  db: Database;
  changes: Pick<ChangeFeed, 'catchUp'>;
  clock: Clock;
  log: Logger;
  secretBox: SecretBox;
  /** `null` if nobody signs in by an identity provider. */
  provider: IdentityProvider | null;
  signInLimit: SignInLimit;
  /** `http://host:port` of the simulated platform that this process started; `null` without one. */
  simulatorOrigin: string | null;
  publicUrl: string | null;
  /** Folder of the built pages. */
  pagesDir: string;
}

/** Registers the pages of the console and their sessions. The routes are for these pages only, so the OpenAPI file leaves them out. */
export function consoleRoutes(app: FastifyInstance, deps: ConsoleDeps): void {
  sessionRoutes(app, deps);
  if (deps.simulatorOrigin !== null) simulatorRoutes(app, deps.simulatorOrigin);
  const pages = new BuiltPages(deps.pagesDir);
  app.get('/console', HIDDEN, (request, reply) => sendPage(request, reply, pages));
  app.get<{ Params: { '*': string } }>('/console/*', HIDDEN, (request, reply) => {
    const path = request.params['*'];
    const file = pages.find(path);
    // Any path without an extension is one of the pages' own addresses.
    if (file === undefined || path === 'index.html') {
      if (/\.\w+$/.test(path) && path !== 'index.html')
        throw new AppError('NOT_FOUND', `The console has no file ${path}.`);
      return sendPage(request, reply, pages);
    }
    reply
      .header('cache-control', file.isHashed ? 'public, max-age=31536000, immutable' : 'public, no-cache')
      .header('vary', 'accept-encoding')
      .header('x-content-type-options', 'nosniff')
      .type(file.type);
    const takesGzip = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''));
    if (file.compressed === undefined || !takesGzip) return reply.send(file.bytes);
    return reply.header('content-encoding', 'gzip').send(file.compressed);
  });
}

function sessionRoutes(app: FastifyInstance, deps: ConsoleDeps): void {
  const { sessions, signInLimit, publicUrl, provider } = deps;
  const secure = publicUrl?.startsWith('https:') ? '; Secure' : '';
  const sessionCookie = (secret: string) => `${SESSION_COOKIE}=${secret}; ${COOKIE}${secure}`;
  const secretOf = (request: FastifyRequest) => {
    checkPageRequest(request, new URL(addressFor(request, publicUrl)).origin);
    return readSessionCookie(request);
  };

  app.post('/console/session', HIDDEN, async (request, reply) => {
    secretOf(request);
    const opened = await signIn(deps, readJsonBody(request, signInBody));
    if (opened === undefined) {
      const waitSeconds = signInLimit.failed(request.ip, deps.clock.monotonicMs());
      throw waitSeconds > 0 ? tooManySignIns(waitSeconds) : unauthorized('This token or link opens no session.');
    }
    return reply
      .header('set-cookie', sessionCookie(opened.secret))
      .header('cache-control', 'no-store')
      .send(await renderSession(deps, opened.session));
  });

  app.get('/console/session', HIDDEN, async (request, reply) => {
    const secret = secretOf(request);
    const session = secret === undefined ? undefined : await sessions.find(secret);
    if (session === undefined) throw unauthorized('Sign in first.');
    return reply.header('cache-control', 'no-store').send(await renderSession(deps, session));
  });

  app.delete('/console/session', HIDDEN, async (request, reply) => {
    const secret = secretOf(request);
    const session = secret === undefined ? undefined : await sessions.find(secret);
    if (secret !== undefined) await sessions.end(secret);
    reply.header('set-cookie', `${sessionCookie('')}; Max-Age=0`);
    const isProviders = session !== undefined && 'operator' in session && session.operator.identity !== null;
    const url = isProviders && (await provider?.endSessionUrl(`${addressFor(request, publicUrl)}/console/`));
    return url ? reply.header('cache-control', 'no-store').send({ url }) : reply.code(204).send();
  });

  oidcRoutes(app, { ...deps, sessionCookie });
}

/** Registers the door to the controls of the simulated platform. The table of routes opens it for operators only. */
function simulatorRoutes(app: FastifyInstance, origin: string): void {
  for (const method of ['get', 'post', 'put', 'patch', 'delete'] as const) {
    app[method]<{ Params: { '*': string } }>('/console/simulator/*', HIDDEN, async (request, reply) => {
      const { status, json } = await askSimulator(origin, {
        method: request.method === 'HEAD' ? 'GET' : request.method,
        path: request.params['*'],
        query: /\?.*$/.exec(request.url)?.[0] ?? '',
        body: request.body as Buffer | undefined,
      });
      return sendJson(reply.code(status).header('cache-control', 'no-store'), json);
    });
  }
}

function sendPage(request: FastifyRequest, reply: FastifyReply, pages: BuiltPages): FastifyReply {
  const page = pages.page(baseOf(request.url));
  reply
    .type('text/html; charset=utf-8')
    .header('cache-control', 'no-store')
    .header('x-content-type-options', 'nosniff')
    .header('referrer-policy', 'no-referrer')
    .header('content-security-policy', policyOf(page?.nonce));
  return page === undefined ? reply.code(503).send(NOT_BUILT) : reply.send(page.html);
}

/**
 * Returns the relative path from a page to `/console/`. The page needs no address of its own, because a proxy may have removed the first
 * part of its path.
 */
function baseOf(url: string): string {
  const [path = ''] = url.split('?');
  const depth = path.split('/').length - 3;
  return depth < 0 ? './console/' : `./${'../'.repeat(depth)}`;
}

/** Forbids everything but files of this origin, and styles that carry the nonce of the page. */
function policyOf(nonce: string | undefined): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self'${nonce === undefined ? '' : ` 'nonce-${nonce}'`}`,
    "connect-src 'self'",
    "img-src 'self' data: blob:",
    "media-src 'self' blob:",
    "font-src 'self'",
    "manifest-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}

const NOT_BUILT = `<!doctype html>
<html lang="en"><title>Fairway console</title>
<h1>The console is not built</h1>
<p>Run <code>npm ci</code> in the folder of the gateway, or <code>npm run build -w console</code>, and load this page again.</p>
</html>
`;

function unauthorized(message: string): AppError {
  return new AppError('UNAUTHORIZED', message);
}
