import { type Edge, edgesOf, PAGES } from './edge.ts';

const row = edgesOf('Business accounts');

/** Members of a business account that may be asked for. Members that lead to its owner, its users and other accounts are missing. */
const ACCOUNT_FIELDS = [
  'id',
  'account_review_status',
  'analytics',
  'auth_international_rate_eligibility',
  'business_verification_status',
  'call_analytics',
  'conversation_analytics',
  'country',
  'creation_time',
  'currency',
  'health_status',
  'is_enabled_for_insights',
  'marketing_messages_lite_api_status',
  'marketing_messages_onboarding_status',
  'message_template_namespace',
  'name',
  'ownership_type',
  'pricing_analytics',
  'status',
  'template_analytics',
  'timezone_id',
];
const PERIOD = [
  'start',
  'end',
  'granularity',
  'phone_numbers',
  'country_codes',
  'dimensions',
  'metric_types',
  ...PAGES,
];
const NAMED_TEMPLATES = { place: 'query', name: 'template_ids', kind: 'template' } as const;

/** Returns a row of figures about a business account. */
function figures(path: string, name: string, summary: string, more: Partial<Pick<Edge, 'query' | 'named'>> = {}): Edge {
  const answers = { data: [{ data_points: [{ start: 1_793_577_600, end: 1_793_664_000, sent: 12, delivered: 11 }] }] };
  return row('GET', 'account', path, { name, summary, query: PERIOD, answers, ...more });
}

/** Calls about a business account: its members, its figures, its templates. */
export const ACCOUNT_EDGES: readonly Edge[] = [
  row('GET', 'account', '', {
    name: 'readAccount',
    summary: 'Read a business account at the platform',
    fields: ACCOUNT_FIELDS,
    answers: { name: 'Example Ltd', id: '102290129340398' },
  }),
  row('POST', 'account', '', {
    name: 'changeAccount',
    summary: 'Change a business account',
    query: ['name', 'is_enabled_for_insights'],
    body: { members: ['name', 'is_enabled_for_insights'] },
    sends: { name: 'Example Ltd' },
  }),
  figures('analytics', 'getAnalytics', 'Read message figures'),
  figures('conversation_analytics', 'getConversationAnalytics', 'Read conversation figures', {
    query: [...PERIOD, 'conversation_categories', 'conversation_types', 'conversation_directions'],
  }),
  figures('pricing_analytics', 'getPricingAnalytics', 'Read price figures', {
    query: [...PERIOD, 'pricing_types', 'pricing_categories'],
  }),
  figures('call_analytics', 'getCallAnalytics', 'Read call figures', { query: [...PERIOD, 'directions'] }),
  figures('template_analytics', 'getTemplateAnalytics', 'Read template figures', {
    query: [...PERIOD, 'template_ids', 'product_type', 'use_waba_timezone'],
    named: [NAMED_TEMPLATES],
  }),
  figures('template_group_analytics', 'getTemplateGroupAnalytics', 'Read figures of template groups', {
    query: [...PERIOD, 'template_group_ids'],
  }),
];

const template = edgesOf('Templates');

/** Calls about templates beside those that the gateway answers itself. */
export const TEMPLATE_EDGES: readonly Edge[] = [
  template('POST', 'account', 'upsert_message_templates', {
    name: 'upsertTemplates',
    summary: 'Create or replace authentication templates in several languages',
    follows: 'account_read',
    sends: { name: 'login_code', category: 'AUTHENTICATION', languages: ['en_US'], components: [{ type: 'BODY' }] },
    answers: { data: [{ id: '594425479261596', status: 'APPROVED', language: 'en_US' }] },
  }),
  template('GET', 'account', 'message_template_previews', {
    name: 'listTemplatePreviews',
    summary: 'Preview authentication templates',
    query: [
      'category',
      'languages',
      'language',
      'add_security_recommendation',
      'code_expiration_minutes',
      'button_types',
    ],
    answers: { data: [{ body: '*{{1}}* is your code.', language: 'en_US' }] },
  }),
  template('GET', 'template', 'compare', {
    name: 'compareTemplates',
    summary: 'Compare two templates',
    query: ['template_ids', 'start', 'end'],
    named: [NAMED_TEMPLATES],
    answers: { data: [{ metric: 'MESSAGE_SENDS', type: 'NUMBER_VALUES', number_values: [] }] },
  }),
  template('POST', 'template', 'unpause', {
    name: 'unpauseTemplate',
    summary: 'End the pause of a template',
    follows: 'account_read',
  }),
];
