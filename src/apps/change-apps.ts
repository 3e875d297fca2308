import { AppError } from '../core/errors.ts';
import type { SecretBox } from '../core/secret-box.ts';
import type { Clock } from '../core/time/clock.ts';
import { publishChange } from '../database/changes/change-feed.ts';
import type { Database, Queryable } from '../database/database.ts';
import { FOREIGN_KEY_VIOLATION, sqlStateOf } from '../database/failures.ts';
import { sealAppSecrets } from './app-secrets.ts';
import type { Apps } from './apps.ts';
import { deleteAppById, type FurtherApp, findApp, insertApp, lockAndCountApps, updateApp } from './queries.ts';

export interface AppDeps {
  db: Database;
  clock: Clock;
  secretBox: Pick<SecretBox, 'seal'>;
  apps: Pick<Apps, 'defaultAppId'>;
}

/** Takes an app from records that are over, in the caller's transaction, so that they do not refuse its deletion. */
export type ReleaseApp = (tx: Queryable, appId: string, now: Date) => Promise<void>;

const APPS_MAX = 100;

/** Members of a further app that a caller sets. */
export interface AppInput {
  name: string;
  secrets: readonly string[];
  verifyToken: string;
  provesSecret: boolean;
  signupConfigurationId: string | null;
}

/** Stores a further app. Raises CONFLICT for an id that is taken, for that of the environment, and beyond 100 apps. */
export async function createApp(
  { db, clock, secretBox, apps }: AppDeps,
  appId: string,
  { secrets, verifyToken, ...input }: AppInput,
): Promise<FurtherApp> {
  if (appId === apps.defaultAppId) throw new AppError('CONFLICT', 'This is the app of UPSTREAM_APP_ID.');
  const sealed = sealAppSecrets(secretBox, appId, { secrets, verifyToken });
  const { secretsSealed = [], verifyTokenSealed = Buffer.alloc(0) } = sealed;
  return await db.transaction(async (tx) => {
    if ((await lockAndCountApps(tx)) >= APPS_MAX) throw new AppError('CONFLICT', `There are ${APPS_MAX} apps already.`);
    const stored = { appId, ...input, secretsSealed, verifyTokenSealed };
    const created = await insertApp(tx, stored, new Date(clock.now()));
    if (created === undefined) throw new AppError('CONFLICT', 'There is an app with this id already.');
    await publishChange(tx, 'app', appId);
    return created;
  });
}

/** Returns a further app. Raises NOT_FOUND. */
export async function getApp({ db }: Pick<AppDeps, 'db'>, appId: string): Promise<FurtherApp> {
  const app = isAppId(appId) ? await findApp(db, appId) : undefined;
  if (app === undefined) throw appNotFound();
  return app;
}

/** Changes a further app on every node within a second; absent members stay. Raises NOT_FOUND. */
export async function changeApp(
  { db, clock, secretBox }: AppDeps,
  appId: string,
  { secrets, verifyToken, ...change }: { [Member in keyof AppInput]?: AppInput[Member] | undefined },
): Promise<FurtherApp> {
  if (!isAppId(appId)) throw appNotFound();
  const sealed = sealAppSecrets(secretBox, appId, {
    ...(secrets !== undefined && { secrets }),
    ...(verifyToken !== undefined && { verifyToken }),
  });
  return await db.transaction(async (tx) => {
    const changed = await updateApp(tx, appId, { ...change, ...sealed }, new Date(clock.now()));
    if (changed === undefined) throw appNotFound();
    await publishChange(tx, 'app', appId);
    return changed;
  });
}

/** Deletes a further app. Raises NOT_FOUND, and CONFLICT while an account, an onboarding or a set-up link has the app. */
export async function deleteApp(
  { db, clock, releaseApp }: Pick<AppDeps, 'db' | 'clock'> & { releaseApp: ReleaseApp },
  appId: string,
): Promise<void> {
  if (!isAppId(appId)) throw appNotFound();
  try {
    await db.transaction(async (tx) => {
      await releaseApp(tx, appId, new Date(clock.now()));
      if (!(await deleteAppById(tx, appId))) throw appNotFound();
      await publishChange(tx, 'app', appId);
    });
  } catch (error) {
    if (sqlStateOf(error) !== FOREIGN_KEY_VIOLATION) throw error;
    throw new AppError(
      'CONFLICT',
      'Business accounts, onboardings or set-up links have this app. Give the accounts another app, end the onboardings and revoke the links first.',
    );
  }
}

/** True if `text` has the form of the platform's ids of apps. Any other text in a path names nothing. */
function isAppId(text: string): boolean {
  return /^\d{1,20}$/.test(text);
}

function appNotFound(): AppError {
  return new AppError('NOT_FOUND', 'There is no app with this id.');
}
