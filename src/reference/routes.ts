import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../core/errors.ts';
import type { OpenApiDocument } from './openapi-document.ts';
import { Site } from './site.ts';

/** Forbids everything but files of this origin: no inline script or style, no evaluated text, no frame, no other host. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

interface ReferenceDeps {
  /** Base URL for clients; its path precedes `/docs` in links. `null`: no path precedes it. */
  publicUrl: string | null;
}

/** Registers the reference at `/docs`. It needs no key: it holds nothing of a tenant. */
export function referenceRoutes(app: FastifyInstance, { publicUrl }: ReferenceDeps): void {
  const base = publicUrl === null ? '' : new URL(publicUrl).pathname.replace(/\/$/, '');
  let site: Site | undefined;
  // Created at the first request, because the OpenAPI file is complete only once all routes are registered.
  const serve = (request: FastifyRequest, reply: FastifyReply, name: string) => {
    site ??= new Site(app.swagger() as unknown as OpenApiDocument, base);
    const file = site.find(name);
    if (file === undefined) throw new AppError('NOT_FOUND', `The reference has no page ${name}.`);
    const etag = `W/"${file.tag}"`;
    const isVersioned = (request.query as { v?: string }).v === file.tag;
    reply
      .header('etag', etag)
      .header('cache-control', isVersioned ? 'public, max-age=31536000, immutable' : 'public, no-cache')
      .header('vary', 'accept-encoding')
      .header('content-security-policy', POLICY)
      .header('x-content-type-options', 'nosniff')
      .header('referrer-policy', 'no-referrer')
      .type(file.type);
    if (request.headers['if-none-match']?.includes(etag)) return reply.code(304).send();
    if (!/\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''))) return reply.send(file.bytes);
    return reply.header('content-encoding', 'gzip').send(file.compressed);
  };
  const options = { schema: { hide: true } };
  app.get('/docs', options, (request, reply) => serve(request, reply, 'index'));
  app.get<{ Params: { page: string } }>('/docs/:page', options, (request, reply) =>
    serve(request, reply, request.params.page),
  );
  app.get<{ Params: { page: string } }>('/docs/api/:page', options, (request, reply) =>
    serve(request, reply, `api/${request.params.page}`),
  );
  app.get<{ Params: { file: string } }>('/docs/assets/:file', options, (request, reply) =>
    serve(request, reply, `assets/${request.params.file}`),
  );
  app.get('/llms.txt', options, (request, reply) => serve(request, reply, 'llms.txt'));
}
