import { arrayTable } from '../../database/batching/array-table.ts';
import type { Queryable } from '../../database/database.ts';
import { firstRow } from '../../database/first-row.ts';

export interface SealedToken {
  organizationId: string;
  wabaId: string;
  sealed: Buffer;
}

/** Returns true if there are sealed tokens, and none of them begins with one of `marks`. */
export async function areTokensUnmarked(db: Queryable, marks: readonly Buffer[]): Promise<boolean> {
  const rows = await db.query<{ unmarked: boolean | null }>({
    text: `
      SELECT bool_and(substr(token_sealed, 1, octet_length(($1::bytea[])[1])) <> ALL ($1)) AS unmarked
      FROM waba WHERE token_sealed <> ''`,
    values: [marks],
  });
  return firstRow(rows).unmarked === true;
}

/** Lists sealed tokens of all organizations that do not begin with `mark`, ordered by WABA, after the WABA `after`. */
export async function listTokensWithout(
  db: Queryable,
  mark: Buffer,
  after: string,
  limit: number,
): Promise<SealedToken[]> {
  return await db.query<SealedToken>({
    text: `
      SELECT organization_id AS "organizationId", waba_id AS "wabaId", token_sealed AS sealed
      FROM waba
      WHERE token_sealed <> '' AND substr(token_sealed, 1, octet_length($1::bytea)) <> $1 AND waba_id > $2
      ORDER BY waba_id LIMIT $3`,
    values: [mark, after, limit],
  });
}

interface ResealedToken extends SealedToken {
  was: Buffer;
}

const RESEALED = arrayTable<ResealedToken>()({
  organization_id: ['uuid', (token) => token.organizationId],
  waba_id: ['text', (token) => token.wabaId],
  was: ['bytea', (token) => token.was],
  sealed: ['bytea', (token) => token.sealed],
});

/**
 * Writes resealed tokens, unless a token was replaced meanwhile; returns the number written. Their version stays, because the tokens are
 * the same.
 */
export async function replaceTokens(db: Queryable, tokens: readonly ResealedToken[]): Promise<number> {
  const rows = await db.query({
    text: `
      UPDATE waba w SET token_sealed = t.sealed
      FROM ${RESEALED.from('t')}
      WHERE w.organization_id = t.organization_id AND w.waba_id = t.waba_id AND w.token_sealed = t.was
      RETURNING 1`,
    values: RESEALED.values(tokens),
  });
  return rows.length;
}
