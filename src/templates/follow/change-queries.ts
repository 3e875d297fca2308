import { arrayTable, type Columns } from '../../database/batching/array-table.ts';
import type { Queryable } from '../../database/database.ts';
import { movedTo } from '../marketing/marketing-queries.ts';
import { isStoredBy, publishTemplates } from '../queries.ts';
import type { WabaRef } from '../waba-ref.ts';
import type { FollowedTemplate } from './template-change.ts';
import type { ToldTemplate } from './template-events.ts';
import { TOLD_COLUMNS } from './told-template-queries.ts';

/** A template that changes apply to, locked until the transaction ends. */
type LockedTemplate = ToldTemplate & FollowedTemplate;

/** A template as a webhook names it. */
export interface NamedTemplate extends WabaRef {
  name: string;
  language: string;
}

const NAME = {
  organization_id: ['uuid', (template) => template.organizationId],
  waba_id: ['text', (template) => template.wabaId],
  name: ['text', (template) => template.name],
  language: ['text', (template) => template.language],
} satisfies Columns<NamedTemplate>;
const NAMED = arrayTable<NamedTemplate>()(NAME);

/** Finds the ids of templates that a webhook named without an id, in the order of `named`; `undefined` if there is none. */
export async function findIdsByName(tx: Queryable, named: readonly NamedTemplate[]): Promise<(string | undefined)[]> {
  const rows = await tx.query<{ position: number; id: string }>({
    name: 'template_find_ids',
    text: `
      SELECT told.position, t.id
      FROM ${NAMED.from('told', 'position')}
      JOIN template AS t USING (organization_id, waba_id, name, language)
      WHERE t.status <> 'DELETED'`,
    values: NAMED.values(named),
  });
  const ids = new Map(rows.map(({ position, id }) => [position, id]));
  return named.map((_, index) => ids.get(index + 1));
}

/** A template that a send attempt named, with the time at which the attempt began. */
type FoundTemplate = NamedTemplate & { begunAt: Date };

/** The same, with its status after the refusal. */
type RefusedTemplate = FoundTemplate & { status: string };

const FOUND_COLUMNS = {
  ...NAME,
  begun_at: ['timestamptz', (template) => template.begunAt],
} satisfies Columns<FoundTemplate>;
const FOUND = arrayTable<FoundTemplate>()(FOUND_COLUMNS);
const REFUSED = arrayTable<RefusedTemplate>()({ ...FOUND_COLUMNS, status: ['text', (template) => template.status] });

/**
 * Holds if nothing newer is known of a template than the attempt that began at `begunAt`: no webhook applied since, no reading begun since.
 * A reading without changes is recorded only in the WABA's `template_poll` row, so both are checked.
 */
const isNewsOf = (template: string, begunAt: string) => `
  ${isStoredBy(template, begunAt)} AND NOT EXISTS (
    SELECT FROM template_poll AS p
    WHERE p.organization_id = ${template}.organization_id AND p.waba_id = ${template}.waba_id
      AND p.fully_read_at > ${begunAt} AND p.fully_read_at <= ${begunAt} + interval '30 minutes')`;

/** Filters `named` to approved templates of which nothing newer than the attempt is known. */
export async function listApproved<Named extends FoundTemplate>(
  tx: Queryable,
  named: readonly Named[],
): Promise<Named[]> {
  const rows = await tx.query<{ position: number }>({
    name: 'template_list_approved',
    text: `
      SELECT told.position
      FROM ${FOUND.from('told', 'position')}
      WHERE EXISTS (
        SELECT FROM template AS t
        WHERE t.organization_id = told.organization_id AND t.waba_id = told.waba_id
          AND t.name = told.name AND t.language = told.language AND t.status = 'APPROVED'
          AND ${isNewsOf('t', 'told.begun_at')}
        OFFSET 0)`,
    values: FOUND.values(named),
  });
  return rows.flatMap(({ position }) => named[position - 1] ?? []);
}

type TemplateId = WabaRef & { id: string };

