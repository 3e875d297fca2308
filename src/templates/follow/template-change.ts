import { type AccountChange, wordOf } from '../../accounts/index.ts';
import { object, present } from '../../core/json/index.ts';
import { mergeFields } from '../records/merge-fields.ts';

/** A change of a template that a webhook reports. */
export type TemplateChange =
  | StatusChange
  | QualityChange
  | CategoryChange
  /** The components have changed; they have to be read. */
  | { kind: 'components' };

/** The webhook field that reports each kind of change; null for one without an event of its own. */
const FIELD_OF: Record<TemplateChange['kind'], string | null> = {
  status: 'message_template_status_update',
  quality: 'message_template_quality_update',
  category: 'template_category_update',
  components: null,
};

/** The webhook fields whose changes have events of templates. */
export const TEMPLATE_FIELDS: readonly string[] = Object.values(FIELD_OF).filter((field) => field !== null);

/** A status event; `atMs` is the time of the change according to the upstream. */
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

/** `fields` as JSON text: facts about the move other than the category in force. */
interface CategoryChange {
  kind: 'category';
  category: string;
  atMs: number | undefined;
  fields: string;
}

/** A change and its template, by id, or by name and language if the id is missing. */
export interface ToldChange {
  wabaId: string;
  id: string | undefined;
  name: string | undefined;
  language: string | undefined;
  change: TemplateChange;
}

/** The fields of a template that changes can alter. */
export interface FollowedTemplate {
  status: string;
  /** Time of the last reported status. */
  statusToldAt: Date | null;
  /** Time at which it was stored in this state, or the time of a later reported change. */
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
 * Reads the template change in a webhook; `undefined` if the webhook is about something else. The shape of the value decides, not the
 * field's name, which is wrong in the platform's own samples.
 */
export function readTemplateChange(told: AccountChange): ToldChange | undefined {
  const { wabaId, value, rawOf } = told;
  const change = readChange(told);
  if (change === undefined) return undefined;
  // The id is an integer that may be too large for a number, so its digits are read from the text.
  const id = /^"?(\d{1,30})"?$/.exec(rawOf('message_template_id') ?? '')?.[1];
  const name = nameOf(value.message_template_name);
  const language = nameOf(value.message_template_language)?.replace('-', '_');
  return id === undefined && (name === undefined || language === undefined)
    ? undefined
    : { wabaId, id, name, language, change };
}

/**
 * Returns the template after the change. FLAGGED, LOCKED and unknown events leave the status, because such a template can still be sent. A
 * status older than the last reported one is ignored. So is a different category or quality older than the stored one. A deleted template
 * stays deleted, because another template may have its name now; only a reading restores it.
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

/**
 * True if the change does not determine the template's new state, so that it must be read upstream. `template` is its state before the
 * change.
 */
export function needsReading(change: TemplateChange, template: FollowedTemplate | undefined): boolean {
  const isKnown = template !== undefined && template.status !== 'DELETED';
  if (change.kind === 'components') return true;
  if (change.kind === 'quality') return !isKnown || isOutdatedQuality(change, template);
  if (change.kind === 'category') return !isKnown || isOutdatedCategory(change, template);
  const { event } = change;
  if (event === 'DELETED' || event === 'PENDING_DELETION') return isKnown && isOvertaken(change, template);
  // Only the upstream knows the status of an archived template before archiving, and the meaning of an unknown event.
  if (!isKnown || isOvertaken(change, template) || isSimultaneous(change, template)) return true;
  if (isOlder(change, template) || isOutdatedCategory(change, template)) return true;
  return event === 'UNARCHIVED' || !isKnownEvent(event);
}

/** Returns the earliest useful time of a reading after a change: the upstream's stamp is in seconds, so that second must be over. */
export function readingDueAt(change: TemplateChange, nowMs: number): number {
  return change.kind === 'status' && change.atMs !== undefined ? Math.max(nowMs, change.atMs + STAMP_MS) : nowMs;
}

/** Returns the status after an event; undefined if the event leaves the status as it is, or is unknown. */
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
 * True if another status was reported for the same second. Only the upstream knows which came last. A third status in that second that
 * equals the first would look like a repeat of it.
 */
function isSimultaneous({ event, atMs }: StatusChange, { status, statusToldAt }: FollowedTemplate): boolean {
  const told = statusTold(event);
  return atMs !== undefined && atMs === statusToldAt?.getTime() && told !== undefined && told !== status;
}

/** True for a status that differs from the stored one and is older than the record: the stored one may come from a reading. */
function isOlder({ event, atMs }: StatusChange, { status, updatedAt }: FollowedTemplate): boolean {
  const told = statusTold(event);
  return isOfBefore(atMs, updatedAt) && told !== undefined && told !== status;
}

function isOutdatedQuality({ score, atMs }: QualityChange, { qualityScore, updatedAt }: FollowedTemplate): boolean {
  return isOfBefore(atMs, updatedAt) && score !== qualityScore;
}

/** Checks status events, too, because they report the category. */
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

/** Returns the score with its time, or null if the time is unknown: the score read before no longer applies. */
function qualityFields(score: string, atMs: number | undefined): string {
  const told = atMs === undefined ? null : { score, date: Math.floor(atMs / 1_000) };
  return JSON.stringify({ quality_score: told });
}

/**
 * Returns the category fields. An announced move names the future category and its date, while `new_category` is the one still in force. A
 * completed move removes the announcement.
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
