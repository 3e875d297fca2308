import type { Queryable } from '../database/database.ts';
import { type NamedTemplate, updateApproved } from './change-queries.ts';
import { requestLooks } from './poll-queries.ts';
import { firstLookAt } from './review-schedule.ts';
import { tellTemplateChanges } from './tell-template-changes.ts';

/** A send the upstream refused, with its code, and the template it named. */
export interface TemplateRefusal extends NamedTemplate {
  code: string;
}

/** What the upstream's codes say about the template that was sent. */
const STATUS_OF_CODE: ReadonlyMap<string, string> = new Map([
  ['132015', 'PAUSED'],
  ['132016', 'DISABLED'],
]);

/**
 * Marks the templates of refused sends as what the upstream said they are, so that acceptance stops them from now on. Refusals for
 * other reasons are passed over, and so are templates that are not approved here anyway. The upstream is asked about paused ones
 * until they are approved again, also when no webhook tells.
 */
export async function noteTemplateRefused(
  tx: Queryable,
  refusals: readonly TemplateRefusal[],
  nowMs: number,
): Promise<void> {
  const named = refusals.flatMap((refusal) => {
    const status = STATUS_OF_CODE.get(refusal.code);
    return status === undefined ? [] : [{ ...refusal, status }];
  });
  if (named.length === 0) return;
  const changed = await tellTemplateChanges(tx, named, nowMs, () => updateApproved(tx, named, nowMs));
  const looks = changed.flatMap(({ organizationId, wabaId, status }) => {
    const look = firstLookAt(status, nowMs);
    return look === undefined ? [] : [{ organizationId, wabaId, ...look }];
  });
  await requestLooks(tx, looks, nowMs);
}
