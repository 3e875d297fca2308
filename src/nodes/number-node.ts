import type { SendingNumber } from '../accounts/index.ts';
import { selectFields } from './graph-fields.ts';

/** Members of a number that the Graph API shows by default, as far as the gateway knows them. */
const DEFAULTS = ['verified_name', 'display_phone_number', 'quality_rating', 'throughput'];

/** Members of a number that the gateway knows itself. */
const KNOWN: ReadonlySet<string> = new Set([
  ...DEFAULTS,
  'id',
  'status',
  'is_on_biz_app',
  'messaging_limit_tier',
  'whatsapp_business_manager_messaging_limit',
]);

/** True if the gateway knows a member of a number itself. */
export function isKnownHere(member: string): boolean {
  return KNOWN.has(member);
}

/** A sending number as the Graph API shows it, from its last sync. */
export function numberNode(
  number: SendingNumber,
  fields: string | undefined,
): Record<string, unknown> & { id: string } {
  const node = {
    id: number.phoneNumberId,
    verified_name: number.verifiedName,
    display_phone_number: `+${number.phoneNumber}`,
    quality_rating: number.qualityRating,
    throughput: number.throughputLevel === null ? null : { level: number.throughputLevel },
    status: number.status,
    is_on_biz_app: number.isOnBizApp,
    messaging_limit_tier: number.messagingLimit,
    whatsapp_business_manager_messaging_limit: number.messagingLimit,
  };
  return selectFields(node, DEFAULTS, fields);
}
