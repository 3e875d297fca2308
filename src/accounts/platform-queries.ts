import type { Queryable } from '../database/database.ts';

/**
 * Lists up to five other platforms than `platforms` through which accounts were connected. `null` comes last, for accounts without a
 * recorded platform.
 */
export async function listOtherPlatforms(db: Queryable, platforms: readonly string[]): Promise<(string | null)[]> {
  const rows = await db.query<{ platform: string | null }>({
    text: 'SELECT DISTINCT platform FROM waba WHERE (platform = ANY ($1::text[])) IS NOT TRUE ORDER BY platform LIMIT 5',
    values: [platforms],
  });
  return rows.map((row) => row.platform);
}
