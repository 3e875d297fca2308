import { arrayTable } from '../../database/batching/array-table.ts';
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

interface Resealed {
  was: SealedSecrets;
  secret: Buffer;
  old: Buffer | null;
}

const RESEALED = arrayTable<Resealed>()({
  organization_id: ['uuid', ({ was }) => was.organizationId],
  id: ['uuid', ({ was }) => was.id],
  was_secret: ['bytea', ({ was }) => was.secret],
  was_old: ['bytea', ({ was }) => was.old],
  secret: ['bytea', ({ secret }) => secret],
  old: ['bytea', ({ old }) => old],
});

/** Writes the resealed secrets, except of endpoints whose secrets have changed meanwhile. Returns the number of endpoints written. */
export async function replaceSecrets(db: Queryable, changes: readonly Resealed[]): Promise<number> {
  const rows = await db.query({
    text: `
      UPDATE webhook_endpoint e SET secret_sealed = s.secret, old_secret_sealed = s.old
      FROM ${RESEALED.from('s')}
      WHERE e.organization_id = s.organization_id AND e.id = s.id
        AND e.secret_sealed = s.was_secret AND e.old_secret_sealed IS NOT DISTINCT FROM s.was_old
      RETURNING 1`,
    values: RESEALED.values(changes),
  });
  return rows.length;
}
