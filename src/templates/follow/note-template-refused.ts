import type { Queryable } from '../../database/database.ts';
import { findIdsByName, listApproved, type NamedTemplate, updateApproved } from './change-queries.ts';
import { requestLooks } from './poll-queries.ts';
import { firstLooks, type LookRequest, lookAt } from './review-schedule.ts';
import { tellTemplateChanges } from './tell-template-changes.ts';

/** A send the upstream refused, with its code, the template it named, and when the attempt began. */
export interface TemplateRefusal extends NamedTemplate {
  code: string;
  begunAt: Date;
}

/** What the upstream's codes say about the template that was sent. */
const STATUS_OF_CODE: ReadonlyMap<string, string> = new Map([
  ['132015', 'PAUSED'],
  ['132016', 'DISABLED'],
]);
/** There is no such template; it can also be one that was approved so recently that not all of the upstream knows. */
const UNKNOWN_CODE = '132001';

/**
 * Marks the templates of refused sends as what the upstream said they are, so that acceptance stops them from now on. Refusals for
 * other reasons are passed over, and so are templates that are not approved here anyway, or of which the upstream has told since the
 * attempt began. The upstream is asked about paused ones
 * until they are approved again, also when no webhook tells, and about those it says it does not have.
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
  // Of thousands that were queued the first one tells; the rest must not take locks.
  const named = refused.length === 0 ? [] : await listApproved(tx, refused);
  const changed =
    named.length === 0 ? [] : await tellTemplateChanges(tx, named, nowMs, () => updateApproved(tx, named));
  const unknown = refusals.filter(({ code }) => code === UNKNOWN_CODE);
  // All looks by one statement behind the templates, as every writer locks them.
  await requestLooks(tx, [...firstLooks(changed, nowMs), ...(await looksAt(tx, unknown, nowMs))], nowMs);
}

async function looksAt(tx: Queryable, named: readonly NamedTemplate[], nowMs: number): Promise<LookRequest[]> {
  const ids = named.length === 0 ? [] : await findIdsByName(tx, named);
  return named.flatMap(({ organizationId, wabaId }, index) => {
    const id = ids[index];
    return id === undefined ? [] : lookAt({ organizationId, wabaId, id }, nowMs);
  });
}
