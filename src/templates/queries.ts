import { publishChanges } from '../database/change-feed.ts';
import type { Queryable } from '../database/database.ts';
import type { UpstreamTemplate } from '../upstream/index.ts';
import { mergeFields } from './merge-fields.ts';
import type { TemplateVersion } from './template-choice.ts';
import { withoutDoubles } from './template-doubles.ts';

/** How caches and the change feed name all versions of a template. */
export function templateKey(organizationId: string, wabaId: string, name: string): string {
  return `${organizationId}/${wabaId}/${name}`;
}

/**
 * Makes the stored templates of a WABA follow a complete reading of the upstream, as sets; those missing from it become DELETED.
 * Fields only the create body had are kept. `readAtMs` is when the reading began: what was stored later knows more than the
 * reading does and stays as it is. Tells every node which names changed.
 */
export async function replaceTemplates(
  tx: Queryable,
  organizationId: string,
  wabaId: string,
  reading: readonly UpstreamTemplate[],
  readAtMs: number,
): Promise<void> {
  const readAt = new Date(readAtMs);
  const stored = new Map(await listOtherFields(tx, organizationId, wabaId));
  const templates = withoutDoubles(reading).map((template) => ({
    ...template,
    otherFields: mergeFields(stored.get(template.id) ?? '{}', template.otherFields),
  }));
  // Names that are gone first: each may be taken again, by a template with another id.
  const gone = await markOthersDeleted(tx, organizationId, wabaId, templates, readAt);
  const changed = await upsertTemplates(tx, organizationId, wabaId, templates, readAt);
  const keys = new Set([...gone, ...changed].map((name) => templateKey(organizationId, wabaId, name)));
  await publishChanges(tx, 'template', [...keys]);
}

/**
 * Stores templates read one by one, without concluding anything from the absence of others. Otherwise as `replaceTemplates`.
 */
export async function storeTemplates(
  tx: Queryable,
  organizationId: string,
  wabaId: string,
  reading: readonly UpstreamTemplate[],
  readAtMs: number,
): Promise<void> {
  const changed = await upsertTemplates(tx, organizationId, wabaId, withoutDoubles(reading), new Date(readAtMs));
  const keys = new Set(changed.map((name) => templateKey(organizationId, wabaId, name)));
  await publishChanges(tx, 'template', [...keys]);
}

/** All language versions of a template known under a name, deleted ones left out. */
export async function listVersions(
  db: Queryable,
  organizationId: string,
  wabaId: string,
  name: string,
): Promise<TemplateVersion[]> {
  return await db.query<TemplateVersion & Record<string, unknown>>({
    name: 'template_list_versions',
    text: `
      SELECT id, language, status, category FROM template
      WHERE organization_id = $1 AND waba_id = $2 AND name = $3 AND status <> 'DELETED'`,
    values: [organizationId, wabaId, name],
  });
}

async function listOtherFields(tx: Queryable, organizationId: string, wabaId: string): Promise<[string, string][]> {
  const rows = await tx.query<{ id: string; other_fields: string }>({
    text: "SELECT id, other_fields FROM template WHERE organization_id = $1 AND waba_id = $2 AND status <> 'DELETED'",
    values: [organizationId, wabaId],
  });
  return rows.map((row) => [row.id, row.other_fields]);
}

async function markOthersDeleted(
  tx: Queryable,
  organizationId: string,
  wabaId: string,
  templates: readonly UpstreamTemplate[],
  readAt: Date,
): Promise<string[]> {
  const rows = await tx.query<{ name: string }>({
    text: `
      UPDATE template SET status = 'DELETED', updated_at = $4
      WHERE organization_id = $1 AND waba_id = $2 AND id <> ALL ($3::text[]) AND status <> 'DELETED' AND updated_at <= $4
      RETURNING name`,
    values: [organizationId, wabaId, templates.map((template) => template.id), readAt],
  });
  return rows.map((row) => row.name);
}

async function upsertTemplates(
  tx: Queryable,
  organizationId: string,
  wabaId: string,
  templates: readonly UpstreamTemplate[],
  readAt: Date,
): Promise<string[]> {
  const rows = await tx.query<{ name: string }>({
    // A name that someone created anew under another id since the reading began belongs to the newer one.
    // Rows are taken in order of their ids, so that two readings cannot wait for each other.
    text: `
      INSERT INTO template (organization_id, waba_id, id, name, language, category, status, parameter_format, components,
        other_fields, quality_score, rejected_reason, created_at, updated_at)
      SELECT $1, $2, read.*, $3, $3
      FROM unnest($4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[],
        $12::text[], $13::text[]) AS read (id, name, language, category, status, parameter_format, components,
        other_fields, quality_score, rejected_reason)
      WHERE NOT EXISTS (
        SELECT FROM template AS newer
        WHERE newer.organization_id = $1 AND newer.waba_id = $2 AND newer.name = read.name
          AND newer.language = read.language AND newer.id <> read.id AND newer.status <> 'DELETED')
      ORDER BY read.id
      ON CONFLICT (organization_id, id) DO UPDATE
      SET waba_id = excluded.waba_id, name = excluded.name, language = excluded.language, category = excluded.category,
        status = excluded.status, parameter_format = excluded.parameter_format, components = excluded.components,
        other_fields = excluded.other_fields, quality_score = excluded.quality_score,
        rejected_reason = excluded.rejected_reason, updated_at = excluded.updated_at
      WHERE template.updated_at <= excluded.updated_at
        AND (template.waba_id, template.name, template.language, template.category, template.status,
          template.parameter_format, template.components, template.other_fields, template.quality_score,
          template.rejected_reason)
        IS DISTINCT FROM (excluded.waba_id, excluded.name, excluded.language, excluded.category, excluded.status,
          excluded.parameter_format, excluded.components, excluded.other_fields, excluded.quality_score,
          excluded.rejected_reason)
      RETURNING name`,
    values: [
      organizationId,
      wabaId,
      readAt,
      templates.map((template) => template.id),
      templates.map((template) => template.name),
      templates.map((template) => template.language),
      templates.map((template) => template.category),
      templates.map((template) => template.status),
      templates.map((template) => template.parameterFormat),
      templates.map((template) => template.components),
      templates.map((template) => template.otherFields),
      templates.map((template) => template.qualityScore),
      templates.map((template) => template.rejectedReason),
    ],
  });
  return rows.map((row) => row.name);
}
