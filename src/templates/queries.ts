import { wabaNotFound } from '../accounts/index.ts';
import { arrayTable } from '../database/batching/array-table.ts';
import { publishChanges } from '../database/changes/change-feed.ts';
import type { Queryable } from '../database/database.ts';
import type { ListedTemplate, UpstreamTemplate } from '../upstream/index.ts';
import type { TemplateVersion } from './choose/template-choice.ts';
import { noteFullReading, requestLooks } from './follow/poll-queries.ts';
import { FULL_READING_EVERY_MS, firstLooks } from './follow/review-schedule.ts';
import { tellTemplateChanges } from './follow/tell-template-changes.ts';
import { isLeaving, withoutDoubles } from './follow/template-doubles.ts';
import { endMarketingRefusals, movedTo } from './marketing/marketing-queries.ts';
import { fingerprintComponents } from './records/component-fingerprint.ts';
import { mergeFields } from './records/merge-fields.ts';
import type { WabaRef } from './waba-ref.ts';

/** A business account can hold thousands of templates. Reading their JSON in portions lets other work run in between. */
const TEMPLATES_AT_ONCE = 200;
/** A template's stored fields may be as large as a request body. */
const FIELD_BYTES_AT_ONCE = 4 * 1024 * 1024;

/**
 * Holds if a template was stored at `knownAt` or before, by the nodes' clocks. An `updated_at` more than 30 minutes ahead exceeds any
 * reading time and clock difference: a clock that has been set back since wrote it.
 */
export const isStoredBy = (template: string, knownAt: string) =>
  `(${template}.updated_at <= ${knownAt} OR ${template}.updated_at > ${knownAt} + interval '30 minutes')`;

/** Returns the key of all versions of a template in caches and the change feed. */
export function templateKey(organizationId: string, wabaId: string, name: string): string {
  return `${organizationId}/${wabaId}/${name}`;
}

function splitKey(key: string): [organizationId: string, wabaId: string, name: string] {
  const [organizationId = '', wabaId = '', ...name] = key.split('/');
  return [organizationId, wabaId, name.join('/')];
}

/** Notifies every node that templates with these names have changed. */
export async function publishTemplates(tx: Queryable, changed: readonly (WabaRef & { name: string })[]): Promise<void> {
  const keys = new Set(changed.map(({ organizationId, wabaId, name }) => templateKey(organizationId, wabaId, name)));
  await publishChanges(tx, 'template', [...keys]);
}

/** Notifies every node about names on one WABA. */
function publishNames(tx: Queryable, waba: WabaRef, names: readonly string[]): Promise<void> {
  return publishTemplates(
    tx,
    names.map((name) => ({ ...waba, name })),
  );
}

/**
 * Makes the stored templates of a WABA match a complete reading of the upstream; templates missing from it become DELETED. Fields that only
 * the create body had are kept. Components as sent are kept while the upstream's report of them is unchanged. A template without a complete
 * report stays as it is.
 *
 * `readAtMs` is when the reading began; templates stored later are newer than the reading and stay. Only missing templates in `goneIds`
 * become DELETED: a template that another node has stored since stays, whatever its clock says. Notifies every node of the changed names.
 */
export async function replaceTemplates(
  tx: Queryable,
  organizationId: string,
  wabaId: string,
  reading: readonly ListedTemplate[],
  readAtMs: number,
  goneIds: readonly string[],
): Promise<void> {
  const waba = { organizationId, wabaId };
  const readAt = new Date(readAtMs);
  const templates = withoutDoubles(reading.filter((template) => template.name !== null));
  const present = [...templates, ...reading.filter(({ name }) => name === null)].map(({ id }) => id);
  await lockWaba(tx, waba);
  await tellTemplateChanges(tx, [{ ...waba, name: null }], readAtMs, async () => {
    // Mark deleted templates first: a new template with another id may have the same name.
    const gone = await markOthersDeleted(tx, waba, { gone: goneIds, present }, readAt);
    const readmitted = await endMarketingRefusals(tx, waba);
    await noteFullReading(tx, waba, readAt, new Date(readAtMs + FULL_READING_EVERY_MS));
    await publishNames(tx, waba, [...gone, ...readmitted, ...(await storeReading(tx, waba, templates, readAtMs))]);
  });
}

