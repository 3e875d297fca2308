import type { Queryable } from '../database/database.ts';

/** A further Meta app, without its secrets. */
export interface FurtherApp {
  appId: string;
  name: string;
  /** Number of its secrets: two during a rotation. */
  secretCount: number;
  /** True if the app requires a proof of its first secret with every call. */
  provesSecret: boolean;
  /** Configuration of Facebook Login for Business, for Embedded Signup. */
  signupConfigurationId: string | null;
  createdAt: Date;
  secretsChangedAt: Date;
}

/** A further Meta app with its sealed secrets. */
export interface SealedApp extends Pick<FurtherApp, 'appId' | 'name' | 'provesSecret' | 'signupConfigurationId'> {
  secretsSealed: Buffer[];
  verifyTokenSealed: Buffer;
}

const FIELDS = `
  app_id AS "appId", name, cardinality(secrets_sealed) AS "secretCount", secret_proof AS "provesSecret",
  signup_configuration_id AS "signupConfigurationId", created_at AS "createdAt", secrets_changed_at AS "secretsChangedAt"`;

/** Lists all further apps, oldest first. */
export function listApps(db: Queryable): Promise<FurtherApp[]> {
  return db.query({ text: `SELECT ${FIELDS} FROM app ORDER BY created_at, app_id` });
}

/** Returns one further app; undefined for an unknown id. */
export async function findApp(db: Queryable, appId: string): Promise<FurtherApp | undefined> {
  const rows = await db.query<FurtherApp>({ text: `SELECT ${FIELDS} FROM app WHERE app_id = $1`, values: [appId] });
  return rows[0];
}

/** Lists all further apps with their sealed secrets, oldest first. */
export function listSealedApps(db: Queryable): Promise<SealedApp[]> {
  return db.query({
    name: 'app_list_sealed',
    text: `
      SELECT app_id AS "appId", name, secret_proof AS "provesSecret", signup_configuration_id AS "signupConfigurationId",
        secrets_sealed AS "secretsSealed", verify_token_sealed AS "verifyTokenSealed"
      FROM app ORDER BY created_at, app_id`,
  });
}

/** Serializes creations, so that two at once cannot exceed the limit. Returns the number of further apps. */
export async function lockAndCountApps(tx: Queryable): Promise<number> {
  await tx.query({ text: 'LOCK TABLE app IN SHARE ROW EXCLUSIVE MODE' });
  const rows = await tx.query<{ count: number }>({ text: 'SELECT count(*)::int AS count FROM app' });
  return rows[0]?.count ?? 0;
}

/** Stores a further app. Returns undefined if its id is taken. */
export async function insertApp(tx: Queryable, app: SealedApp, now: Date): Promise<FurtherApp | undefined> {
  const rows = await tx.query<FurtherApp>({
    text: `
      INSERT INTO app (app_id, name, secret_proof, signup_configuration_id, secrets_sealed, verify_token_sealed, created_at, secrets_changed_at)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $7)
      ON CONFLICT DO NOTHING RETURNING ${FIELDS}`,
    values: [
      app.appId,
      app.name,
      app.provesSecret,
      app.signupConfigurationId,
      app.secretsSealed,
      app.verifyTokenSealed,
      now,
    ],
  });
  return rows[0];
}

/** A change of a further app; absent members stay. */
export interface AppChange {
  name?: string | undefined;
  provesSecret?: boolean | undefined;
  signupConfigurationId?: string | null | undefined;
  secretsSealed?: Buffer[] | undefined;
  verifyTokenSealed?: Buffer | undefined;
}

/** Changes a further app; undefined for an unknown id. */
export async function updateApp(
  tx: Queryable,
  appId: string,
  change: AppChange,
  now: Date,
): Promise<FurtherApp | undefined> {
  const rows = await tx.query<FurtherApp>({
    text: `
      UPDATE app
      SET name = coalesce($2, name), secret_proof = coalesce($3, secret_proof),
        signup_configuration_id = CASE WHEN $4 THEN $5 ELSE signup_configuration_id END,
        secrets_sealed = coalesce($6::bytea[], secrets_sealed), verify_token_sealed = coalesce($7, verify_token_sealed),
        secrets_changed_at = CASE WHEN $6::bytea[] IS NULL AND $7::bytea IS NULL THEN secrets_changed_at ELSE $8 END
      WHERE app_id = $1
      RETURNING ${FIELDS}`,
    values: [
      appId,
      change.name,
      change.provesSecret,
      change.signupConfigurationId !== undefined,
      change.signupConfigurationId,
      change.secretsSealed,
      change.verifyTokenSealed,
      now,
    ],
  });
  return rows[0];
}

/** Deletes a further app. Returns false for an unknown id; fails with a foreign key violation while the app is in use. */
export async function deleteAppById(tx: Queryable, appId: string): Promise<boolean> {
  const rows = await tx.query({ text: 'DELETE FROM app WHERE app_id = $1 RETURNING 1', values: [appId] });
  return rows.length > 0;
}

/** Writes resealed secrets, unless they were changed meanwhile. Returns false if they were. */
export async function replaceAppSecrets(
  db: Queryable,
  was: SealedApp,
  now: Pick<SealedApp, 'secretsSealed' | 'verifyTokenSealed'>,
): Promise<boolean> {
  const rows = await db.query({
    text: `
      UPDATE app SET secrets_sealed = $4::bytea[], verify_token_sealed = $5
      WHERE app_id = $1 AND secrets_sealed = $2::bytea[] AND verify_token_sealed = $3
      RETURNING 1`,
    values: [was.appId, was.secretsSealed, was.verifyTokenSealed, now.secretsSealed, now.verifyTokenSealed],
  });
  return rows.length > 0;
}
