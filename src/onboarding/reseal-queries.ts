import type { Queryable } from '../database/database.ts';

/** Sealed secrets of an onboarding. */
export interface SealedSecrets {
  organizationId: string;
  id: string;
  token: Buffer | null;
  pin: Buffer | null;
}

/** Returns onboardings of any organization that have a secret which does not begin with `mark`, by id after `after`. */
export async function listSecretsWithout(
  db: Queryable,
  mark: Buffer,
  after: string,
  limit: number,
): Promise<SealedSecrets[]> {
  return await db.query<SealedSecrets>({
    text: `
      SELECT organization_id AS "organizationId", id, token_sealed AS token, pin_sealed AS pin
      FROM onboarding
      WHERE id > $2
        AND (substr(token_sealed, 1, octet_length($1::bytea)) <> $1 OR substr(pin_sealed, 1, octet_length($1)) <> $1)
      ORDER BY id LIMIT $3`,
    values: [mark, after, limit],
  });
}

/** Writes the resealed secrets of an onboarding, unless they have changed meanwhile. Returns true if they were written. */
export async function replaceSecrets(
  db: Queryable,
  was: SealedSecrets,
  { token, pin }: Pick<SealedSecrets, 'token' | 'pin'>,
): Promise<boolean> {
  const rows = await db.query({
    text: `
      UPDATE onboarding SET token_sealed = $3, pin_sealed = $4
      WHERE organization_id = $1 AND id = $2
        AND token_sealed IS NOT DISTINCT FROM $5 AND pin_sealed IS NOT DISTINCT FROM $6
      RETURNING 1`,
    values: [was.organizationId, was.id, token, pin, was.token, was.pin],
  });
  return rows.length > 0;
}
