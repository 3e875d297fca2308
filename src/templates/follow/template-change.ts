import { type AccountChange, wordOf } from '../../accounts/index.ts';
import { object, present } from '../../core/json/index.ts';
import { mergeFields } from '../records/merge-fields.ts';

/** What changes tell about a template. */
export type TemplateChange =
  | StatusChange
  | QualityChange
  | CategoryChange
  /** The components are other ones; they have to be read. */
  | { kind: 'components' };

/** A status event; `atMs` is when the upstream says it came about. */
export interface StatusChange {
  kind: 'status';
  event: string;
  atMs: number | undefined;
  reason: string | null;
  category: string | null;
  /** JSON text. */
  rejectionInfo: string | null;
}

/** `fields` as JSON text: the score as the Cloud API shows it. */
interface QualityChange {
  kind: 'quality';
  score: string;
  atMs: number | undefined;
  fields: string;
}

/** `fields` as JSON text: what is known of the move beside the category that counts now. */
interface CategoryChange {
  kind: 'category';
  category: string;
  atMs: number | undefined;
  fields: string;
}

/** A change and the template it is about: by id, or where that is missing by name and language. */
export interface ToldChange {
  wabaId: string;
  id: string | undefined;
  name: string | undefined;
  language: string | undefined;
  change: TemplateChange;
}

/** What of a template changes can alter. */
export interface FollowedTemplate {
  status: string;
  /** When the last status told came about. */
  statusToldAt: Date | null;
  /** When it was stored as it is, or what was told of it since came about. */
  updatedAt: Date;
  category: string;
  qualityScore: string | null;
  rejectedReason: string | null;
  otherFields: string;
  componentsAsSent: boolean;
}

/** The upstream stamps whole seconds. */
const STAMP_MS = 1_000;

/** Events that are the template's new status. */
const STATUS_EVENTS = [
  'APPROVED',
  'PENDING',
  'REJECTED',
  'PAUSED',
  'DISABLED',
  'IN_APPEAL',
  'PENDING_DELETION',
  'DELETED',
  'LIMIT_EXCEEDED',
  'ARCHIVED',
];

/** Events after which a template can be sent again. */
const RETURNS = ['REINSTATED', 'UNARCHIVED'];

/**
 * Reads what a webhook tells about a template; `undefined` when it is about something else. The shape of the value decides and not
 * the field's name, which the platform's own samples get wrong.
 */
export function readTemplateChange(told: AccountChange): ToldChange | undefined {
  const { wabaId, value, rawOf } = told;
  const change = readChange(told);
  if (change === undefined) return undefined;
  // An integer that may be too large for a number: its digits are taken from the text.
  const id = /^"?(\d{1,30})"?$/.exec(rawOf('message_template_id') ?? '')?.[1];
  const name = nameOf(value.message_template_name);
  const language = nameOf(value.message_template_language)?.replace('-', '_');
  return id === undefined && (name === undefined || language === undefined)
    ? undefined
    : { wabaId, id, name, language, change };
}

/**
 * The template after the change. FLAGGED and LOCKED, like events nobody here knows, leave the status: neither keeps a template from
 * being sent. Nor does a status that another one overtook count, nor another category or quality than was stored since it came about. A
 * deleted template stays so, because its name may be another's by now; only a reading brings it back.
 */
export function applyTemplateChange<Template extends FollowedTemplate>(
  template: Template,
  change: TemplateChange,
): Template {
  switch (change.kind) {
    case 'status':
      return applyStatus(template, change);
    case 'quality':
      if (isOutdatedQuality(change, template)) return template;
      return {
        ...template,
        updatedAt: laterOf(template.updatedAt, change.atMs),
        qualityScore: change.score,
        otherFields: mergeFields(template.otherFields, change.fields),
      };
    case 'category':
      if (isOutdatedCategory(change, template)) return template;
      return {
        ...template,
        updatedAt: laterOf(template.updatedAt, change.atMs),
        category: change.category,
        otherFields: mergeFields(template.otherFields, change.fields),
      };
    case 'components':
      return { ...template, componentsAsSent: false };
  }
}

/** Whether the upstream has to be asked what the template, as it was before the change, looks like now. */
export function needsReading(change: TemplateChange, template: FollowedTemplate | undefined): boolean {
  const isKnown = template !== undefined && template.status !== 'DELETED';
  if (change.kind === 'components') return true;
  if (change.kind === 'quality') return !isKnown || isOutdatedQuality(change, template);
  if (change.kind === 'category') return !isKnown || isOutdatedCategory(change, template);
  const { event } = change;
  if (event === 'DELETED' || event === 'PENDING_DELETION') return isKnown && isOvertaken(change, template);
  // What an archived template was before, or what a new event means, the upstream knows.
  if (!isKnown || isOvertaken(change, template) || isSimultaneous(change, template)) return true;
  if (isOlder(change, template) || isOutdatedCategory(change, template)) return true;
  return event === 'UNARCHIVED' || !isKnownEvent(event);
}

