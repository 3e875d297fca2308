import type { Queryable } from '../../database/database.ts';
import { findIdsByName, listApproved, type NamedTemplate, updateApproved } from './change-queries.ts';
import { requestLooks } from './poll-queries.ts';
import { firstLooks, type LookRequest, lookAt } from './review-schedule.ts';
import { tellTemplateChanges } from './tell-template-changes.ts';

/** A send that the upstream refused: its code, the template it named, and the time at which the attempt began. */
export interface TemplateRefusal extends NamedTemplate {
  code: string;
  begunAt: Date;
}

/** The status of a template that follows from each refusal code of the upstream. */
const STATUS_OF_CODE: ReadonlyMap<string, string> = new Map([
  ['132015', 'PAUSED'],
  ['132016', 'DISABLED'],
]);
/** The upstream has no such template, or approved it so recently that some of its servers do not know it yet. */
const UNKNOWN_CODE = '132001';

/**
 * Marks the templates of refused sends as paused or disabled, so that acceptance refuses further sends. Skips refusals for other reasons,
 * templates that are not approved here, and templates of which something newer than the attempt is known. Paused templates are polled until
 * they are approved again, so a missing webhook does no harm. Templates that the upstream does not know are polled, too.
 */
export async function noteTemplateRefused(
  tx: Queryable,
  refusals: readonly TemplateRefusal[],
  nowMs: number,
): Promise<void> {
  const refused = refusals.flatMap((refusal) => {
    const status = STATUS_OF_CODE.get(refusal.code);
    return status === undefined ? [] : [{ ...refusal, status }];
  });
  // Thousands of queued sends may fail alike. Only the first one changes the template; the others must not take locks.
  const named = refused.length === 0 ? [] : await listApproved(tx, refused);
  const changed =
    named.length === 0 ? [] : await tellTemplateChanges(tx, named, nowMs, () => updateApproved(tx, named));
  const unknown = refusals.filter(({ code }) => code === UNKNOWN_CODE);
  // Request all looks in one statement after the templates, because every writer locks in this order.
  await requestLooks(tx, [...firstLooks(changed, nowMs), ...(await looksAt(tx, unknown, nowMs))], nowMs);
}

async function looksAt(tx: Queryable, named: readonly NamedTemplate[], nowMs: number): Promise<LookRequest[]> {
  const ids = named.length === 0 ? [] : await findIdsByName(tx, named);
  return named.flatMap(({ organizationId, wabaId }, index) => {
    const id = ids[index];
    return id === undefined ? [] : lookAt({ organizationId, wabaId, id }, nowMs);
  });
}
