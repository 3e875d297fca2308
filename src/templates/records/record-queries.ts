import { arrayTable } from '../../database/batching/array-table.ts';
import type { Queryable } from '../../database/database.ts';
import { requestLooks } from '../follow/poll-queries.ts';
import { firstLooks } from '../follow/review-schedule.ts';
import { movedTo } from '../marketing/marketing-queries.ts';
import { markSuperseded, publishTemplates } from '../queries.ts';
import type { WabaRef } from '../waba-ref.ts';
import { contentPatterns } from './content-search.ts';
import { mergeFields } from './merge-fields.ts';

/** A stored template. */
export interface TemplateRecord {
  id: string;
  wabaId: string;
  name: string;
  language: string;
  category: string;
  status: string;
  parameterFormat: string | null;
  /** JSON text. */
  components: string;
  /** JSON text: one object with everything else that was sent or read. */
  otherFields: string;
  qualityScore: string | null;
  rejectedReason: string | null;
  createdAt: Date;
  updatedAt: Date;
}

/** Conditions of a list; an absent one restricts nothing. */
export interface TemplateFilter {
  wabaId?: string | undefined;
  name?: string | undefined;
  /** A part of the name or of the components, in any letter case. */
  nameOrContent?: string | undefined;
  /** A part of the components, in any letter case. */
  content?: string | undefined;
  /** Without any, all but deleted templates. */
  statuses?: string[] | undefined;
  languages?: string[] | undefined;
  categories?: string[] | undefined;
  qualityScores?: string[] | undefined;
}

/** Position in a list. */
export interface ListPosition {
  createdAtMs: number;
  id: string;
}

/**
 * A part of a list: up to `limit` templates after `position` in `direction`, or from the beginning. The first template always counts;
 * further ones only while the total stays within `bytesMax`.
 */
export interface ListWindow {
  direction: 'older' | 'newer';
  position: ListPosition | null;
  limit: number;
  bytesMax: number;
}

export interface ListPart {
  records: TemplateRecord[];
  /** True if the list goes on after these. */
  goesOn: boolean;
}

const RECORD_COLUMNS = `
  id, waba_id AS "wabaId", name, language, category, status, parameter_format AS "parameterFormat", components,
  other_fields AS "otherFields", quality_score AS "qualityScore", rejected_reason AS "rejectedReason",
  created_at AS "createdAt", updated_at AS "updatedAt"`;

/** Returns a template of the organization, deleted ones included. */
export async function findTemplate(
  db: Queryable,
  organizationId: string,
  id: string,
): Promise<TemplateRecord | undefined> {
  const rows = await db.query<TemplateRecord>({
    name: 'template_find',
    text: `SELECT ${RECORD_COLUMNS} FROM template WHERE organization_id = $1 AND id = $2`,
    values: [organizationId, id],
  });
  return rows[0];
}

/** Returns the components (JSON text) that were sent from here; undefined if the template was made elsewhere or has changed since. */
export async function findSentComponents(
  db: Queryable,
  organizationId: string,
  id: string,
): Promise<string | undefined> {
  const rows = await db.query<{ components: string }>({
    text: 'SELECT components FROM template WHERE organization_id = $1 AND id = $2 AND components_as_sent',
    values: [organizationId, id],
  });
  return rows[0]?.components;
}

/** The identity of a template; its other columns may be as large as a body. */
export type NamedRecord = Pick<TemplateRecord, 'id' | 'name'>;

/** Returns the templates with these ids, or with this name, on one WABA, without deleted ones. */
export async function listNames(
  db: Queryable,
  organizationId: string,
  wabaId: string,
  wanted: { ids: readonly string[] } | { name: string },
): Promise<NamedRecord[]> {
  const [condition, value] = 'ids' in wanted ? ['id = ANY ($3::text[])', wanted.ids] : ['name = $3', wanted.name];
  return await db.query<NamedRecord>({
    text: `
      SELECT id, name FROM template
      WHERE organization_id = $1 AND waba_id = $2 AND ${condition} AND status <> 'DELETED'`,
    values: [organizationId, wabaId, value],
  });
}