/** When a reading asked for now can tell what came of a change: not before the second is over that it is stamped with. */
export function readingDueAt(change: TemplateChange, nowMs: number): number {
  return change.kind === 'status' && change.atMs !== undefined ? Math.max(nowMs, change.atMs + STAMP_MS) : nowMs;
}

/** The status a template has after an event; undefined for one that leaves it as it is, and for events nobody here knows. */
export function statusTold(event: string): string | undefined {
  const status = RETURNS.includes(event) ? 'APPROVED' : event;
  return STATUS_EVENTS.includes(status) ? status : undefined;
}

function applyStatus<Template extends FollowedTemplate>(template: Template, change: StatusChange): Template {
  const status = statusTold(change.event);
  if (template.status === 'DELETED' || status === undefined || isOvertaken(change, template)) return template;
  const hasInfo = change.rejectionInfo !== null || template.otherFields.includes('"rejection_info"');
  return {
    ...template,
    status,
    statusToldAt: change.atMs === undefined ? template.statusToldAt : new Date(change.atMs),
    category: isOutdatedCategory(change, template) ? template.category : (change.category ?? template.category),
    rejectedReason: change.reason,
    otherFields: hasInfo
      ? mergeFields(template.otherFields, `{"rejection_info":${change.rejectionInfo ?? 'null'}}`)
      : template.otherFields,
  };
}

function isOvertaken({ atMs }: StatusChange, { statusToldAt }: FollowedTemplate): boolean {
  return atMs !== undefined && statusToldAt !== null && atMs < statusToldAt.getTime();
}

/**
 * Told of the second in which another status came about. Which of them was the last only the upstream knows, and a third of that
 * second that equals the first would pass for the first one told again.
 */
function isSimultaneous({ event, atMs }: StatusChange, { status, statusToldAt }: FollowedTemplate): boolean {
  const told = statusTold(event);
  return atMs !== undefined && atMs === statusToldAt?.getTime() && told !== undefined && told !== status;
}

/** Another status than is stored, of a time before it was: what is stored may be what a reading brought. */
function isOlder({ event, atMs }: StatusChange, { status, updatedAt }: FollowedTemplate): boolean {
  const told = statusTold(event);
  return isOfBefore(atMs, updatedAt) && told !== undefined && told !== status;
}

function isOutdatedQuality({ score, atMs }: QualityChange, { qualityScore, updatedAt }: FollowedTemplate): boolean {
  return isOfBefore(atMs, updatedAt) && score !== qualityScore;
}

/** A status event tells the category, too. */
function isOutdatedCategory(told: CategoryChange | StatusChange, { category, updatedAt }: FollowedTemplate): boolean {
  return isOfBefore(told.atMs, updatedAt) && told.category !== null && told.category !== category;
}

function isOfBefore(atMs: number | undefined, updatedAt: Date): boolean {
  return atMs !== undefined && atMs + STAMP_MS <= updatedAt.getTime();
}

function laterOf(updatedAt: Date, atMs: number | undefined): Date {
  return atMs !== undefined && atMs > updatedAt.getTime() ? new Date(atMs) : updatedAt;
}

function isKnownEvent(event: string): boolean {
  return STATUS_EVENTS.includes(event) || RETURNS.includes(event) || event === 'FLAGGED' || event === 'LOCKED';
}

function readChange({ field, atMs, value, rawOf }: AccountChange): TemplateChange | undefined {
  const score = wordOf(value.new_quality_score);
  if (score !== null) return { kind: 'quality', score, atMs, fields: qualityFields(score, atMs) };
  const event = wordOf(value.event);
  if (event !== null) {
    return {
      kind: 'status',
      event,
      atMs,
      reason: wordOf(value.reason),
      category: wordOf(value.message_template_category),
      rejectionInfo: rawOf('rejection_info') ?? null,
    };
  }
  const category = wordOf(value.new_category);
  if (category !== null) return { kind: 'category', category, atMs, fields: categoryFields(value, category, rawOf) };
  const isText = value.message_template_element !== undefined || value.message_template_buttons !== undefined;
  return isText || field === 'message_template_components_update' ? { kind: 'components' } : undefined;
}

/** The score and when it was told of; null where that is not known, since what was read before is not this score's. */
function qualityFields(score: string, atMs: number | undefined): string {
  const told = atMs === undefined ? null : { score, date: Math.floor(atMs / 1_000) };
  return JSON.stringify({ quality_score: told });
}

/**
 * An announced move names the category to come and when; `new_category` is then still the one in force. A move that is done ends
 * what was announced.
 */
function categoryFields(value: Record<string, unknown>, category: string, rawOf: AccountChange['rawOf']): string {
  const previous = wordOf(value.previous_category);
  const correct = wordOf(value.correct_category) ?? (previous === null ? null : category);
  return object([
    ['correct_category', present(correct)],
    ['previous_category', present(previous)],
    ['category_update_timestamp', rawOf('category_update_timestamp')],
  ]);
}

function nameOf(value: unknown): string | undefined {
  return typeof value === 'string' && /^[\w-]{1,512}$/.test(value) ? value : undefined;
}
