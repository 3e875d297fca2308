import { callGraph, readSuccess } from './call-graph.ts';
import type { CallResult } from './call-result.ts';
import { type GraphClient, nodePath } from './graph-client.ts';

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