/** Returns a part of the organization's templates: newest first, or oldest first in the direction `newer`. */
export async function listTemplates(
  db: Queryable,
  organizationId: string,
  filter: TemplateFilter,
  { direction, position, limit, bytesMax }: ListWindow,
): Promise<ListPart> {
  const [comparison, order, end] = direction === 'older' ? ['<', 'DESC', 'infinity'] : ['>', 'ASC', '-infinity'];
  const rows = await db.query<TemplateRecord & { goesOn: boolean }>({
    name: `template_list_${direction}`,
    // One template more than the limit shows that the list goes on.
    text: `
      SELECT ${RECORD_COLUMNS}, goes_on AS "goesOn"
      FROM (
        SELECT found.*, row_number() OVER in_order AS place, lead(true, 1, false) OVER in_order AS goes_on,
               sum(octet_length(components) + octet_length(other_fields)) OVER in_order AS bytes
        FROM (
          SELECT * FROM template
          WHERE organization_id = $1 AND ($2::text IS NULL OR waba_id = $2) AND ($3::text IS NULL OR name = $3)
            AND CASE WHEN $4::text[] IS NULL THEN status <> 'DELETED' ELSE status = ANY ($4) END
            AND ($5::text[] IS NULL OR language = ANY ($5)) AND ($6::text[] IS NULL OR category = ANY ($6))
            AND ($7::text[] IS NULL OR coalesce(quality_score, 'UNKNOWN') = ANY ($7))
            AND ($8::text IS NULL OR strpos(lower(name), lower($8)) > 0 OR lower(components) LIKE ANY ($9::text[]))
            AND ($10::text[] IS NULL OR lower(components) LIKE ANY ($10))
            AND (created_at, id) ${comparison} ($11, $12)
          ORDER BY created_at ${order}, id ${order} LIMIT $13::int + 1
        ) found
        WINDOW in_order AS (ORDER BY created_at ${order}, id ${order})
      ) listed
      WHERE place = 1 OR place <= $13 AND bytes <= $14
      ORDER BY created_at ${order}, id ${order}`,
    values: [
      organizationId,
      filter.wabaId,
      filter.name,
      filter.statuses,
      filter.languages,
      filter.categories,
      filter.qualityScores,
      filter.nameOrContent,
      filter.nameOrContent === undefined ? null : contentPatterns(filter.nameOrContent),
      filter.content === undefined ? null : contentPatterns(filter.content),
      position === null ? end : new Date(position.createdAtMs),
      position?.id ?? '',
      limit,
      bytesMax,
    ],
  });
  return { records: rows, goesOn: rows.at(-1)?.goesOn ?? false };
}

/**
 * Stores a template that was just created upstream, as it was sent. If a webhook or a reading has stored it already, the stored status and
 * category stay, because they are newer than the answer's. The caller holds `lockWaba`.
 */
export async function insertCreated(
  tx: Queryable,
  organizationId: string,
  created: Omit<TemplateRecord, 'qualityScore' | 'rejectedReason' | 'createdAt' | 'updatedAt'>,
  nowMs: number,
): Promise<void> {
  const { wabaId, name } = created;
  const now = new Date(nowMs);
  // `infinity`: the previous holder of the name is superseded even if another node's clock stored it later.
  await markSuperseded(tx, { organizationId, wabaId }, [created], now, 'infinity');
  const readFields = await lockOtherFields(tx, organizationId, created.id);
  await tx.query({
    text: `
      INSERT INTO template (organization_id, id, waba_id, name, language, category, status, parameter_format, components,
        components_as_sent, other_fields, created_at, updated_at)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, true, $10, $11, $11)
      ON CONFLICT (organization_id, id) DO UPDATE
      SET components = excluded.components, components_as_sent = true, other_fields = excluded.other_fields`,
    values: [
      organizationId,
      created.id,
      wabaId,
      name,
      created.language,
      created.category,
      created.status,
      created.parameterFormat,
      created.components,
      mergeFields(created.otherFields, readFields),
      now,
    ],
  });
  await publishTemplates(tx, [{ organizationId, wabaId, name }]);
  await requestLooks(tx, firstLooks([{ ...created, organizationId }], nowMs), nowMs);
}

