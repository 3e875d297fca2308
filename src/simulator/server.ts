import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import { registerControlRoutes } from './control/control-routes.ts';
import { registerEdgeRoutes } from './edges/register-edge-routes.ts';
import { registerAccountRoutes } from './graph/account-routes.ts';
import { registerAppRoutes } from './graph/app-routes.ts';
import { GraphError, graphErrorBody } from './graph/graph-errors.ts';
import { givenToken, resetEarly } from './graph/graph-request.ts';
import { registerMediaRoutes } from './media/media-routes.ts';
import { registerUploadRoutes } from './media/upload-routes.ts';
import { registerMessageRoutes } from './messages/message-routes.ts';
import type { Platform } from './platform.ts';
import { registerSignupRoutes } from './signup/signup-routes.ts';
import { registerTemplateRoutes } from './templates/template-routes.ts';

const BODY_BYTES_MAX = 4 * 1024 * 1024;
/** Room that an object takes beside the bytes of the call that created it. */
const CALL_BYTES = 1024;
const versionPrefix = /^\/v(\d+\.\d+)(?=\/)/;

/** Creates the HTTP server of the platform: Graph paths with any version prefix or none, and the control API under `/_sim`. */
export async function createSimulatorServer(platform: Platform): Promise<FastifyInstance> {
  const app = Fastify({
    bodyLimit: BODY_BYTES_MAX,
    forceCloseConnections: true,
    keepAliveTimeout: 120_000,
    rewriteUrl: (request) => request.url?.replace(versionPrefix, '') ?? '/',
  });
  // Keeps bodies as bytes: their exact form is recorded, and each route parses its own.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));

  app.addHook('onRequest', async (request, reply) => {
    const version = versionPrefix.exec(request.originalUrl)?.[1];
    reply.header('date', new Date(platform.clock.now()).toUTCString());
    reply.header('facebook-api-version', `v${version ?? '24.0'}`);
    reply.header('x-fb-request-id', platform.ids.traceId());
    reply.header('x-fb-trace-id', platform.ids.traceId());
    const endpoint = request.routeOptions.config.simulatedEndpoint;
    // The route of sends resets them itself, because it also records them.
    if (endpoint !== undefined && endpoint !== 'messages' && endpoint !== 'marketing_messages')
      resetEarly(platform, request, reply);
  });

  const { keeper } = platform;
  if (keeper !== undefined) {
    // Nothing waits between this and the handler, so the account cannot be forgotten in between.
    app.addHook('preHandler', (request) => keeper.prepare(givenToken(request)));
    app.addHook('onResponse', async (request) => {
      if (mayStore(request)) keeper.noteStored(givenToken(request), CALL_BYTES + bytesOf(request));
    });
  }

  app.setErrorHandler((error, _request, reply) => {
    if (error instanceof GraphError)
      return reply.code(error.httpStatus).send(graphErrorBody(error, platform.ids.traceId()));
    const message = error instanceof Error ? error.message : String(error);
    return reply.code(500).send(graphErrorBody(new GraphError(1, { message }), platform.ids.traceId()));
  });
  app.setNotFoundHandler((request, reply) => {
    const error = new GraphError(2500, { message: `Unknown path components: ${request.url.split('?')[0]}` });
    return reply.code(error.httpStatus).send(graphErrorBody(error, platform.ids.traceId()));
  });

  registerMessageRoutes(app, platform);
  registerAccountRoutes(app, platform);
  registerAppRoutes(app, platform);
  registerTemplateRoutes(app, platform);
  registerSignupRoutes(app, platform);
  registerEdgeRoutes(app, platform);
  registerUploadRoutes(app, platform);
  await registerMediaRoutes(app, platform);
  if (platform.hasControlApi) registerControlRoutes(app, platform);
  return app;
}

/** True for calls that can leave an object behind. Sends note it themselves. */
function mayStore({ method, routeOptions }: FastifyRequest): boolean {
  const { simulatedEndpoint: endpoint } = routeOptions.config;
  return method !== 'GET' && endpoint !== 'messages' && endpoint !== 'marketing_messages';
}

function bytesOf({ originalUrl, body }: FastifyRequest): number {
  return originalUrl.length + (Buffer.isBuffer(body) ? body.length : 0);
}
