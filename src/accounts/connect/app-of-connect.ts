import type { Apps, MetaApp } from '../../apps/index.ts';
import { type AppError, invalid } from '../../core/errors.ts';
import { inSets } from '../../database/batching/in-sets.ts';
import { FOREIGN_KEY_VIOLATION, sqlStateOf } from '../../database/failures.ts';
import type { AppCredentials, TokenApps, Upstream } from '../../upstream/index.ts';
import type { Waba } from '../waba.ts';

interface AppDeps {
  apps: Pick<Apps, 'defaultAppId' | 'find' | 'list' | 'defaultCredentials'>;
  tokenApps: Pick<TokenApps, 'note'>;
  upstream: Pick<Upstream, 'debugToken'>;
}

/** Bounds the calls that are made at the same time. */
const AT_ONCE_MAX = 10;

/**
 * Returns the app of a token with which an account is connected, and notes it for the calls with the token. Null stands for the app of the
 * environment; undefined keeps the stored app. Raises VALIDATION_ERROR for an unknown app.
 */
export async function appOfConnect(
  deps: AppDeps,
  { accessToken, appId }: { accessToken: string; appId?: string | null | undefined },
  connected: Pick<Waba, 'appId'> | undefined,
): Promise<string | null | undefined> {
  const chosen = appId === undefined ? await learnApp(deps, accessToken) : await storableApp(deps, appId);
  const inForce = chosen === undefined ? (connected?.appId ?? null) : chosen;
  const app = inForce === null ? undefined : await deps.apps.find(inForce);
  deps.tokenApps.note(accessToken, app === undefined ? null : { id: app.appId, provenSecret: provenSecretOf(app) });
  return chosen;
}

/** Returns the id under which an account stores its app; null for the app of the environment. Raises VALIDATION_ERROR. */
export async function storableApp(
  { apps }: { apps: Pick<Apps, 'defaultAppId' | 'find'> },
  appId: string | null,
): Promise<string | null> {
  if (appId === null || appId === apps.defaultAppId) return null;
  if ((await apps.find(appId)) === undefined) throw unknownApp();
  return appId;
}

/** Rethrows the failure of a write that gives an account its app: VALIDATION_ERROR if the app was deleted meanwhile. */
export function refuseDeletedApp(error: unknown): never {
  if (sqlStateOf(error) === FOREIGN_KEY_VIOLATION) throw unknownApp();
  throw error;
}

function unknownApp(): AppError {
  return invalid('"app_id" names no app that this gateway has.');
}

/** Returns the app that the platform names; undefined if no app here may inspect the token. */
async function learnApp({ apps, upstream }: AppDeps, accessToken: string): Promise<string | null | undefined> {
  const further = await apps.list();
  if (further.length === 0) return undefined;
  // The platform describes a token only to its own app.
  const own = apps.defaultCredentials;
  const credentials: AppCredentials[] = [...(own === null ? [] : [own]), ...further.map(credentialsOf)];
  for (const some of inSets(credentials, AT_ONCE_MAX)) {
    const described = await Promise.all(some.map((app) => upstream.debugToken(app, accessToken)));
    const found = described.find((answer) => answer.kind === 'ok' && answer.value.isValid);
    if (found?.kind !== 'ok') continue;
    const { appId } = found.value;
    if (appId === apps.defaultAppId) return null;
    if (further.some((app) => app.appId === appId)) return appId;
  }
  return undefined;
}

function credentialsOf({ appId, secrets: [secret = ''], provesSecret }: MetaApp): AppCredentials {
  return { id: appId, secret, provesSecret };
}

function provenSecretOf({ provesSecret, secrets }: MetaApp): string | null {
  return provesSecret ? (secrets[0] ?? null) : null;
}