/** Stores templates that were read singly. Concludes nothing from the absence of others; otherwise like `replaceTemplates`. */
export async function storeTemplates(
  tx: Queryable,
  waba: WabaRef,
  reading: readonly ListedTemplate[],
  readAtMs: number,
): Promise<void> {
  const templates = reading.filter((template) => template.name !== null);
  const scopes = [...new Set(templates.map(({ name }) => name))].map((name) => ({ ...waba, name }));
  await lockWaba(tx, waba);
  await tellTemplateChanges(tx, scopes, readAtMs, () => writeTemplates(tx, waba, templates, readAtMs));
}

/** Stores like `storeTemplates` but records no events, for callers that record events for more than the reading. */
export async function writeTemplates(
  tx: Queryable,
  waba: WabaRef,
  reading: readonly UpstreamTemplate[],
  readAtMs: number,
): Promise<void> {
  await publishNames(tx, waba, await storeReading(tx, waba, withoutDoubles(reading), readAtMs));
}

/** Stores templates and requests looks at those that the upstream has yet to decide on; returns the changed names. */
async function storeReading(
  tx: Queryable,
  waba: WabaRef,
  reading: readonly UpstreamTemplate[],
  readAtMs: number,
): Promise<string[]> {
  const readAt = new Date(readAtMs);
  const names: string[] = [];
  const stored: { name: string; status: string }[] = [];
  for (let start = 0; start < reading.length; ) {
    const known = await listOtherFields(tx, waba.organizationId, reading.slice(start, start + TEMPLATES_AT_ONCE));
    const templates = reading.slice(start, start + known.length).map((template, index) => ({
      ...template,
      otherFields: mergeFields(known[index] ?? '{}', template.otherFields),
    }));
    start += known.length;
    names.push(...(await markSuperseded(tx, waba, templates, readAt, readAt)));
    stored.push(...(await upsertTemplates(tx, waba, templates, readAt)));
  }
  const open = stored.map(({ status }) => ({ ...waba, status }));
  await requestLooks(tx, firstLooks(open, readAtMs), readAtMs);
  return [...names, ...stored.map(({ name }) => name)];
}

/** The templates of a statement, after their organization, their WABA and two times. */
const NAMED = arrayTable<{ id: string; name: string; language: string }>(5)({
  id: ['text', (template) => template.id],
  name: ['text', (template) => template.name],
  language: ['text', (template) => template.language],
});

/**
 * Marks as deleted the stored templates whose name and language now belong to another template: upstream, only one template holds them,
 * unless it is being deleted. Templates stored after `knownUntil` are newer and stay. Returns the names.
 */
export async function markSuperseded(
  tx: Queryable,
  { organizationId, wabaId }: WabaRef,
  templates: readonly { id: string; name: string; language: string; status: string }[],
  now: Date,
  knownUntil: Date | 'infinity',
): Promise<string[]> {
  const staying = templates.filter((template) => !isLeaving(template));
  const rows = await tx.query<{ name: string }>({
    // OFFSET 0 makes PostgreSQL look each template up by its name. As a join, each would be compared with all of the WABA's templates.
    text: `
      UPDATE template SET status = 'DELETED', updated_at = $3
      WHERE organization_id = $1 AND id = ANY (ARRAY (
        SELECT other.id
        FROM ${NAMED.from('read')}
        CROSS JOIN LATERAL (
          SELECT t.id FROM template AS t
          WHERE t.organization_id = $1 AND t.waba_id = $2 AND t.name = read.name AND t.language = read.language
            AND t.id <> read.id AND t.status <> 'DELETED' AND ${isStoredBy('t', '$4::timestamptz')}
          OFFSET 0) AS other))
      RETURNING name`,
    values: [organizationId, wabaId, now, knownUntil, ...NAMED.values(staying)],
  });
  return rows.map((row) => row.name);
}

/**
 * SQL for a template's time to live. Other fields are stored as written, and PostgreSQL refuses to read JSON with escapes that are not
 * valid text. Blanking the escapes first keeps names, numbers and nesting.
 */
const TTL_SECONDS = `
  CASE WHEN strpos(t.other_fields, '"message_send_ttl_seconds"') > 0
    THEN regexp_replace(t.other_fields, '\\\\.', '_', 'g')::json ->> 'message_send_ttl_seconds' END`;

