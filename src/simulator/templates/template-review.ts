import type { JsonObject } from '../graph/json-object.ts';
import { announceNow, type Platform } from '../platform.ts';
import type { Template, Waba } from '../records.ts';
import type { WebhookDelivery } from '../webhooks/webhook-sender.ts';

export interface StatusChange {
  status: string;
  /** Default `NONE`; for a rejection `INVALID_FORMAT`. */
  reason?: string;
  /** The webhook's `event` if it differs from the status, such as `FLAGGED` or `REINSTATED`. */
  event?: string;
}

/** Sets a template's status and posts the webhook. Resolves once it was answered or given up. */
export function setTemplateStatus(
  platform: Platform,
  template: Template,
  change: StatusChange,
): Promise<WebhookDelivery | null> {
  template.status = change.status;
  const reason = change.reason ?? (change.status === 'REJECTED' ? 'INVALID_FORMAT' : 'NONE');
  template.rejectedReason = change.status === 'REJECTED' ? reason : 'NONE';
  return tell(platform, template, 'message_template_status_update', {
    event: change.event ?? change.status,
    ...identityOf(template),
    reason,
    message_template_category: template.category,
    ...(change.status === 'PAUSED'
      ? { other_info: { title: 'FIRST_PAUSE', description: 'Paused for low quality.' } }
      : {}),
    ...(change.status === 'DISABLED' ? { disable_info: { disable_date: String(nowSeconds(platform)) } } : {}),
    ...(reason === 'INVALID_FORMAT'
      ? { rejection_info: { reason: 'The format is not valid.', recommendation: 'Check the placeholders.' } }
      : {}),
  });
}

/** Sets a template's quality score and posts the webhook. */
export function setTemplateQuality(
  platform: Platform,
  template: Template,
  score: string,
): Promise<WebhookDelivery | null> {
  const previous = template.qualityScore;
  template.qualityScore = score;
  template.qualityScoreAt = nowSeconds(platform);
  return tell(platform, template, 'message_template_quality_update', {
    previous_quality_score: previous,
    new_quality_score: score,
    ...identityOf(template),
  });
}

/** Moves a template to another category and posts the webhook. */
export function setTemplateCategory(
  platform: Platform,
  template: Template,
  category: string,
): Promise<WebhookDelivery | null> {
  const previous = template.category;
  template.category = category;
  return tell(platform, template, 'template_category_update', {
    ...identityOf(template),
    previous_category: previous,
    new_category: category,
  });
}

/**
 * Schedules the verdict on a created or edited template. The name chooses it: `*_reject*` is rejected, `*_slow*` stays pending, `*_pause*`
 * and `*_disable*` are approved and then paused or disabled. All others are approved unless their variables touch.
 */
export function scheduleReview(platform: Platform, template: Template): void {
  const waba = platform.world.findWaba(template.wabaId);
  if (waba !== undefined && !template.name.includes('_slow')) scheduleVerdict(platform, template, waba);
}

/** An account that was forgotten during the review is brought back for the verdict. */
function scheduleVerdict(platform: Platform, template: Template, waba: Waba): void {
  const { agenda, keeper, settings } = platform;
  const end = () => endReview(platform, template, waba);
  agenda.schedule(settings.templateReviewMs, () => {
    if (keeper === undefined) end();
    // If the templates of the account cannot be read now, the review lasts longer.
    else keeper.prepare(waba.accessToken).then(end, () => scheduleVerdict(platform, template, waba));
  });
}

/** Decides on a template, unless it was deleted or decided by hand. */
function endReview(platform: Platform, template: Template, waba: Waba): void {
  const { world } = platform;
  const present = world.findTemplate(template.id);
  const isDeleted = present === undefined && world.findWaba(waba.id) === waba;
  const reviewed = present ?? template;
  if (!isDeleted && reviewed.status === 'PENDING') void decide(platform, reviewed);
}

async function decide(platform: Platform, template: Template): Promise<void> {
  const { name } = template;
  if (name.includes('_reject') || hasAdjacentVariables(template)) {
    await setTemplateStatus(platform, template, { status: 'REJECTED' });
    return;
  }
  await setTemplateStatus(platform, template, { status: 'APPROVED' });
  if (name.includes('_pause')) await setTemplateStatus(platform, template, { status: 'PAUSED' });
  if (name.includes('_disable')) await setTemplateStatus(platform, template, { status: 'DISABLED' });
}

/** Returns true for variables without text between them: the platform accepts them at creation and rejects them at review. */
function hasAdjacentVariables(template: Template): boolean {
  return template.components.some((component) => /\}\}\s*\{\{/.test(String(component.text ?? '')));
}

function tell(
  platform: Platform,
  template: Template,
  field: string,
  value: JsonObject,
): Promise<WebhookDelivery | null> {
  return announceNow(platform, { wabaId: template.wabaId, field, value, time: platform.clock.now() });
}

/** Returns the template's identity in webhooks: the id as an integer and the language with a hyphen. */
function identityOf(template: Template): JsonObject {
  return {
    message_template_id: Number(template.id),
    message_template_name: template.name,
    message_template_language: template.language.replace('_', '-'),
  };
}

function nowSeconds(platform: Platform): number {
  return Math.floor(platform.clock.now() / 1000);
}
