import { arrayTable } from '../../database/batching/array-table.ts';
import type { Queryable } from '../../database/database.ts';
import type { WabaRef } from '../waba-ref.ts';
import type { ToldTemplate } from './template-events.ts';

/** Selects templates by WABA: those with one name, or all. */
export interface TemplateScope extends WabaRef {
  name: string | null;
}

/** Columns of `ToldTemplate` for a template `t`. */
export const TOLD_COLUMNS = `
  t.organization_id AS "organizationId", t.waba_id AS "wabaId", t.id, t.name, t.language, t.status, t.category,
  t.quality_score AS "qualityScore", t.rejected_reason AS "rejectedReason"`;

/** The scopes of a statement. Its first parameter is the list of their organizations. */
const SCOPES = arrayTable<TemplateScope>()({
  organization_id: ['uuid', ({ organizationId }) => organizationId],
  waba_id: ['text', ({ wabaId }) => wabaId],
  name: ['text', ({ name }) => name],
});

/** Locks the templates within these scopes and returns the fields that events report. Locks follow the order of all writers. */
export async function lockToldTemplates(tx: Queryable, scopes: readonly TemplateScope[]): Promise<ToldTemplate[]> {
  return await tx.query<ToldTemplate>({
    name: 'template_lock_told',
    text: `
      SELECT ${TOLD_COLUMNS}
      FROM template AS t
      WHERE t.organization_id = ANY ($1::uuid[])
        AND EXISTS (
          SELECT FROM ${SCOPES.from('s')}
          WHERE s.organization_id = t.organization_id AND s.waba_id = t.waba_id AND (s.name IS NULL OR s.name = t.name))
      ORDER BY t.organization_id, t.id
      FOR NO KEY UPDATE OF t`,
    values: SCOPES.values(scopes),
  });
}
