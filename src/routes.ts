import { EDGE_ROUTES } from './edges/index.ts';
import type { NumberLimit, OperatorRole, RouteRow, Scope } from './http/index.ts';

/** Sends: the hot route, which does without the hooks of other routes for organizations. */
export const SEND_ROUTES: ReadonlySet<string> = new Set([
  'POST /v1/:phoneNumberId/messages',
  'POST /v1/:phoneNumberId/marketing_messages',
  'PUT /v1/:phoneNumberId/messages',
]);

/** Routes that leave out or refuse what belongs to other numbers, for a key that is limited to numbers. */
const FILTERED: ReadonlySet<string> = new Set([
  'GET /v1',
  'GET /v1/messages',
  'GET /v1/events',
  'GET /v1/opt-outs',
  'POST /v1/opt-outs',
  'DELETE /v1/opt-outs/:id',
]);

/** Routes of a group of callers: by module, then by the scope or role that they need. */
type Group<Need extends string> = Record<string, Partial<Record<Need, readonly string[]>>>;

/** Every route: who may call it, the module that serves it, the scope or role that it needs, its method and its path. */
const TABLE: {
  anyone: Group<'nothing'>;
  platform: Group<'nothing'>;
  operator: Group<OperatorRole>;
  organization: Group<Scope | 'nothing'>;
} = {
  anyone: {
    http: { nothing: ['GET /healthz', 'GET /readyz', 'GET /openapi.json', 'GET /.well-known/security.txt'] },
    console: {
      nothing: [
        'GET /console',
        'GET /console/*',
        'POST /console/session',
        'GET /console/session',
        'DELETE /console/session',
        'GET /console/oidc',
        'POST /console/oidc',
        'GET /console/oidc/callback',
      ],
    },
    onboarding: {
      nothing: [
        'GET /setup',
        'GET /setup/assets/:file',
        'POST /setup/session',
        'GET /setup/session',
        'POST /setup/dialog',
        'GET /setup/callback',
        'POST /setup/steps/:step',
      ],
    },
    'outbound-webhooks': { nothing: ['GET /v1/oauth/access_token', 'POST /v1/oauth/access_token'] },
    reference: {
      nothing: ['GET /docs', 'GET /docs/:page', 'GET /docs/api/:page', 'GET /docs/assets/:file', 'GET /llms.txt'],
    },
  },
  platform: {
    'inbound-webhooks': {
      nothing: [
        'GET /webhooks/upstream',
        'POST /webhooks/upstream',
        'GET /webhooks/upstream/:appId',
        'POST /webhooks/upstream/:appId',
      ],
    },
  },
  operator: {
    http: { support: ['GET /metrics'] },
    console: {
      operator: [
        'GET /console/simulator/*',
        'POST /console/simulator/*',
        'PUT /console/simulator/*',
        'PATCH /console/simulator/*',
        'DELETE /console/simulator/*',
      ],
    },
    operators: {
      support: ['GET /admin/v1/me'],
      admin: [
        'POST /admin/v1/operators',
        'GET /admin/v1/operators',
        'GET /admin/v1/operators/:id',
        'PATCH /admin/v1/operators/:id',
        'POST /admin/v1/operators/:id/rotate',
        'DELETE /admin/v1/operators/:id',
      ],
    },
    apps: {
      support: ['GET /admin/v1/apps', 'GET /admin/v1/apps/:app_id'],
      admin: ['POST /admin/v1/apps', 'PATCH /admin/v1/apps/:app_id', 'DELETE /admin/v1/apps/:app_id'],
    },
    organizations: {
      support: [
        'GET /admin/v1/organizations',
        'GET /admin/v1/organizations/:org_id',
        'GET /admin/v1/organizations/:org_id/api-keys',
        'GET /admin/v1/organizations/:org_id/plan',
        'GET /admin/v1/organizations/:org_id/usage',
        'GET /admin/v1/organizations/:org_id/usage/days',
        'GET /admin/v1/organizations/:org_id/rates',
      ],
      operator: [
        'POST /admin/v1/organizations',
        'PATCH /admin/v1/organizations/:org_id',
        'POST /admin/v1/organizations/:org_id/api-keys',
        'PATCH /admin/v1/api-keys/:id',
        'POST /admin/v1/api-keys/:id/rotate',
        'DELETE /admin/v1/api-keys/:id',
        'PUT /admin/v1/organizations/:org_id/plan',
        'PUT /admin/v1/organizations/:org_id/rates',
        'DELETE /admin/v1/organizations/:org_id/rates',
      ],
    },
    closing: { admin: ['DELETE /admin/v1/organizations/:org_id'] },
    accounts: {
      support: ['GET /admin/v1/organizations/:org_id/wabas'],
      operator: [
        'POST /admin/v1/organizations/:org_id/wabas',
        'POST /admin/v1/wabas/:waba_id/sync',
        'PATCH /admin/v1/wabas/:waba_id',
        'DELETE /admin/v1/wabas/:waba_id',
        'PATCH /admin/v1/numbers/:phone_number_id',
      ],
    },
    onboarding: {
      support: [
        'GET /admin/v1/organizations/:org_id/onboardings',
        'GET /admin/v1/organizations/:org_id/onboardings/:id',
        'GET /admin/v1/organizations/:org_id/setup-links',
      ],
      operator: [
        'POST /admin/v1/organizations/:org_id/onboardings',
        'POST /admin/v1/organizations/:org_id/onboardings/:id/steps/:step',
        'DELETE /admin/v1/organizations/:org_id/onboardings/:id',
        'POST /admin/v1/organizations/:org_id/setup-links',
        'DELETE /admin/v1/organizations/:org_id/setup-links/:id',
      ],
      admin: ['POST /admin/v1/organizations/:org_id/onboardings/:id/pin'],
    },
    audit: { admin: ['GET /admin/v1/audit', 'GET /admin/v1/audit/verification'] },
    dispatch: { support: ['GET /admin/v1/queue', 'GET /admin/v1/queue/next'] },
    overview: { support: ['GET /admin/v1/overview'] },
    doctor: { support: ['GET /admin/v1/doctor'], operator: ['POST /admin/v1/doctor/fixes'] },
    'inbound-webhooks': {
      support: ['GET /admin/v1/upstream-journal'],
      operator: ['POST /admin/v1/upstream-journal/replay'],
    },
  },
  organization: {
    messages: {
      'messages:send': [...SEND_ROUTES],
      'messages:read': ['GET /v1/messages', 'GET /v1/messages/:id', 'GET /v1/messages/:id/body'],
    },
    conversations: { 'messages:read': ['GET /v1/:phoneNumberId/windows/:person'] },
    organizations: { 'messages:read': ['GET /v1/usage'] },
    'opt-outs': { 'opt-outs': ['GET /v1/opt-outs', 'POST /v1/opt-outs', 'DELETE /v1/opt-outs/:id'] },
    timeline: { 'messages:read': ['GET /v1/messages/:id/timeline'] },
    cancellation: { 'messages:send': ['POST /v1/messages/cancel', 'POST /v1/messages/:id/cancel'] },
    events: { 'events:read': ['GET /v1/events'] },
    erasure: { people: ['DELETE /v1/people/:person', 'GET /v1/people/:person/data', 'GET /v1/erasures/:id'] },
    audit: { 'audit:read': ['GET /v1/audit', 'GET /v1/audit/verification'] },
    'outbound-webhooks': {
      webhooks: [
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
        'GET /v1/:appId/subscriptions',
        'POST /v1/:appId/subscriptions',
        'DELETE /v1/:appId/subscriptions',
        'GET /v1/:wabaId/subscribed_apps',
        'POST /v1/:wabaId/subscribed_apps',
        'DELETE /v1/:wabaId/subscribed_apps',
      ],
    },
    templates: {
      'templates:read': ['GET /v1/:wabaId/message_templates', 'GET /v1/templates', 'GET /v1/templates/:id'],
      'templates:write': [
        'POST /v1/:wabaId/templates',
        'POST /v1/:wabaId/message_templates',
        'DELETE /v1/:wabaId/message_templates',
        'POST /v1/templates/:id',
        'DELETE /v1/templates/:id',
        'POST /v1/:id',
      ],
    },
    media: {
      'templates:write': ['POST /v1/:appId/uploads', 'GET /v1/uploads/:uploadId', 'POST /v1/uploads/:uploadId'],
      media: ['POST /v1/media/upload', 'POST /v1/:phoneNumberId/media', 'GET /v1/media/:id/download', 'DELETE /v1/:id'],
    },
    nodes: { nothing: ['GET /v1'], 'number:read': ['GET /v1/:id', 'GET /v1/:wabaId/phone_numbers'] },
    edges: EDGE_ROUTES,
  },
};

/** The route table, one row a route. */
export const ROUTES: readonly RouteRow[] = [
  ...rowsOf('anyone'),
  ...rowsOf('platform'),
  ...rowsOf('operator'),
  ...rowsOf('organization').map((row) => ({ ...row, numbers: numberLimitOf(row.name) })),
];

function rowsOf<Caller extends keyof typeof TABLE>(caller: Caller) {
  type Need = (typeof TABLE)[Caller] extends Group<infer Known> ? Known : never;
  const modules: Group<Need> = TABLE[caller] as Group<Need>;
  return Object.entries(modules).flatMap(([module, needs]) =>
    (Object.entries(needs) as [Need, readonly string[]][]).flatMap(([need, names]) =>
      names.map((name) => ({ name, module, caller, needs: need })),
    ),
  );
}

function numberLimitOf(name: string): NumberLimit {
  if (FILTERED.has(name)) return 'filtered';
  if (name.includes('/:phoneNumberId/')) return 'path';
  return name.includes(' /v1/messages/:id') ? 'message' : 'refused';
}
