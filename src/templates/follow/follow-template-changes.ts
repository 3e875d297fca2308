import { type AccountChange, type Follower, lockWabas } from '../../accounts/index.ts';
import { digestUuidBeside } from '../../core/ids.ts';
import type { Queryable } from '../../database/database.ts';
import { type NewEvent, recordEvents } from '../../events/index.ts';
import { findIdsByName, lockTemplates, updateFollowed } from './change-queries.ts';
import { requestLooks } from './poll-queries.ts';
import { firstLooks, type LookRequest, lookAt } from './review-schedule.ts';
import {
  applyTemplateChange,
  needsReading,
  readingDueAt,
  readTemplateChange,
  TEMPLATE_FIELDS,
  type ToldChange,
} from './template-change.ts';
import { type TemplateEvent, toldEvents } from './template-events.ts';

/** A change and the webhook that reported it. */
interface SourcedChange extends ToldChange {
  source: AccountChange;
}

/** A change of a template on a connected WABA. */
interface OwnedChange extends SourcedChange {
  organizationId: string;
  id: string;
}

/**
 * Applies the template changes that webhooks report: status, quality, category, components. Runs within the caller's transaction, in the
 * order given, and records the events. Unknown templates and changed components are read from the upstream shortly after.
 */
async function followTemplateChanges(tx: Queryable, changes: readonly AccountChange[], nowMs: number): Promise<void> {
  const told = await findOwners(
    tx,
    changes.flatMap((source) => {
      const read = readTemplateChange(source);
      return read === undefined ? [] : [{ ...read, source }];
    }),
  );
  if (told.length === 0) return;
  const before = new Map((await lockTemplates(tx, told)).map((template) => [keyOf(template), template]));
  const after = new Map(before);
  const looks: LookRequest[] = [];
  const events: NewEvent[] = [];
  for (const change of told) {
    const template = after.get(keyOf(change));
    const next = template && applyTemplateChange(template, change.change);
    if (next !== undefined) after.set(keyOf(change), next);
    events.push(
      ...toldEvents(change, change.change, template, next).map((event) => toNewEvent(event, change.source, nowMs)),
    );
    if (needsReading(change.change, template)) looks.push(lookAt(change, readingDueAt(change.change, nowMs)));
  }
  const changed = [...after].filter(([key, template]) => template !== before.get(key)).map(([, template]) => template);
  await updateFollowed(tx, changed, nowMs);
  await recordEvents(tx, events);
  await requestLooks(tx, [...looks, ...firstLooks(changed, nowMs)], nowMs);
}

export const templateFollower: Follower = { fields: TEMPLATE_FIELDS, follow: followTemplateChanges };

function toNewEvent(event: TemplateEvent, source: AccountChange, nowMs: number): NewEvent {
  return {
    ...event,
    id: digestUuidBeside(source.id, event.type),
    occurredAtMs: source.atMs ?? nowMs,
    upstream: { field: source.field, value: source.raw },
  };
}

/** Returns the changes on connected WABAs, each with its template's id. */
async function findOwners(tx: Queryable, told: readonly SourcedChange[]): Promise<OwnedChange[]> {
  if (told.length === 0) return [];
  const owners = await lockWabas(tx, [...new Set(told.map(({ wabaId }) => wabaId))]);
  const owned = told.flatMap((change) => {
    const organizationId = owners.get(change.wabaId);
    return organizationId === undefined ? [] : [{ ...change, organizationId }];
  });
  const unnumbered = owned.filter(({ id }) => id === undefined);
  const found =
    unnumbered.length === 0
      ? []
      : await findIdsByName(
          tx,
          unnumbered.map(({ name = '', language = '', ...change }) => ({ ...change, name, language })),
        );
  const idOf = new Map(unnumbered.map((change, index) => [change, found[index]]));
  return owned.flatMap((change) => {
    const id = change.id ?? idOf.get(change);
    return id === undefined ? [] : [{ ...change, id }];
  });
}

function keyOf({ organizationId, id }: { organizationId: string; id: string }): string {
  return `${organizationId}/${id}`;
}
