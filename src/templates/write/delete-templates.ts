import type { TemplateSelection } from '../../upstream/index.ts';
import { requestLooks } from '../follow/poll-queries.ts';
import { lookAt } from '../follow/review-schedule.ts';
import { tellTemplateChanges } from '../follow/tell-template-changes.ts';
import { isLeaving } from '../follow/template-doubles.ts';
import { getTemplate, getWaba, templateNotFound } from '../records/get-template.ts';
import { listNames, type NamedRecord, updateDeleted } from '../records/record-queries.ts';
import type { TemplateDeps } from '../template-deps.ts';
import { upstreamError } from '../upstream-error.ts';

/**
 * Deletes templates of a WABA upstream; the records get the status that the upstream then reports. Raises NOT_FOUND for another
 * organization's WABA or template id, PROVIDER_REJECTED, and INTERNAL_ERROR for temporary trouble.
 */
export async function deleteTemplates(
  deps: TemplateDeps,
  organizationId: string,
  wabaId: string,
  selection: TemplateSelection,
): Promise<void> {
  const { accounts, clock, db, upstream } = deps;
  await getWaba(deps, organizationId, wabaId);
  const records = await listSelected(deps, organizationId, wabaId, selection);
  const { token } = await accounts.tokenOf(organizationId, wabaId);
  const deleted = await upstream.deleteTemplates(wabaId, token, selection);
  const isLost = deleted.kind === 'unavailable' && deleted.mayHaveHappened;
  if (deleted.kind !== 'ok' && !isLost) throw upstreamError(deleted);

  const statusLeft = await findStatusesLeft(deps, wabaId, token, records);
  const nowMs = clock.now();
  if (deleted.kind !== 'ok' && !isProvenGone(records, statusLeft)) {
    const looks = records.map(({ id }) => lookAt({ organizationId, wabaId, id }, nowMs));
    await requestLooks(db, looks, nowMs);
    throw upstreamError(deleted);
  }
  const statuses = records.map(({ id }) => ({
    id,
    status: statusLeft?.get(id) === 'PENDING_DELETION' ? 'PENDING_DELETION' : 'DELETED',
  }));
  const scopes = [...new Set(records.map(({ name }) => name))].map((name) => ({ organizationId, wabaId, name }));
  await db.transaction((tx) =>
    tellTemplateChanges(tx, scopes, nowMs, () => updateDeleted(tx, organizationId, statuses, nowMs)),
  );
}

/** Deletes one template, in its language only. Raises the same errors as `deleteTemplates`. */
export async function deleteTemplate(deps: TemplateDeps, organizationId: string, id: string): Promise<void> {
  const { wabaId, name } = await getTemplate(deps, organizationId, id);
  await deleteTemplates(deps, organizationId, wabaId, { name, id });
}

/** Returns the selected records. Ids are looked up here first, because the upstream's token may reach other organizations' templates. */
async function listSelected(
  deps: Pick<TemplateDeps, 'db'>,
  organizationId: string,
  wabaId: string,
  selection: TemplateSelection,
): Promise<NamedRecord[]> {
  const ids = 'ids' in selection ? selection.ids : selection.id === undefined ? undefined : [selection.id];
  if (ids === undefined && 'name' in selection) {
    return listNames(deps.db, organizationId, wabaId, { name: selection.name });
  }
  const records = await listNames(deps.db, organizationId, wabaId, { ids: ids ?? [] });
  if (records.length < new Set(ids).size) throw templateNotFound();
  return records;
}

/**
 * Returns the statuses, by id, of the upstream's remaining templates under the records' name; `undefined` if they could not be read.
 * Records of several names are not looked up: webhooks and readings follow.
 */
async function findStatusesLeft(
  deps: Pick<TemplateDeps, 'upstream'>,
  wabaId: string,
  token: string,
  records: readonly NamedRecord[],
): Promise<ReadonlyMap<string, string> | undefined> {
  const [name, ...others] = new Set(records.map((record) => record.name));
  if (name === undefined || others.length > 0) return undefined;
  const left = await deps.upstream.findTemplatesByName(wabaId, token, name);
  return left.kind === 'ok' ? new Map(left.value.map(({ id, status }) => [id, status])) : undefined;
}

/** True if a deletion whose answer was lost took effect. */
function isProvenGone(records: readonly NamedRecord[], statusLeft: ReadonlyMap<string, string> | undefined): boolean {
  return statusLeft !== undefined && records.every(({ id }) => isLeaving({ status: statusLeft.get(id) ?? 'DELETED' }));
}
