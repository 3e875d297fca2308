import type { Queryable } from '../database/database.ts';

/**
 * Lists up to five other platforms than `platform` through which accounts were connected. `null` comes last, for accounts without a
 * recorded platform.
 */
export async function listOtherPlatforms(db: Queryable, platform: string): Promise<(string | null)[]> {
  const rows = await db.query<{ platform: string | null }>({
    text: 'SELECT DISTINCT platform FROM waba WHERE platform IS DISTINCT FROM $1 ORDER BY platform LIMIT 5',
    values: [platform],
  });
  return rows.map((row) => row.platform);
}
