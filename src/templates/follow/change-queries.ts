import type { Queryable } from '../../database/database.ts';
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

/** Finds the ids of templates that a webhook named without an id, in the order of `named`; `undefined` if there is none. */
export async function findIdsByName(tx: Queryable, named: readonly NamedTemplate[]): Promise<(string | undefined)[]> {
  const rows = await tx.query<{ position: number; id: string }>({
    name: 'template_find_ids',
    text: `
      SELECT told.position, t.id
      FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[]) WITH ORDINALITY
        AS told (organization_id, waba_id, name, language, position)
      JOIN template AS t USING (organization_id, waba_id, name, language)
      WHERE t.status <> 'DELETED'`,
    values: namedValues(named),
  });
  const ids = new Map(rows.map(({ position, id }) => [position, id]));
  return named.map((_, index) => ids.get(index + 1));
}

/** A template that a send attempt named, with the time at which the attempt began. */
type FoundTemplate = NamedTemplate & { begunAt: Date };

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
      FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::timestamptz[]) WITH ORDINALITY
        AS told (organization_id, waba_id, name, language, begun_at, position)
      WHERE EXISTS (
        SELECT FROM template AS t
        WHERE t.organization_id = told.organization_id AND t.waba_id = told.waba_id
          AND t.name = told.name AND t.language = told.language AND t.status = 'APPROVED'
          AND ${isNewsOf('t', 'told.begun_at')}
        OFFSET 0)`,
    values: [...namedValues(named), named.map(({ begunAt }) => begunAt)],
  });
  return rows.flatMap(({ position }) => named[position - 1] ?? []);
}

/** Locks and returns the templates with these ids, each only on the WABA given with it. Locks follow the order of all writers. */
export async function lockTemplates(
  tx: Queryable,
  told: readonly (WabaRef & { id: string })[],
): Promise<LockedTemplate[]> {
  return await tx.query<LockedTemplate>({
    name: 'template_lock',
    text: `
      SELECT ${TOLD_COLUMNS}, t.other_fields AS "otherFields", t.components_as_sent AS "componentsAsSent",
        t.status_told_at AS "statusToldAt", t.updated_at AS "updatedAt"
      FROM (SELECT DISTINCT * FROM unnest($1::uuid[], $2::text[], $3::text[]) AS one (organization_id, waba_id, id)) AS told
      JOIN template AS t USING (organization_id, waba_id, id)
      ORDER BY organization_id, id
      FOR UPDATE OF t`,
    values: [
      told.map(({ organizationId }) => organizationId),
      told.map(({ wabaId }) => wabaId),
      told.map(({ id }) => id),
    ],
  });
}

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
        updated_at = greatest(t.updated_at, $10)
      FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::boolean[],
          $9::timestamptz[])
        AS told (organization_id, id, status, category, quality_score, rejected_reason, other_fields,
          components_as_sent, status_told_at)
      WHERE t.organization_id = told.organization_id AND t.id = told.id`,
    values: [
      templates.map((template) => template.organizationId),
      templates.map((template) => template.id),
      templates.map((template) => template.status),
      templates.map((template) => template.category),
      templates.map((template) => template.qualityScore),
      templates.map((template) => template.rejectedReason),
      templates.map((template) => template.otherFields),
      templates.map((template) => template.componentsAsSent),
      templates.map((template) => template.statusToldAt),
      new Date(nowMs),
    ],
  });
  await publishTemplates(tx, templates);
}

/**
 * Changes the status of approved templates of which nothing newer than the attempt is known; returns the changed ones. `updated_at` is the
 * time of the attempt, so that a reading that began later and is still in progress counts.
 */
export async function updateApproved(
  tx: Queryable,
  named: readonly (FoundTemplate & { status: string })[],
): Promise<(WabaRef & { name: string; status: string })[]> {
  const rows = await tx.query<WabaRef & { name: string; status: string }>({
    name: 'template_update_approved',
    text: `
      WITH named AS (
        SELECT t.organization_id, t.id, min(told.status) AS status, max(told.begun_at) AS begun_at
        FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::timestamptz[], $6::text[])
          AS told (organization_id, waba_id, name, language, begun_at, status)
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
    values: [...namedValues(named), named.map(({ begunAt }) => begunAt), named.map(({ status }) => status)],
  });
  await publishTemplates(tx, rows);
  return rows;
}

function namedValues(named: readonly NamedTemplate[]): unknown[][] {
  return [
    named.map(({ organizationId }) => organizationId),
    named.map(({ wabaId }) => wabaId),
    named.map(({ name }) => name),
    named.map(({ language }) => language),
  ];
}
