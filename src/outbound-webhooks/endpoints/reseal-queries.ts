import type { Queryable } from '../../database/database.ts';

/** Sealed secrets of an endpoint. */
export interface SealedSecrets {
  organizationId: string;
  id: string;
  secret: Buffer;
  /** Also signs, beside the current secret, for a while. */
  old: Buffer | null;
}

/** Returns endpoints of any organization that have a secret which does not begin with `mark`, by id after `after`. */
export async function listSecretsWithout(
  db: Queryable,
  mark: Buffer,
  after: string,
  limit: number,
): Promise<SealedSecrets[]> {
  return await db.query<SealedSecrets>({
    text: `
      SELECT organization_id AS "organizationId", id, secret_sealed AS secret, old_secret_sealed AS old
      FROM webhook_endpoint
      WHERE deleted_at IS NULL AND id > $2
        AND (substr(secret_sealed, 1, octet_length($1::bytea)) <> $1 OR substr(old_secret_sealed, 1, octet_length($1)) <> $1)
      ORDER BY id LIMIT $3`,
    values: [mark, after, limit],
  });
}

/** Writes the resealed secrets, except of endpoints whose secrets have changed meanwhile. Returns the number of endpoints written. */
export async function replaceSecrets(
  db: Queryable,
  changes: readonly { was: SealedSecrets; secret: Buffer; old: Buffer | null }[],
): Promise<number> {
  const rows = await db.query({
    text: `
      UPDATE webhook_endpoint e SET secret_sealed = s.secret, old_secret_sealed = s.old
      FROM unnest($1::uuid[], $2::uuid[], $3::bytea[], $4::bytea[], $5::bytea[], $6::bytea[])
        AS s(organization_id, id, was_secret, was_old, secret, old)
      WHERE e.organization_id = s.organization_id AND e.id = s.id
        AND e.secret_sealed = s.was_secret AND e.old_secret_sealed IS NOT DISTINCT FROM s.was_old
      RETURNING 1`,
    values: [
      changes.map(({ was }) => was.organizationId),
      changes.map(({ was }) => was.id),
      changes.map(({ was }) => was.secret),
      changes.map(({ was }) => was.old),
      changes.map(({ secret }) => secret),
      changes.map(({ old }) => old),
    ],
  });
  return rows.length;
}
