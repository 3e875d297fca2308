import { callGraph, readSuccess } from './graph/call-graph.ts';
import type { CallResult } from './graph/call-result.ts';
import { type GraphClient, nodePath } from './graph/graph-client.ts';
import { asObject, idField, type JsonObject, objectField, ownField } from './graph/json-fields.ts';
import { collectPages } from './graph/list-pages.ts';
import { addressField, type WebhookAddress } from './webhook-address.ts';

/** Makes the platform deliver the business account's webhooks to the token's app. Doing it again changes nothing. */
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

/** A business account is not kept waiting for longer than this to be disconnected. */
const UNSUBSCRIBE_TIMEOUT_MS = 5_000;

/** Has the platform deliver nothing more of the business account to the token's app. Doing it again changes nothing. */
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
  /** The address that replaces the app's own for this account. */
  override: WebhookAddress | null;
}

/**
 * Reads how the app is subscribed to a business account. Without `UPSTREAM_APP_ID` any subscribed app counts, and an override only if
 * there is no other app.
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
  const { appId } = client;
  const ours = appId === null ? listed.value : listed.value.filter(({ id }) => id === appId);
  const override = ours.length === 1 ? (ours[0]?.override ?? null) : null;
  return { kind: 'ok', value: { isSubscribed: ours.length > 0, override } };
}

function readApp(node: JsonObject): { id: string | null; override: WebhookAddress | null } {
  const app = objectField(node, 'whatsapp_business_api_data');
  return { id: app === null ? null : idField(app, 'id'), override: addressField(node, 'override_callback_uri') };
}
