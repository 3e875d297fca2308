import type { CallResult } from './graph/call-result.ts';
import { type GraphClient, nodePath } from './graph/graph-client.ts';
import { asObject, idField, type JsonObject, objectField, ownField, textField } from './graph/json-fields.ts';
import { collectPages } from './graph/list-pages.ts';
import { type NumberWebhooks, numberWebhooksOf } from './webhook-address.ts';

/** A sending number as the platform reports it, in its own words; null for missing fields. */
export interface UpstreamNumber {
  id: string;
  /** In any spelling; compare the digits only. */
  displayPhoneNumber: string;
  verifiedName: string | null;
  /** `CONNECTED` when it can send. */
  status: string | null;
  /** `NOT_APPLICABLE` if it is not registered. */
  platformType: string | null;
  qualityRating: string | null;
  /** `STANDARD`, `HIGH` or `NOT_APPLICABLE`. */
  throughputLevel: string | null;
  /** Shared with the WhatsApp Business app, which caps its sending rate. */
  isOnBizApp: boolean;
  webhooks: NumberWebhooks;
}

/** A number in a listing. Only the id is known if the platform leaves out the phone number. */
export type ListedNumber = UpstreamNumber | { id: string; displayPhoneNumber: null };

// Names every field, because `status` is not among the default fields.
const fields = [
  'id',
  'display_phone_number',
  'verified_name',
  'status',
  'platform_type',
  'quality_rating',
  'throughput',
  'is_on_biz_app',
  'webhook_configuration',
].join(',');

/** Returns every number of a business account, from all pages. */
export function listPhoneNumbers(
  client: GraphClient,
  wabaId: string,
  token: string,
): Promise<CallResult<ListedNumber[]>> {
  return collectPages(client, {
    name: 'listPhoneNumbers',
    method: 'GET',
    objectId: wabaId,
    path: nodePath(wabaId, 'phone_numbers'),
    query: { fields, limit: '100' },
    token,
    read: (answer) => {
      const nodes = ownField(answer, 'data');
      return Array.isArray(nodes) ? nodes.flatMap((node) => readNumber(asObject(node) ?? {}) ?? []) : null;
    },
  });
}

function readNumber(node: JsonObject): ListedNumber | null {
  const id = idField(node, 'id');
  if (id === null) return null;
  const displayPhoneNumber = textField(node, 'display_phone_number');
  if (displayPhoneNumber === null) return { id, displayPhoneNumber };
  const throughput = objectField(node, 'throughput');
  return {
    id,
    displayPhoneNumber,
    verifiedName: textField(node, 'verified_name'),
    status: textField(node, 'status'),
    platformType: textField(node, 'platform_type'),
    qualityRating: textField(node, 'quality_rating'),
    throughputLevel: throughput === null ? null : textField(throughput, 'level'),
    isOnBizApp: ownField(node, 'is_on_biz_app') === true,
    webhooks: numberWebhooksOf(node),
  };
}
