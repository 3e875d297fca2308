import { type AppCredentials, appTokenOf, graphAppOf } from '../app-webhooks.ts';
import { callGraph } from '../graph/call-graph.ts';
import type { CallResult } from '../graph/call-result.ts';
import type { GraphClient } from '../graph/graph-client.ts';
import { textField } from '../graph/json-fields.ts';

const TIMEOUT_MS = 10_000;

/**
 * Exchanges the code of a sign-up for an access token. A code lives for 30 seconds and works once. The secret and the code are in the body,
 * because URLs end up in logs.
 * @param redirectUri address that the dialog returned to; null for a code that came without one
 */
export function exchangeCode(
  client: GraphClient,
  app: AppCredentials,
  { code, redirectUri }: { code: string; redirectUri: string | null },
): Promise<CallResult<{ accessToken: string }>> {
  return callGraph(client, {
    name: 'exchangeCode',
    method: 'POST',
    objectId: app.id,
    path: '/oauth/access_token',
    token: appTokenOf(app),
    app: graphAppOf(client, app),
    headers: ['content-type', 'application/json'],
    timeoutMs: TIMEOUT_MS,
    body: JSON.stringify({
      client_id: app.id,
      client_secret: app.secret,
      code,
      grant_type: 'authorization_code',
      ...(redirectUri !== null && { redirect_uri: redirectUri }),
    }),
    read: (answer) => {
      const accessToken = textField(answer, 'access_token');
      return accessToken === null ? null : { accessToken };
    },
  });
}
