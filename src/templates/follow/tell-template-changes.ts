import { newId } from '../../core/ids.ts';
import type { Queryable } from '../../database/database.ts';
import { recordEvents } from '../../events/index.ts';
import { templateEvents } from './template-events.ts';
import { lockToldTemplates, type TemplateScope } from './told-template-queries.ts';

/**
 * Runs `work`, which writes templates within the caller's transaction, and records an event for each status, category and quality score
 * that it changed. `scopes` cover all templates that it may change. They are locked first, so that the events match the changes.
 */
export async function tellTemplateChanges<Result>(
  tx: Queryable,
  scopes: readonly TemplateScope[],
  nowMs: number,
  work: () => Promise<Result>,
): Promise<Result> {
  const before = await lockToldTemplates(tx, scopes);
  const result = await work();
  if (before.length === 0) return result;
  const keyOf = ({ organizationId, id }: { organizationId: string; id: string }) => `${organizationId}/${id}`;
  const after = new Map((await lockToldTemplates(tx, scopes)).map((template) => [keyOf(template), template]));
  const events = before.flatMap((old) => templateEvents(old, after.get(keyOf(old)) ?? old));
  await recordEvents(
    tx,
    events.map((event) => ({ ...event, id: newId(nowMs), occurredAtMs: nowMs })),
  );
  return result;
}
