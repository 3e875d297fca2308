import type { Queryable } from '../../src/database/database.ts';

/** Returns the tables that contain a text, in any row, as text or as bytes. */
export async function tablesWith(db: Queryable, text: string): Promise<string[]> {
  const tables = await db.query<{ name: string }>({
    text: `SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`,
  });
  const found: string[] = [];
  for (const { name } of tables) {
    const rows = await db.query({
      text: `SELECT FROM "${name}" t WHERE position($1 IN t::text) > 0 OR position(encode(convert_to($1, 'UTF8'), 'hex') IN t::text) > 0
             LIMIT 1`,
      values: [text],
    });
    if (rows.length > 0) found.push(name);
  }
  return found;
}
