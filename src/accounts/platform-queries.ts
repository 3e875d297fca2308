import type { Queryable } from '../database/database.ts';

/** Some of the platforms but `platform` that accounts were connected through, by name; `null` stands last, for those of which nobody noted it. */
export async function listOtherPlatforms(db: Queryable, platform: string): Promise<(string | null)[]> {
  const rows = await db.query<{ platform: string | null }>({
    text: 'SELECT DISTINCT platform FROM waba WHERE platform IS DISTINCT FROM $1 ORDER BY platform LIMIT 5',
    values: [platform],
  });
  return rows.map((row) => row.platform);
}
