import type { FastifyInstance } from 'fastify';
import type { Platform } from '../platform.ts';
import { registerAccountEdgeRoutes } from './account-edge-routes.ts';
import { registerCallRoutes } from './call-routes.ts';
import { registerContactRoutes } from './contact-routes.ts';
import { registerDocumentRoutes } from './document-routes.ts';
import { registerFlowRoutes } from './flow-routes.ts';
import { registerGroupRoutes } from './group-routes.ts';
import { registerRegistrationRoutes } from './registration-routes.ts';

/** Registers the Graph calls beside messages, media, templates and webhooks. */
export function registerEdgeRoutes(app: FastifyInstance, platform: Platform): void {
  registerDocumentRoutes(app, platform);
  registerContactRoutes(app, platform);
  registerRegistrationRoutes(app, platform);
  registerCallRoutes(app, platform);
  registerFlowRoutes(app, platform);
  registerGroupRoutes(app, platform);
  registerAccountEdgeRoutes(app, platform);
}
