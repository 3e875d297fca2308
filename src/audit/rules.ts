import { NODE_KINDS, type ObjectKind } from './object-queries.ts';

/** Rule for the audit of one route that changes something. */
export interface AuditRule {
  /** Kinds of the object that the change is about, the likeliest first; none if it is about no single object. */
  kinds: readonly ObjectKind[];
  /** Place of the object's id: a parameter of the path, or a member of the answer. */
  id?: { parameter: string } | { answer: string };
  /** Parameter of the path that names the organization, if the object's id does not lead to it. */
  organization?: string;
  /** Parameters of the query that are stored. */
  query?: readonly string[];
  /** Members of the answer that are stored. */
  answer?: readonly string[];
}

const path = (kind: ObjectKind, parameter = 'id'): AuditRule => ({ kinds: [kind], id: { parameter } });
const made = (kind: ObjectKind, organization?: string, answer = 'id'): AuditRule => ({
  kinds: [kind],
  id: { answer },
  ...(organization !== undefined && { organization }),
});
const node: AuditRule = { kinds: NODE_KINDS, id: { parameter: 'id' } };

/** Rules of the routes outside of the table of edges. */
const RULES: Readonly<Record<string, AuditRule>> = {
  'POST /admin/v1/operators': made('operator'),
  'PATCH /admin/v1/operators/:id': path('operator'),
  'POST /admin/v1/operators/:id/rotate': path('operator'),
  'DELETE /admin/v1/operators/:id': path('operator'),
  'POST /admin/v1/apps': made('app', undefined, 'app_id'),
  'PATCH /admin/v1/apps/:app_id': path('app', 'app_id'),
  'DELETE /admin/v1/apps/:app_id': path('app', 'app_id'),
  'POST /admin/v1/organizations': made('organization'),
  'PATCH /admin/v1/organizations/:org_id': path('organization', 'org_id'),
  'DELETE /admin/v1/organizations/:org_id': path('organization', 'org_id'),
  'POST /admin/v1/organizations/:org_id/api-keys': made('api_key', 'org_id'),
  'PATCH /admin/v1/api-keys/:id': path('api_key'),
  'POST /admin/v1/api-keys/:id/rotate': path('api_key'),
  'DELETE /admin/v1/api-keys/:id': path('api_key'),
  'PUT /admin/v1/organizations/:org_id/plan': path('plan', 'org_id'),
  'PUT /admin/v1/organizations/:org_id/rates': path('rates', 'org_id'),
  'DELETE /admin/v1/organizations/:org_id/rates': path('rates', 'org_id'),
  'POST /admin/v1/organizations/:org_id/wabas': made('account', 'org_id', 'waba_id'),
  'PATCH /admin/v1/wabas/:waba_id': path('account', 'waba_id'),
  'POST /admin/v1/wabas/:waba_id/sync': path('account', 'waba_id'),
  'DELETE /admin/v1/wabas/:waba_id': path('account', 'waba_id'),
  'PATCH /admin/v1/numbers/:phone_number_id': path('number', 'phone_number_id'),
  'POST /admin/v1/organizations/:org_id/onboardings': made('onboarding', 'org_id'),
  'POST /admin/v1/organizations/:org_id/onboardings/:id/steps/:step': { ...path('onboarding'), organization: 'org_id' },
  'POST /admin/v1/organizations/:org_id/onboardings/:id/pin': { ...path('onboarding'), organization: 'org_id' },
  'DELETE /admin/v1/organizations/:org_id/onboardings/:id': { ...path('onboarding'), organization: 'org_id' },
  'POST /admin/v1/organizations/:org_id/setup-links': made('setup_link', 'org_id'),
  'DELETE /admin/v1/organizations/:org_id/setup-links/:id': { ...path('setup_link'), organization: 'org_id' },
  'POST /admin/v1/doctor/fixes': { kinds: [] },
  'POST /admin/v1/upstream-journal/replay': { kinds: [] },
  'POST /v1/messages/cancel': { kinds: [], answer: ['cancelled'] },
  'POST /v1/messages/:id/cancel': path('message'),
  'POST /v1/webhooks': made('webhook'),
  'PATCH /v1/webhooks/:id': path('webhook'),
  'DELETE /v1/webhooks/:id': path('webhook'),
  'POST /v1/webhooks/:id/enable': path('webhook'),
  'POST /v1/webhooks/:id/test': path('webhook'),
  'POST /v1/webhooks/:id/rotate-secret': path('webhook'),
  'POST /v1/webhooks/:id/replay': path('webhook'),
  'POST /v1/:appId/subscriptions': { kinds: [] },
  'DELETE /v1/:appId/subscriptions': { kinds: [] },
  'POST /v1/:wabaId/subscribed_apps': path('account', 'wabaId'),
  'DELETE /v1/:wabaId/subscribed_apps': path('account', 'wabaId'),
  'POST /v1/:wabaId/templates': made('template'),
  'POST /v1/:wabaId/message_templates': made('template'),
  'DELETE /v1/:wabaId/message_templates': { ...path('account', 'wabaId'), query: ['name', 'hsm_id'] },
  'POST /v1/templates/:id': path('template'),
  'DELETE /v1/templates/:id': path('template'),
  'POST /v1/opt-outs': made('opt_out'),
  'DELETE /v1/opt-outs/:id': path('opt_out'),
  'DELETE /v1/people/:person': made('erasure'),
  'POST /v1/:id': node,
  'DELETE /v1/:id': node,
};

