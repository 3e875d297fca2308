import { callGraph } from './graph/call-graph.ts';
import type { CallResult } from './graph/call-result.ts';
import { type GraphClient, nodePath } from './graph/graph-client.ts';
import {
  arrayField,
  asObject,
  idField,
  type JsonObject,
  objectField,
  ownField,
  textField,
} from './graph/json-fields.ts';
import { collectPages } from './graph/list-pages.ts';
import { type NumberWebhooks, numberWebhooksOf } from './webhook-address.ts';

/** The ability of a number to send, as the platform reports it; null for missing fields. */
export interface NumberHealth {
  id: string;
  /** `CONNECTED` when it can send. */
  status: string | null;
  /** `NOT_APPLICABLE` if it is not registered. */
  platformType: string | null;
  /** `AVAILABLE`, `LIMITED` or `BLOCKED`. */
  canSend: string | null;
  /** The platform's reasons, one for each error. */
  reasons: string[];
  webhooks: NumberWebhooks;
}

const TIMEOUT_MS = 8_000;

/** Returns the health of every number of a business account. */
export function readNumberHealth(
  client: GraphClient,
  wabaId: string,
  token: string,
): Promise<CallResult<NumberHealth[]>> {
  return collectPages(client, {
    name: 'readNumberHealth',
    method: 'GET',
    objectId: wabaId,
    path: nodePath(wabaId, 'phone_numbers'),
    query: { fields: 'id,status,platform_type,health_status,webhook_configuration', limit: '100' },
    token,
    timeoutMs: TIMEOUT_MS,
    read: (answer) => {
      const nodes = ownField(answer, 'data');
      return Array.isArray(nodes) ? nodes.flatMap((node) => readHealth(asObject(node) ?? {}) ?? []) : null;
    },
  });
}

function readHealth(node: JsonObject): NumberHealth | null {
  const id = idField(node, 'id');
  if (id === null) return null;
  const health = objectField(node, 'health_status') ?? {};
  return {
    id,
    status: textField(node, 'status'),
    platformType: textField(node, 'platform_type'),
    canSend: textField(health, 'can_send_message'),
    reasons: arrayField(health, 'entities').flatMap((entity) =>
      arrayField(asObject(entity) ?? {}, 'errors').flatMap(
        (error) => textField(asObject(error) ?? {}, 'error_description') ?? [],
      ),
    ),
    webhooks: numberWebhooksOf(node),
  };
}

/** The platform's word for an account that may use `/marketing_messages`. */
export const ONBOARDED = 'ONBOARDED';

const ONBOARDING = 'marketing_messages_onboarding_status';

/** Reads the platform's word for a business account's admission to `/marketing_messages`; null if it gives none. */
export function readOnboarding(
  client: GraphClient,
  wabaId: string,
  token: string,
): Promise<CallResult<{ status: string | null }>> {
  return callGraph(client, {
    name: 'readOnboarding',
    method: 'GET',
    objectId: wabaId,
    path: nodePath(wabaId),
    query: { fields: ONBOARDING },
    token,
    timeoutMs: TIMEOUT_MS,
    read: (answer) => ({ status: textField(answer, ONBOARDING) }),
  });
}
