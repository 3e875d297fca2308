import type { PhoneNumber, Template, Waba } from '../records.ts';
import { invalidParameter } from './graph-errors.ts';
import type { JsonObject } from './json-object.ts';

/** Default members of a number's node; `status` is not one of them. */
const numberDefaults = [
  'verified_name',
  'code_verification_status',
  'display_phone_number',
  'quality_rating',
  'platform_type',
  'throughput',
  'webhook_configuration',
];
const wabaDefaults = ['name', 'timezone_id', 'currency', 'message_template_namespace'];
const templateDefaults = ['name', 'parameter_format', 'components', 'language', 'status', 'category', 'sub_category'];

/** Renders a number as the platform shows it, reduced to the requested or the default fields. */
export function numberNode(
  number: PhoneNumber,
  addresses: { businessAccount: string | null; app: string | null },
  fields?: string,
): JsonObject {
  const isRegistered = number.platformType !== 'NOT_APPLICABLE';
  return selectFields(
    {
      verified_name: number.verifiedName,
      code_verification_status: 'VERIFIED',
      display_phone_number: number.displayPhoneNumber,
      quality_rating: number.qualityRating,
      platform_type: number.platformType,
      throughput: { level: number.throughputLevel },
      webhook_configuration: {
        ...(number.overrideCallbackUri !== null && { phone_number: number.overrideCallbackUri }),
        ...(addresses.businessAccount !== null && { whatsapp_business_account: addresses.businessAccount }),
        ...(addresses.app !== null && { application: addresses.app }),
      },
      status: number.status,
      quality_score: { score: number.qualityRating },
      name_status: 'APPROVED',
      account_mode: 'LIVE',
      whatsapp_business_manager_messaging_limit: 'TIER_UNLIMITED',
      messaging_limit_tier: 'TIER_UNLIMITED',
      is_official_business_account: false,
      is_pin_enabled: true,
      is_on_biz_app: number.isOnBizApp,
      health_status: {
        can_send_message: isRegistered && number.status === 'CONNECTED' ? 'AVAILABLE' : 'BLOCKED',
        entities: [{ entity_type: 'PHONE_NUMBER', id: number.id, can_send_message: 'AVAILABLE' }],
      },
      ...number.attributes,
      id: number.id,
    },
    numberDefaults,
    fields,
  );
}

export function wabaNode(waba: Waba, fields?: string): JsonObject {
  return selectFields(
    {
      name: waba.name,
      timezone_id: '1',
      currency: 'USD',
      message_template_namespace: `ns_${waba.id}`,
      account_review_status: 'APPROVED',
      analytics: { phone_numbers: [], granularity: 'DAY', data_points: [] },
      conversation_analytics: { data: [{ data_points: [] }] },
      pricing_analytics: { data: [{ data_points: [] }] },
      health_status: { can_send_message: 'AVAILABLE', entities: [] },
      marketing_messages_onboarding_status: 'ELIGIBLE',
      ...waba.attributes,
      id: waba.id,
    },
    wabaDefaults,
    fields,
  );
}

/** Renders a template as the platform shows it. `components` must already carry the sample URLs. */
export function templateNode(template: Template, components: JsonObject[], fields?: string): JsonObject {
  return selectFields(
    {
      name: template.name,
      parameter_format: template.parameterFormat,
      components,
      language: template.language,
      status: template.status,
      category: template.category,
      rejected_reason: template.rejectedReason,
      quality_score: { score: template.qualityScore, date: template.qualityScoreAt },
      ...template.attributes,
      id: template.id,
    },
    templateDefaults,
    fields,
  );
}

/** Reduces a node to `fields` (comma separated, sub-selections in braces ignored), or to its defaults. Always keeps `id`. */
export function selectFields(node: JsonObject, defaults: readonly string[], fields?: string): JsonObject {
  const wanted = fields === undefined || fields === '' ? defaults : topLevelFields(fields);
  const selected: JsonObject = {};
  for (const field of wanted) if (node[field] !== undefined) selected[field] = node[field];
  selected.id = node.id;
  return selected;
}

function topLevelFields(fields: string): string[] {
  let flat = fields;
  while (/\{[^{}]*\}/.test(flat)) flat = flat.replace(/\{[^{}]*\}/g, '');
  if (/[{}]/.test(flat)) throw invalidParameter('Syntax error in the field expansion of the parameter fields.');
  return flat.split(',').map((field) => field.trim().replace(/[.(].*$/, ''));
}
