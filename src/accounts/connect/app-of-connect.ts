import { type Apps, findAppOfToken, type MetaApp, storableApp } from '../../apps/index.ts';
import type { TokenApps, Upstream } from '../../upstream/index.ts';
import type { Waba } from '../waba.ts';

interface AppDeps {
  apps: Pick<Apps, 'defaultAppId' | 'find' | 'list' | 'defaultCredentials'>;
  tokenApps: Pick<TokenApps, 'note'>;
  upstream: Pick<Upstream, 'debugToken'>;
}

/**
 * Returns the app of a token with which an account is connected, and notes it for the calls with the token. Null stands for the app of the
 * environment; undefined keeps the stored app. Raises VALIDATION_ERROR for an unknown app.
 */
export async function appOfConnect(
  deps: AppDeps,
  { accessToken, appId }: { accessToken: string; appId?: string | null | undefined },
  connected: Pick<Waba, 'appId'> | undefined,
): Promise<string | null | undefined> {
  const chosen = appId === undefined ? (await findAppOfToken(deps, accessToken)).appId : await storableApp(deps, appId);
  const inForce = chosen === undefined ? (connected?.appId ?? null) : chosen;
  const app = inForce === null ? undefined : await deps.apps.find(inForce);
  deps.tokenApps.note(accessToken, app === undefined ? null : { id: app.appId, provenSecret: provenSecretOf(app) });
  return chosen;
}

function provenSecretOf({ provesSecret, secrets }: MetaApp): string | null {
  return provesSecret ? (secrets[0] ?? null) : null;
}
