import type { NewEvent } from '../../events/index.ts';
import type { WabaRef } from '../waba-ref.ts';
import { statusTold, type TemplateChange } from './template-change.ts';

/** The fields of a template that its events report. */
export interface ToldTemplate extends WabaRef {
  id: string;
  name: string;
  language: string;
  status: string;
  category: string;
  qualityScore: string | null;
  rejectedReason: string | null;
}

/** A template event without its id and time. */
export type TemplateEvent = Pick<NewEvent, 'organizationId' | 'wabaId' | 'detail'> & {
  type: 'template.status_updated' | 'template.category_updated' | 'template.quality_updated';
};

/** Returns the events of a changed template: one for each changed status, category and quality score. */
export function templateEvents(before: ToldTemplate, after: ToldTemplate): TemplateEvent[] {
  const events: TemplateEvent[] = [];
  if (before.status !== after.status) {
    const { status, rejectedReason } = after;
    events.push(eventOf('status', after, { status, previous_status: before.status, reason: rejectedReason }));
  }
  if (before.category !== after.category) {
    events.push(eventOf('category', after, { category: after.category, previous_category: before.category }));
  }
  if (before.qualityScore !== after.qualityScore && after.qualityScore !== null) {
    const { qualityScore } = after;
    events.push(
      eventOf('quality', after, { quality_score: qualityScore, previous_quality_score: before.qualityScore }),
    );
  }
  return events;
}

/** A template as a webhook names it; name and language may be missing. */
export type NamedByWebhook = WabaRef & {
  id: string;
  name: string | undefined;
  language: string | undefined;
};

/**
 * Returns the events of a change that a webhook reports. If it changes the stored template, they show the result. They show the report
 * itself for a template that is not stored, and for facts without a column (a warning, an announced move). Facts already known produce no
 * event.
 */
export function toldEvents(
  named: NamedByWebhook,
  change: TemplateChange,
  before: ToldTemplate | undefined,
  after: ToldTemplate | undefined,
): TemplateEvent[] {
  const changed = before === undefined || after === undefined ? [] : templateEvents(before, after);
  if (changed.length > 0) return changed;
  const told = before ?? named;
  switch (change.kind) {
    case 'status': {
      const status = statusTold(change.event);
      if (before !== undefined && status !== undefined) return [];
      const previous = before?.status ?? null;
      return [
        eventOf('status', told, {
          event: change.event,
          status: status ?? previous,
          previous_status: previous,
          reason: change.reason,
        }),
      ];
    }
    case 'quality':
      return before === undefined
        ? [eventOf('quality', told, { quality_score: change.score, previous_quality_score: null })]
        : [];
    case 'category': {
      const fields = JSON.parse(change.fields) as Record<string, unknown>;
      const isToCome = fields.correct_category !== undefined && fields.correct_category !== change.category;
      // A category that is not in force has no announced move.
      if (before !== undefined && (!isToCome || before.category !== change.category)) return [];
      return [eventOf('category', told, { category: change.category, previous_category: null, ...fields })];
    }
    case 'components':
      return [];
  }
}

function eventOf(
  aspect: 'status' | 'category' | 'quality',
  { organizationId, wabaId, id, name, language }: NamedByWebhook,
  members: Record<string, unknown>,
): TemplateEvent {
  return {
    organizationId,
    wabaId,
    type: `template.${aspect}_updated`,
    detail: JSON.stringify({ template_id: id, name, language, ...members }),
  };
}
