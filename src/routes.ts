import { EDGE_ROUTES } from './edges/index.ts';
import type { RouteCaller, RouteRow } from './http/index.ts';

/** Sends: the hot route, which does without the hooks of other routes for organizations. */
export const SEND_ROUTES: ReadonlySet<string> = new Set([
  'POST /v1/:phoneNumberId/messages',
  'PUT /v1/:phoneNumberId/messages',
]);

/** Every route: who may call it, the module that serves it, its method and its path. */
const TABLE: Record<RouteCaller, Record<string, readonly string[]>> = {
  anyone: {
    http: ['GET /healthz', 'GET /readyz', 'GET /openapi.json'],
    reference: ['GET /docs', 'GET /docs/:page', 'GET /docs/api/:page', 'GET /docs/assets/:file', 'GET /llms.txt'],
  },
  platform: {
    'inbound-webhooks': ['GET /webhooks/upstream', 'POST /webhooks/upstream'],
  },
  operator: {
    http: ['GET /metrics'],
    organizations: [
      'POST /admin/v1/organizations',
      'GET /admin/v1/organizations',
      'GET /admin/v1/organizations/:org_id',
      'PATCH /admin/v1/organizations/:org_id',
      'POST /admin/v1/organizations/:org_id/api-keys',
      'GET /admin/v1/organizations/:org_id/api-keys',
      'DELETE /admin/v1/api-keys/:id',
      'GET /admin/v1/organizations/:org_id/plan',
      'PUT /admin/v1/organizations/:org_id/plan',
      'GET /admin/v1/organizations/:org_id/usage',
      'PUT /admin/v1/organizations/:org_id/rates',
      'GET /admin/v1/organizations/:org_id/rates',
      'DELETE /admin/v1/organizations/:org_id/rates',
    ],
    closing: ['DELETE /admin/v1/organizations/:org_id'],
    accounts: [
      'POST /admin/v1/organizations/:org_id/wabas',
      'GET /admin/v1/organizations/:org_id/wabas',
      'POST /admin/v1/wabas/:waba_id/sync',
      'DELETE /admin/v1/wabas/:waba_id',
      'PATCH /admin/v1/numbers/:phone_number_id',
    ],
    dispatch: ['GET /admin/v1/queue'],
    doctor: ['GET /admin/v1/doctor', 'POST /admin/v1/doctor/fixes'],
    'inbound-webhooks': ['GET /admin/v1/upstream-journal', 'POST /admin/v1/upstream-journal/replay'],
  },
  organization: {
    messages: [...SEND_ROUTES, 'GET /v1/messages', 'GET /v1/messages/:id'],
    conversations: ['GET /v1/:phoneNumberId/windows/:person'],
    timeline: ['GET /v1/messages/:id/timeline'],
    cancellation: ['POST /v1/messages/cancel', 'POST /v1/messages/:id/cancel'],
    events: ['GET /v1/events'],
    'outbound-webhooks': [
      'POST /v1/webhooks',
      'GET /v1/webhooks',
      'GET /v1/webhooks/:id',
      'PATCH /v1/webhooks/:id',
      'DELETE /v1/webhooks/:id',
      'POST /v1/webhooks/:id/enable',
      'POST /v1/webhooks/:id/test',
      'POST /v1/webhooks/:id/rotate-secret',
      'GET /v1/webhooks/:id/deliveries',
      'POST /v1/webhooks/:id/replay',
    ],
    templates: [
      'POST /v1/:wabaId/templates',
      'POST /v1/:wabaId/message_templates',
      'GET /v1/:wabaId/message_templates',
      'DELETE /v1/:wabaId/message_templates',
      'GET /v1/templates',
      'GET /v1/templates/:id',
      'POST /v1/templates/:id',
      'DELETE /v1/templates/:id',
      'POST /v1/:id',
    ],
    media: ['POST /v1/media/upload', 'POST /v1/:phoneNumberId/media', 'GET /v1/media/:id/download', 'DELETE /v1/:id'],
    nodes: ['GET /v1', 'GET /v1/:id', 'GET /v1/:wabaId/phone_numbers'],
    edges: EDGE_ROUTES,
  },
};

/** The route table, one row a route. */
export const ROUTES: readonly RouteRow[] = Object.entries(TABLE).flatMap(([caller, modules]) =>
  Object.entries(modules).flatMap(([module, names]) =>
    names.map((name) => ({ name, caller: caller as RouteCaller, module })),
  ),
);
