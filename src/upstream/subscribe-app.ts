import { callGraph, readSuccess } from './graph/call-graph.ts';
import type { CallResult } from './graph/call-result.ts';
import { type GraphClient, nodePath } from './graph/graph-client.ts';
import { asObject, idField, type JsonObject, objectField, ownField } from './graph/json-fields.ts';
import { collectPages } from './graph/list-pages.ts';
import { addressField, type WebhookAddress } from './webhook-address.ts';

/** Subscribes the token's app to the business account's webhooks. A repeat changes nothing. */
export function subscribeApp(client: GraphClient, wabaId: string, token: string): Promise<CallResult<true>> {
  return callGraph(client, {
    name: 'subscribeApp',
    method: 'POST',
    objectId: wabaId,
    path: nodePath(wabaId, 'subscribed_apps'),
    token,
    read: readSuccess,
  });
}

/** Bounds the wait of a request to disconnect a business account. */
const UNSUBSCRIBE_TIMEOUT_MS = 5_000;

/** Ends the delivery of the business account's webhooks to the token's app. A repeat changes nothing. */
export function unsubscribeApp(client: GraphClient, wabaId: string, token: string): Promise<CallResult<true>> {
  return callGraph(client, {
    name: 'unsubscribeApp',
    method: 'DELETE',
    objectId: wabaId,
    path: nodePath(wabaId, 'subscribed_apps'),
    token,
    timeoutMs: UNSUBSCRIBE_TIMEOUT_MS,
    read: readSuccess,
  });
}

/** The app's subscription to a business account's webhooks. */
export interface AppSubscription {
  isSubscribed: boolean;
  /** The address that replaces the app's own address for this account. */
  override: WebhookAddress | null;
}

/**
 * Reads the subscription of the token's app to a business account. If the id of the app is not known, any subscribed app counts, and an override counts only if
 * exactly one app is subscribed.
 */
export async function readSubscription(
  client: GraphClient,
  wabaId: string,
  token: string,
): Promise<CallResult<AppSubscription>> {
  const listed = await collectPages(client, {
    name: 'readSubscription',
    method: 'GET',
    objectId: wabaId,
    path: nodePath(wabaId, 'subscribed_apps'),
    query: { limit: '100' },
    token,
    read: (answer) => {
      const apps = ownField(answer, 'data');
      return Array.isArray(apps) ? apps.map((app) => readApp(asObject(app) ?? {})) : null;
    },
  });
  if (listed.kind !== 'ok') return listed;
  const appId = client.appOf(token).id;
  const ours = appId === null ? listed.value : listed.value.filter(({ id }) => id === appId);
  const override = ours.length === 1 ? (ours[0]?.override ?? null) : null;
  return { kind: 'ok', value: { isSubscribed: ours.length > 0, override } };
}

function readApp(node: JsonObject): { id: string | null; override: WebhookAddress | null } {
  const app = objectField(node, 'whatsapp_business_api_data');
  return { id: app === null ? null : idField(app, 'id'), override: addressField(node, 'override_callback_uri') };
}