export const KEYS = arrayTable<ReturnType<typeof splitKey>>()({
  organization_id: ['uuid', ([organizationId]) => organizationId],
  waba_id: ['text', ([, wabaId]) => wabaId],
  name: ['text', ([, , name]) => name],
});

/** Returns all language versions of these templates without deleted ones, by key (`templateKey`); names without versions are absent. */
export async function listVersions(db: Queryable, keys: readonly string[]): Promise<Map<string, TemplateVersion[]>> {
  const rows = await db.query<TemplateVersion & { ord: number }>({
    name: 'template_list_versions',
    text: `
      SELECT k.ord, t.language, t.status, t.category, ${TTL_SECONDS} AS "ttlSeconds", t.marketing_refused AS "isMarketingRefused"
      FROM ${KEYS.from('k', 'ord')}
      JOIN template AS t USING (organization_id, waba_id, name)
      WHERE t.status <> 'DELETED'`,
    values: KEYS.values(keys.map(splitKey)),
  });
  const versions = new Map<string, TemplateVersion[]>();
  for (const { ord, ...version } of rows) {
    const key = keys[ord - 1] ?? '';
    versions.set(key, [...(versions.get(key) ?? []), version]);
  }
  return versions;
}

/**
 * Locks the WABA, so that transactions that store its new templates run one after another. Must come first in such a transaction. Without
 * this, two of them could deadlock on each other's rows, and neither would see that the other now holds the name. Raises NOT_FOUND if the
 * WABA has been disconnected.
 */
export async function lockWaba(tx: Queryable, { organizationId, wabaId }: WabaRef): Promise<void> {
  const rows = await tx.query({
    text: 'SELECT waba_id FROM waba WHERE organization_id = $1 AND waba_id = $2 FOR NO KEY UPDATE',
    values: [organizationId, wabaId],
  });
  if (rows.length === 0) throw wabaNotFound();
}

/** Returns the stored fields of the first of these templates, as many as one portion allows; null for one that is not stored. */
async function listOtherFields(
  tx: Queryable,
  organizationId: string,
  templates: readonly { id: string }[],
): Promise<(string | null)[]> {
  const rows = await tx.query<{ other_fields: string | null }>({
    text: `
      SELECT other_fields FROM (
        SELECT read.ord, stored.other_fields, sum(octet_length(stored.other_fields)) OVER (ORDER BY read.ord) AS bytes
        FROM unnest($2::text[]) WITH ORDINALITY AS read (id, ord)
        LEFT JOIN LATERAL (
          SELECT other_fields FROM template WHERE organization_id = $1 AND id = read.id OFFSET 0
        ) stored ON true
      ) known
      WHERE ord = 1 OR bytes IS NULL OR bytes <= $3
      ORDER BY ord`,
    values: [organizationId, templates.map(({ id }) => id), FIELD_BYTES_AT_ONCE],
  });
  return rows.map((row) => row.other_fields);
}

/** Returns the ids of a WABA's templates without deleted ones. */
export async function listTemplateIds(db: Queryable, organizationId: string, wabaId: string): Promise<string[]> {
  const rows = await db.query<{ id: string }>({
    name: 'template_list_ids',
    text: `SELECT id FROM template WHERE organization_id = $1 AND waba_id = $2 AND status <> 'DELETED'`,
    values: [organizationId, wabaId],
  });
  return rows.map(({ id }) => id);
}

/** Deletes the templates of a WABA that is being disconnected, and notifies every node. The caller has locked the WABA. */
export async function forgetTemplates(tx: Queryable, organizationId: string, wabaId: string): Promise<void> {
  const rows = await tx.query<{ name: string }>({
    text: `
      WITH known AS MATERIALIZED (
        -- in the order every writer locks them
        SELECT id FROM template WHERE organization_id = $1 AND waba_id = $2 ORDER BY id FOR UPDATE
      )
      DELETE FROM template WHERE organization_id = $1 AND id IN (SELECT id FROM known) RETURNING name`,
    values: [organizationId, wabaId],
  });
  await tx.query({
    text: 'DELETE FROM template_poll WHERE organization_id = $1 AND waba_id = $2',
    values: [organizationId, wabaId],
  });
  await publishNames(
    tx,
    { organizationId, wabaId },
    rows.map(({ name }) => name),
  );
}

