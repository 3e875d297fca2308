import type { Queryable } from '../../database/database.ts';

export interface SetupLink {
  organizationId: string;
  id: string;
  secretHash: Buffer;
  createdAt: Date;
  expiresAt: Date;
  revokedAt: Date | null;
  /** The onboarding that the first sign-up of the link began. */
  onboardingId: string | null;
  /** The Meta app of its sign-up; null stands for the app of the environment. */
  appId: string | null;
  testRecipient: string | null;
  templateName: string;
  templateLanguage: string;
}

const COLUMNS = `
  organization_id AS "organizationId", id, secret_hash AS "secretHash", created_at AS "createdAt", expires_at AS "expiresAt",
  revoked_at AS "revokedAt", onboarding_id AS "onboardingId", app_id AS "appId", test_recipient AS "testRecipient", template_name AS "templateName",
  template_language AS "templateLanguage"`;

export async function insertLink(db: Queryable, link: SetupLink): Promise<void> {
  await db.query({
    text: `
      INSERT INTO setup_link (organization_id, id, secret_hash, created_at, expires_at, test_recipient, template_name, template_language, app_id)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    values: [
      link.organizationId,
      link.id,
      link.secretHash,
      link.createdAt,
      link.expiresAt,
      link.testRecipient,
      link.templateName,
      link.templateLanguage,
      link.appId,
    ],
  });
}

export async function findLink(db: Queryable, organizationId: string, id: string): Promise<SetupLink | undefined> {
  const rows = await db.query<SetupLink>({
    text: `SELECT ${COLUMNS} FROM setup_link WHERE organization_id = $1 AND id = $2`,
    values: [organizationId, id],
  });
  return rows[0];
}

/** Returns the organization's links with an id below `before`, newest first. */
export async function listLinks(
  db: Queryable,
  organizationId: string,
  before: string | undefined,
  limit: number,
): Promise<SetupLink[]> {
  return await db.query<SetupLink>({
    text: `
      SELECT ${COLUMNS} FROM setup_link WHERE organization_id = $1 AND ($2::uuid IS NULL OR id < $2) ORDER BY id DESC LIMIT $3`,
    values: [organizationId, before, limit],
  });
}

/** Revokes a link. Returns false if the organization has none with this id. */
export async function revokeLink(db: Queryable, organizationId: string, id: string, now: Date): Promise<boolean> {
  const rows = await db.query({
    text: `
      UPDATE setup_link SET revoked_at = coalesce(revoked_at, $3), state_hash = NULL, test_recipient = NULL
      WHERE organization_id = $1 AND id = $2 RETURNING 1`,
    values: [organizationId, id, now],
  });
  return rows.length > 0;
}

/** Stores the hash of the state of a sign-up that begins; the state of an earlier one counts no more. */
export async function storeState(
  db: Queryable,
  { organizationId, id }: Pick<SetupLink, 'organizationId' | 'id'>,
  stateHash: Buffer,
): Promise<void> {
  await db.query({
    text: 'UPDATE setup_link SET state_hash = $3 WHERE organization_id = $1 AND id = $2',
    values: [organizationId, id, stateHash],
  });
}

/** Uses up the state of a sign-up. Returns false if it is not that of the sign-up in progress, or if the link counts no more. */
export async function takeState(
  db: Queryable,
  { organizationId, id }: Pick<SetupLink, 'organizationId' | 'id'>,
  stateHash: Buffer,
  now: Date,
): Promise<boolean> {
  const rows = await db.query({
    text: `
      UPDATE setup_link SET state_hash = NULL
      WHERE organization_id = $1 AND id = $2 AND state_hash = $3 AND revoked_at IS NULL AND expires_at > $4
      RETURNING 1`,
    values: [organizationId, id, stateHash, now],
  });
  return rows.length > 0;
}
