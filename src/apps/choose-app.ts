import { type AppError, invalid } from '../core/errors.ts';
import { inSets } from '../database/batching/in-sets.ts';
import { FOREIGN_KEY_VIOLATION, sqlStateOf } from '../database/failures.ts';
import type { AppCredentials, CallFailure, Upstream } from '../upstream/index.ts';
import type { Apps, MetaApp } from './apps.ts';

/** Bounds the calls that are made at the same time. */
const AT_ONCE_MAX = 10;

/** The search for the app of a token. */
interface TokenSearch {
  /** Null stands for the app of the environment; undefined if no app here may inspect the token. */
  appId: string | null | undefined;
  /** The failure of a call that the platform did not answer: the token may belong to the app of that call. */
  failure: CallFailure | undefined;
}

/** Returns the id under which an app is stored; null for the app of the environment. Raises VALIDATION_ERROR. */
export async function storableApp(
  { apps }: { apps: Pick<Apps, 'defaultAppId' | 'find'> },
  appId: string | null,
): Promise<string | null> {
  if (appId === null || appId === apps.defaultAppId) return null;
  if ((await apps.find(appId)) === undefined) throw unknownApp();
  return appId;
}

/** Rethrows the failure of a write that names an app: VALIDATION_ERROR if the app was deleted meanwhile. */
export function refuseDeletedApp(error: unknown): never {
  if (sqlStateOf(error) === FOREIGN_KEY_VIOLATION) throw unknownApp();
  throw error;
}

/** Asks the platform which of the known apps a token belongs to. Makes no call if there are no further apps. */
export async function findAppOfToken(
  {
    apps,
    upstream,
  }: { apps: Pick<Apps, 'defaultAppId' | 'defaultCredentials' | 'list'>; upstream: Pick<Upstream, 'debugToken'> },
  accessToken: string,
): Promise<TokenSearch> {
  const further = await apps.list();
  if (further.length === 0) return { appId: undefined, failure: undefined };
  // The platform describes a token only to its own app.
  const own = apps.defaultCredentials;
  const credentials: AppCredentials[] = [...(own === null ? [] : [own]), ...further.map(credentialsOf)];
  let failure: CallFailure | undefined;
  for (const some of inSets(credentials, AT_ONCE_MAX)) {
    const answers = await Promise.all(some.map((app) => upstream.debugToken(app, accessToken)));
    for (const answer of answers) {
      if (answer.kind === 'unavailable' || answer.kind === 'throttled') failure = answer;
      if (answer.kind !== 'ok' || !answer.value.isValid) continue;
      const { appId } = answer.value;
      if (appId === apps.defaultAppId) return { appId: null, failure: undefined };
      if (further.some((app) => app.appId === appId)) return { appId, failure: undefined };
    }
  }
  return { appId: undefined, failure };
}

/** Returns a further app as calls with its own token need it. */
export function credentialsOf({ appId, secrets: [secret = ''], provesSecret }: MetaApp): AppCredentials {
  return { id: appId, secret, provesSecret };
}

function unknownApp(): AppError {
  return invalid('"app_id" names no app that this gateway has.');
}