const IDS = arrayTable<TemplateId>()({
  organization_id: ['uuid', ({ organizationId }) => organizationId],
  waba_id: ['text', ({ wabaId }) => wabaId],
  id: ['text', ({ id }) => id],
});

/** Locks and returns the templates with these ids, each only on the WABA given with it. Locks follow the order of all writers. */
export async function lockTemplates(tx: Queryable, told: readonly TemplateId[]): Promise<LockedTemplate[]> {
  return await tx.query<LockedTemplate>({
    name: 'template_lock',
    text: `
      SELECT ${TOLD_COLUMNS}, t.other_fields AS "otherFields", t.components_as_sent AS "componentsAsSent",
        t.status_told_at AS "statusToldAt", t.updated_at AS "updatedAt"
      FROM (SELECT DISTINCT * FROM ${IDS.from('one')}) AS told
      JOIN template AS t USING (organization_id, waba_id, id)
      ORDER BY organization_id, id
      FOR UPDATE OF t`,
    values: IDS.values(told),
  });
}

/** The templates of a statement, after the time now. */
const FOLLOWED = arrayTable<LockedTemplate>(2)({
  organization_id: ['uuid', (template) => template.organizationId],
  id: ['text', (template) => template.id],
  status: ['text', (template) => template.status],
  category: ['text', (template) => template.category],
  quality_score: ['text', (template) => template.qualityScore],
  rejected_reason: ['text', (template) => template.rejectedReason],
  other_fields: ['text', (template) => template.otherFields],
  components_as_sent: ['boolean', (template) => template.componentsAsSent],
  status_told_at: ['timestamptz', (template) => template.statusToldAt],
});

/** Writes locked templates after their changes and notifies every node. */
export async function updateFollowed(
  tx: Queryable,
  templates: readonly LockedTemplate[],
  nowMs: number,
): Promise<void> {
  if (templates.length === 0) return;
  await tx.query({
    name: 'template_update_followed',
    text: `
      UPDATE template AS t
      SET status = told.status, category = told.category, quality_score = told.quality_score,
        rejected_reason = told.rejected_reason, other_fields = told.other_fields,
        components_as_sent = told.components_as_sent, status_told_at = told.status_told_at,
        updated_at = greatest(t.updated_at, $1), ${movedTo('t', 'told.category')}
      FROM ${FOLLOWED.from('told')}
      WHERE t.organization_id = told.organization_id AND t.id = told.id`,
    values: [new Date(nowMs), ...FOLLOWED.values(templates)],
  });
  await publishTemplates(tx, templates);
}

/**
 * Changes the status of approved templates of which nothing newer than the attempt is known; returns the changed ones. `updated_at` is the
 * time of the attempt, so that a reading that began later and is still in progress counts.
 */
export async function updateApproved(
  tx: Queryable,
  named: readonly RefusedTemplate[],
): Promise<(WabaRef & { name: string; status: string })[]> {
  const rows = await tx.query<WabaRef & { name: string; status: string }>({
    name: 'template_update_approved',
    text: `
      WITH named AS (
        SELECT t.organization_id, t.id, min(told.status) AS status, max(told.begun_at) AS begun_at
        FROM ${REFUSED.from('told')}
        JOIN template AS t ON t.organization_id = told.organization_id AND t.waba_id = told.waba_id
          AND t.name = told.name AND t.language = told.language AND t.status <> 'DELETED'
        GROUP BY t.organization_id, t.id
      ), locked AS (
        SELECT organization_id, id, named.status, named.begun_at
        FROM template AS t JOIN named USING (organization_id, id)
        WHERE t.status = 'APPROVED' AND ${isNewsOf('t', 'named.begun_at')}
        ORDER BY organization_id, id
        FOR UPDATE OF t
      )
      UPDATE template AS t SET status = locked.status, updated_at = greatest(t.updated_at, locked.begun_at)
      FROM locked WHERE t.organization_id = locked.organization_id AND t.id = locked.id
      RETURNING t.organization_id AS "organizationId", t.waba_id AS "wabaId", t.name, t.status`,
    values: REFUSED.values(named),
  });
  await publishTemplates(tx, rows);
  return rows;
}
