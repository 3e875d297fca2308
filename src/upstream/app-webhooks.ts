import { callGraph, readSuccess } from './graph/call-graph.ts';
import type { CallResult } from './graph/call-result.ts';
import { type GraphClient, nodePath } from './graph/graph-client.ts';
import { arrayField, asObject, type JsonObject, ownField, textField } from './graph/json-fields.ts';
import type { GraphApp } from './routing/token-apps.ts';
import { addressField, type WebhookAddress } from './webhook-address.ts';

/** The Meta app. Its id and secret together are the token of calls about the app itself. */
export interface AppCredentials {
  id: string;
  secret: string;
  /** True if the app requires a proof of the secret with every call; absent for the app of the environment. */
  provesSecret?: boolean;
}

/** The app's subscription to the webhooks of all business accounts. */
export interface AppWebhooks {
  callback: WebhookAddress | null;
  isActive: boolean;
  /** Names of the subscribed fields. */
  fields: string[];
}

/** Limit for a call that an operator waits for, in milliseconds. */
const APP_CALL_TIMEOUT_MS = 5_000;
const OBJECT = 'whatsapp_business_account';

export function appTokenOf({ id, secret }: AppCredentials): string {
  return `${id}|${secret}`;
}

/** Returns the app as calls with its own token need it. */
export function graphAppOf(client: GraphClient, { id, secret, provesSecret }: AppCredentials): GraphApp {
  if (provesSecret === undefined) return client.ownApp;
  return { id, provenSecret: provesSecret ? secret : null };
}

/** Reads the app's own subscription; `fields` is empty if the app has none. */
export function readAppWebhooks(client: GraphClient, app: AppCredentials): Promise<CallResult<AppWebhooks>> {
  return callGraph(client, {
    name: 'readAppWebhooks',
    method: 'GET',
    objectId: app.id,
    path: nodePath(app.id, 'subscriptions'),
    token: appTokenOf(app),
    app: graphAppOf(client, app),
    timeoutMs: APP_CALL_TIMEOUT_MS,
    read: (answer) => {
      const listed = ownField(answer, 'data');
      if (!Array.isArray(listed)) return null;
      const own = listed.map((one) => asObject(one) ?? {}).find((one) => textField(one, 'object') === OBJECT);
      return own === undefined ? { callback: null, isActive: false, fields: [] } : readSubscribed(own);
    },
  });
}

/** Sets the app's address and fields. The platform verifies the address with `verifyToken` before it answers. */
export function subscribeAppFields(
  client: GraphClient,
  app: AppCredentials,
  { callbackUrl, verifyToken, fields }: { callbackUrl: string; verifyToken: string; fields: readonly string[] },
): Promise<CallResult<true>> {
  return callGraph(client, {
    name: 'subscribeAppFields',
    method: 'POST',
    objectId: app.id,
    path: nodePath(app.id, 'subscriptions'),
    token: appTokenOf(app),
    app: graphAppOf(client, app),
    headers: ['content-type', 'application/json'],
    body: JSON.stringify({ object: OBJECT, callback_url: callbackUrl, verify_token: verifyToken, fields }),
    read: readSuccess,
  });
}

function readSubscribed(node: JsonObject): AppWebhooks {
  return {
    callback: addressField(node, 'callback_url'),
    isActive: ownField(node, 'active') !== false,
    fields: arrayField(node, 'fields').flatMap((field) =>
      typeof field === 'string' ? [field] : (textField(asObject(field) ?? {}, 'name') ?? []),
    ),
  };
}
