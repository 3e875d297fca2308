import type { Queryable } from '../../database/database.ts';
import type { WabaRef } from '../waba-ref.ts';

/** A language version of a template. */
export interface VersionName extends WabaRef {
  name: string;
  language: string;
}

/**
 * SET clause for a template whose category is to become `category`. A new category, or a return from deletion, ends a refusal at
 * `/marketing_messages`, and is a change of where it goes.
 */
export const movedTo = (template: string, category: string) => `
  marketing_refused = ${template}.marketing_refused AND ${template}.category = ${category},
  marketing_changed_at = CASE WHEN ${template}.category = ${category} AND ${template}.status <> 'DELETED'
    THEN ${template}.marketing_changed_at ELSE clock_timestamp() END`;

/** Ends the refusals of a WABA's templates at `/marketing_messages`, so that each is tried there again. Returns their names. */
export async function endMarketingRefusals(tx: Queryable, { organizationId, wabaId }: WabaRef): Promise<string[]> {
  const rows = await tx.query<{ name: string }>({
    // Rows are locked in the order of every writer.
    text: `
      WITH refused AS MATERIALIZED (
        SELECT id FROM template WHERE organization_id = $1 AND waba_id = $2 AND marketing_refused ORDER BY id FOR NO KEY UPDATE
      )
      UPDATE template SET marketing_refused = false, marketing_changed_at = clock_timestamp()
      WHERE organization_id = $1 AND id IN (SELECT id FROM refused)
      RETURNING name`,
    values: [organizationId, wabaId],
  });
  return rows.map((row) => row.name);
}

/** Records that the platform refuses a template at `/marketing_messages`. Returns false if that was known, or there is no such template. */
export async function storeMarketingRefusal(
  tx: Queryable,
  { organizationId, wabaId, name, language }: VersionName,
): Promise<boolean> {
  const rows = await tx.query({
    name: 'template_refuse_marketing',
    text: `
      UPDATE template SET marketing_refused = true, marketing_changed_at = clock_timestamp()
      WHERE organization_id = $1 AND waba_id = $2 AND name = $3 AND language = $4 AND status <> 'DELETED' AND NOT marketing_refused
      RETURNING 1`,
    values: [organizationId, wabaId, name, language],
  });
  return rows.length > 0;
}
