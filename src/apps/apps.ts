import type { Logger } from 'pino';
import { sha256 } from '../core/digest.ts';
import { createBoundedCache } from '../core/limits/bounded-cache.ts';
import { mapNow, type Now } from '../core/now.ts';
import type { SecretBox } from '../core/secret-box.ts';
import type { ChangeFeed } from '../database/changes/change-feed.ts';
import type { Queryable } from '../database/database.ts';
import type { AppCredentials } from '../upstream/index.ts';
import { openAppSecrets } from './app-secrets.ts';
import { listSealedApps } from './queries.ts';

/** A Meta app of the operator with its secrets. */
export interface MetaApp {
  appId: string;
  name: string;
  /** One, or two during a rotation. The first proves calls. */
  secrets: readonly string[];
  verifyToken: string;
  provesSecret: boolean;
  signupConfigurationId: string | null;
}

/** The app of the environment, to which accounts without an app of their own belong. */
export interface DefaultApp {
  appId: string | null;
  appSecrets: readonly string[];
  verifyToken: string;
}

/** Secrets that verify the webhooks of one address. */
export interface WebhookSecrets {
  secrets: readonly string[];
  /** SHA-256 of each verify token. */
  verifyDigests: readonly Buffer[];
}

/** The Meta apps of the operator, as this process knows them. A change is in force on every node within a second. */
export interface Apps {
  /** The id of the app of the environment; null if it is not set. */
  readonly defaultAppId: string | null;
  /** Id and secret of the app of the environment; null unless both are set. */
  readonly defaultCredentials: AppCredentials | null;
  /** Lists the further apps, oldest first. */
  list(): Now<readonly MetaApp[]>;
  /** Finds a further app; undefined also for the app of the environment. */
  find(appId: string): Now<MetaApp | undefined>;
  /** Secrets of the app of the environment. */
  readonly ofDefault: WebhookSecrets;
  /** Secrets of the further apps whose webhooks may come to the address without an app. */
  ofShared(): Now<WebhookSecrets>;
  /** Secrets of one app, which may be the app of the environment; none for an unknown id. */
  ofApp(appId: string): Now<WebhookSecrets>;
}

/**
 * Further apps whose webhooks are accepted at the address without an app, the oldest ones. Every secret costs a digest of the body, also
 * for an unsigned one, so their number is bounded.
 */
const SHARED_APPS_MAX = 8;
const NO_SECRETS: WebhookSecrets = { secrets: [], verifyDigests: [] };

interface Known {
  apps: readonly MetaApp[];
  byId: ReadonlyMap<string, MetaApp & { webhooks: WebhookSecrets }>;
  shared: WebhookSecrets;
}

/** Creates the memory of apps. */
export function createApps(
  deps: {
    db: Queryable;
    changes: Pick<ChangeFeed, 'on' | 'resetOverdue'>;
    secretBox: Pick<SecretBox, 'open'>;
    log: Pick<Logger, 'error'>;
  },
  own: DefaultApp,
): Apps {
  const { changes } = deps;
  const cache = createBoundedCache<'all', Known>({ max: 1, load: () => readApps(deps) });
  changes.on('app', cache.clear, cache.clear);
  const known = () => {
    changes.resetOverdue();
    return cache.get('all');
  };
  const [secret] = own.appSecrets;
  const ofDefault = webhookSecretsOf([{ secrets: own.appSecrets, verifyToken: own.verifyToken }]);
  return {
    defaultAppId: own.appId,
    defaultCredentials: own.appId === null || secret === undefined ? null : { id: own.appId, secret },
    list: () => mapNow(known(), ({ apps }) => apps),
    find: (appId) => mapNow(known(), ({ byId }) => byId.get(appId)),
    ofDefault,
    ofShared: () => mapNow(known(), ({ shared }) => shared),
    ofApp: (appId) =>
      appId === own.appId ? ofDefault : mapNow(known(), ({ byId }) => byId.get(appId)?.webhooks ?? NO_SECRETS),
  };
}

async function readApps({ db, secretBox, log }: Parameters<typeof createApps>[0]): Promise<Known> {
  const apps = (await listSealedApps(db)).flatMap((sealed) => {
    const { appId, name, provesSecret, signupConfigurationId } = sealed;
    try {
      return [{ appId, name, provesSecret, signupConfigurationId, ...openAppSecrets(secretBox, sealed) }];
    } catch (error) {
      log.error({ err: error, appId }, 'no key opens the secrets of an app: its webhooks are refused');
      return [];
    }
  });
  const byId = new Map(apps.map((app) => [app.appId, { ...app, webhooks: webhookSecretsOf([app]) }]));
  return { apps, byId, shared: webhookSecretsOf(apps.slice(0, SHARED_APPS_MAX)) };
}

function webhookSecretsOf(apps: readonly Pick<MetaApp, 'secrets' | 'verifyToken'>[]): WebhookSecrets {
  return {
    secrets: apps.flatMap(({ secrets }) => secrets),
    verifyDigests: apps.map(({ verifyToken }) => sha256(verifyToken)),
  };
}