/**
 * Changing routes without audit. Sends, and uploads of files, are not changes of the configuration. A session and the token of an app change
 * nothing by themselves, and the simulator's controls change the demo only. A sign-in by the identity provider is recorded by
 * `record-sign-in.ts` when it ends.
 */
const NOT_AUDITED: ReadonlySet<string> = new Set([
  'POST /v1/:phoneNumberId/messages',
  'POST /v1/:phoneNumberId/marketing_messages',
  'PUT /v1/:phoneNumberId/messages',
  'POST /v1/media/upload',
  'POST /v1/:phoneNumberId/media',
  'POST /v1/:appId/uploads',
  'POST /v1/uploads/:uploadId',
  'POST /v1/oauth/access_token',
  'POST /webhooks/upstream',
  'POST /webhooks/upstream/:appId',
  'POST /console/session',
  'DELETE /console/session',
  'POST /console/oidc',
  'POST /setup/session',
  'POST /setup/dialog',
  'POST /setup/steps/:step',
  'POST /console/simulator/*',
  'PUT /console/simulator/*',
  'PATCH /console/simulator/*',
  'DELETE /console/simulator/*',
]);

const OF_EDGES: readonly [start: string, AuditRule][] = [
  ['/v1/:phoneNumberId/', path('number', 'phoneNumberId')],
  ['/v1/:wabaId/', path('account', 'wabaId')],
  ['/v1/:templateId/', path('template', 'templateId')],
  ['/v1/:flowId/', path('platform_object', 'flowId')],
  ['/v1/:groupId/', path('platform_object', 'groupId')],
  ['/v1/:signupId/', path('platform_object', 'signupId')],
  ['/v1/:historyId/', path('platform_object', 'historyId')],
];

/**
 * Returns the audit rule of a route; undefined for one that reads, or whose changes are not audited. Throws for any other route, so that
 * a new route cannot be registered without a decision about its audit.
 */
export function auditRuleOf({ name, module }: { name: string; module: string }): AuditRule | undefined {
  const [method = '', url = ''] = name.split(' ');
  if (method === 'GET' || NOT_AUDITED.has(name)) return undefined;
  const rule = RULES[name] ?? (module === 'edges' ? OF_EDGES.find(([start]) => url.startsWith(start))?.[1] : undefined);
  if (rule === undefined) throw new Error(`no audit rule for ${name}`);
  return rule;
}
