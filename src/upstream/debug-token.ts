import { type AppCredentials, appTokenOf, graphAppOf } from './app-webhooks.ts';
import { callGraph } from './graph/call-graph.ts';
import { type CallResult, malformedTokenFailure } from './graph/call-result.ts';
import { type GraphClient, isSendableToken } from './graph/graph-client.ts';
import { arrayField, asObject, idField, numberField, objectField, ownField, textField } from './graph/json-fields.ts';

/** The rights of an access token, as the platform reports them. */
export interface TokenFacts {
  isValid: boolean;
  appId: string | null;
  /** Epoch ms; null if it never expires. */
  expiresAtMs: number | null;
  scopes: string[];
  /** Ids that a scope is limited to; a scope that is missing here has no limit. */
  targets: Map<string, string[]>;
}

const TIMEOUT_MS = 5_000;

/** Describes an access token. The call needs the app's credentials; the platform takes the inspected token in the query. */
export async function debugToken(
  client: GraphClient,
  app: AppCredentials,
  token: string,
): Promise<CallResult<TokenFacts>> {
  if (!isSendableToken(client, token)) return malformedTokenFailure();
  return await callGraph(client, {
    name: 'debugToken',
    method: 'GET',
    objectId: app.id,
    path: '/debug_token',
    query: { input_token: token },
    token: appTokenOf(app),
    app: graphAppOf(client, app),
    timeoutMs: TIMEOUT_MS,
    read: (answer) => {
      const data = objectField(answer, 'data');
      if (data === null) return null;
      const expiresAt = [numberField(data, 'expires_at'), numberField(data, 'data_access_expires_at')].filter(
        (seconds) => seconds !== null && seconds > 0,
      ) as number[];
      return {
        isValid: ownField(data, 'is_valid') === true,
        appId: idField(data, 'app_id'),
        expiresAtMs: expiresAt.length === 0 ? null : Math.min(...expiresAt) * 1_000,
        scopes: textsOf(arrayField(data, 'scopes')),
        targets: new Map(
          arrayField(data, 'granular_scopes').flatMap((entry) => {
            const node = asObject(entry) ?? {};
            const scope = textField(node, 'scope');
            const ids = textsOf(arrayField(node, 'target_ids'));
            return scope === null || ids.length === 0 ? [] : [[scope, ids] as const];
          }),
        ),
      };
    },
  });
}

function textsOf(values: readonly unknown[]): string[] {
  return values.filter((value) => typeof value === 'string' || typeof value === 'number').map(String);
}