/** Marks templates of `gone` that are not present, and returns their names. Marks none if a present one has no id: it could be any. */
async function markOthersDeleted(
  tx: Queryable,
  { organizationId, wabaId }: WabaRef,
  { gone, present }: { gone: readonly string[]; present: readonly (string | null)[] },
  readAt: Date,
): Promise<string[]> {
  const rows = await tx.query<{ name: string }>({
    // IN and NOT IN with a subquery are hashed; an array would be searched from its beginning for every template.
    text: `
      UPDATE template SET status = 'DELETED', updated_at = $4
      WHERE organization_id = $1 AND waba_id = $2 AND id NOT IN (SELECT unnest($3::text[])) AND status <> 'DELETED'
        AND ${isStoredBy('template', '$4::timestamptz')} AND id IN (SELECT unnest($5::text[]))
      RETURNING name`,
    values: [organizationId, wabaId, present, readAt, gone],
  });
  return rows.map((row) => row.name);
}

/** Components as sent stay until the upstream's report differs from its first one. */
const KEEPS_COMPONENTS = `
  (template.components_as_sent
    AND coalesce(template.components_fingerprint, excluded.components_fingerprint) = excluded.components_fingerprint)`;

/** The templates of a statement, after their organization, their WABA and the time of the reading. */
const READ = arrayTable<UpstreamTemplate>(4)({
  id: ['text', (template) => template.id],
  name: ['text', (template) => template.name],
  language: ['text', (template) => template.language],
  category: ['text', (template) => template.category],
  status: ['text', (template) => template.status],
  parameter_format: ['text', (template) => template.parameterFormat],
  components: ['text', (template) => template.components],
  components_fingerprint: ['uuid', (template) => fingerprintComponents(template.components)],
  other_fields: ['text', (template) => template.otherFields],
  quality_score: ['text', (template) => template.qualityScore],
  rejected_reason: ['text', (template) => template.rejectedReason],
});

async function upsertTemplates(
  tx: Queryable,
  { organizationId, wabaId }: WabaRef,
  templates: readonly UpstreamTemplate[],
  readAt: Date,
): Promise<{ name: string; status: string }[]> {
  return await tx.query<{ name: string; status: string }>({
    // If another template was created under this name since the reading began, the name belongs to the newer one.
    // Rows are locked in order of their ids. Without this, two concurrent readings could deadlock.
    text: `
      INSERT INTO template (organization_id, waba_id, created_at, updated_at, ${READ.names})
      SELECT $1, $2, $3, $3, read.*
      FROM ${READ.from('read')}
      WHERE NOT EXISTS (
        SELECT FROM template AS newer
        WHERE newer.organization_id = $1 AND newer.waba_id = $2 AND newer.name = read.name
          AND newer.language = read.language AND newer.id <> read.id AND newer.status <> 'DELETED'
        OFFSET 0)
      ORDER BY read.id
      ON CONFLICT (organization_id, id) DO UPDATE
      SET waba_id = excluded.waba_id, name = excluded.name, language = excluded.language, category = excluded.category,
        status = excluded.status,
        parameter_format = coalesce(excluded.parameter_format, template.parameter_format),
        components = CASE WHEN ${KEEPS_COMPONENTS} THEN template.components ELSE excluded.components END,
        components_as_sent = ${KEEPS_COMPONENTS}, components_fingerprint = excluded.components_fingerprint,
        other_fields = excluded.other_fields,
        quality_score = coalesce(excluded.quality_score, template.quality_score),
        rejected_reason = excluded.rejected_reason, updated_at = excluded.updated_at,
        ${movedTo('template', 'excluded.category')}
      WHERE ${isStoredBy('template', 'excluded.updated_at')}
        AND (template.waba_id, template.name, template.language, template.category, template.status,
          template.parameter_format, template.components, template.components_fingerprint, template.other_fields,
          template.quality_score, template.rejected_reason)
        IS DISTINCT FROM (excluded.waba_id, excluded.name, excluded.language, excluded.category, excluded.status,
          coalesce(excluded.parameter_format, template.parameter_format),
          CASE WHEN ${KEEPS_COMPONENTS} THEN template.components ELSE excluded.components END,
          excluded.components_fingerprint, excluded.other_fields,
          coalesce(excluded.quality_score, template.quality_score), excluded.rejected_reason)
      RETURNING name, status`,
    values: [organizationId, wabaId, readAt, ...READ.values(templates)],
  });
}
