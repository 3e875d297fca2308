import { callGraph, readSuccess } from './graph/call-graph.ts';
import type { CallResult } from './graph/call-result.ts';
import { type GraphClient, nodePath } from './graph/graph-client.ts';

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