/**
 * Stores an edit that the upstream accepted, as it was sent. The template is in review again, unless something newer than `editedAtMs`
 * (taken before the edit was sent) is known of it.
 */
export async function updateEdited(
  tx: Queryable,
  organizationId: string,
  record: TemplateRecord,
  edit: { components: string | undefined; category: string | undefined; otherFields: string },
  editedAtMs: number,
): Promise<void> {
  const { id, wabaId, name } = record;
  const otherFields = await lockOtherFields(tx, organizationId, id);
  await tx.query({
    text: `
      UPDATE template
      SET components = coalesce($3, components), components_as_sent = components_as_sent OR $3 IS NOT NULL,
        components_fingerprint = CASE WHEN $3 IS NULL THEN components_fingerprint END,
        category = coalesce($4, category), other_fields = $5,
        status = CASE WHEN updated_at <= $6 THEN 'PENDING' ELSE status END, updated_at = greatest(updated_at, $6),
        ${movedTo('template', 'coalesce($4, template.category)')}
      WHERE organization_id = $1 AND id = $2`,
    values: [
      organizationId,
      id,
      edit.components ?? null,
      edit.category ?? null,
      mergeFields(otherFields, edit.otherFields),
      new Date(editedAtMs),
    ],
  });
  await publishTemplates(tx, [{ organizationId, wabaId, name }]);
  await requestLooks(tx, firstLooks([{ organizationId, wabaId, status: 'PENDING' }], editedAtMs), editedAtMs);
}

/**
 * Records that the upstream may have applied an edit of the components whose answer was lost. Its next report then replaces them. If a
 * fingerprint of its report of the sent components exists, comparison decides instead.
 */
export async function doubtComponents(db: Queryable, organizationId: string, id: string): Promise<void> {
  await db.query({
    text: `
      UPDATE template SET components_as_sent = false
      WHERE organization_id = $1 AND id = $2 AND components_fingerprint IS NULL`,
    values: [organizationId, id],
  });
}

interface DeletedTemplate {
  id: string;
  status: string;
}

/** The templates of a statement, after their organization and the time now. */
const GONE = arrayTable<DeletedTemplate>(3)({
  id: ['text', (template) => template.id],
  status: ['text', (template) => template.status],
});

/** Sets the status of templates after their deletion. */
export async function updateDeleted(
  tx: Queryable,
  organizationId: string,
  deleted: readonly DeletedTemplate[],
  nowMs: number,
): Promise<void> {
  const rows = await tx.query<WabaRef & { name: string }>({
    text: `
      UPDATE template SET status = gone.status, updated_at = $2
      FROM ${GONE.from('gone')}
      WHERE organization_id = $1 AND template.id = gone.id
      RETURNING organization_id AS "organizationId", waba_id AS "wabaId", name`,
    values: [organizationId, new Date(nowMs), ...GONE.values(deleted)],
  });
  await publishTemplates(tx, rows);
}

/** Locks a template that is about to be written and returns its other fields; `{}` if it is not stored yet. */
async function lockOtherFields(tx: Queryable, organizationId: string, id: string): Promise<string> {
  const rows = await tx.query<{ otherFields: string }>({
    text: `
      SELECT other_fields AS "otherFields" FROM template WHERE organization_id = $1 AND id = $2 FOR NO KEY UPDATE`,
    values: [organizationId, id],
  });
  return rows[0]?.otherFields ?? '{}';
}
