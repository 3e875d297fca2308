import type { Queryable } from '../database/database.ts';

/** A stored template of a test account. */
export interface StoredTemplate {
  id: string;
  name: string;
  language: string;
  category: string;
  status: string;
  parameterFormat: string | null;
  /** JSON text. */
  components: string;
}

/** Returns the templates of a connected business account, oldest first. */
export async function listStoredTemplates(db: Queryable, wabaId: string): Promise<StoredTemplate[]> {
  return await db.query<StoredTemplate & Record<string, unknown>>({
    name: 'test_account_templates',
    text: `
      SELECT t.id, t.name, t.language, t.category, t.status, t.parameter_format AS "parameterFormat", t.components
      FROM waba w JOIN template t ON t.organization_id = w.organization_id AND t.waba_id = w.waba_id
      WHERE w.waba_id = $1 AND t.status <> 'DELETED'
      ORDER BY t.created_at, t.id`,
    values: [wabaId],
  });
}
