import type { JsonObject } from '../graph/json-object.ts';
import { announceNow, type Platform } from '../platform.ts';
import type { Template } from '../records.ts';
import type { WebhookDelivery } from '../webhooks/webhook-sender.ts';

export interface StatusChange {
  status: string;
  /** Default `NONE`; for a rejection `INVALID_FORMAT`. */
  reason?: string;
  /** The webhook's `event` where it differs from the status, such as `FLAGGED` or `REINSTATED`. */
  event?: string;
}

/** Gives a template a status and tells the subscribers. Resolves once they were told. */
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

/** Gives a template a quality score and tells the subscribers. */
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

/** Moves a template to another category and tells the subscribers. */
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
 * Puts the verdict on a created or edited template on the agenda. The name chooses it: `*_reject*` is rejected, `*_slow*`
 * stays pending, `*_pause*` and `*_disable*` are approved and then paused or disabled, the rest is approved unless its
 * variables touch.
 */
export function scheduleReview(platform: Platform, template: Template): void {
  const { name } = template;
  if (name.includes('_slow')) return;
  platform.agenda.schedule(platform.settings.templateReviewMs, () => {
    // Deleted or decided by hand meanwhile.
    if (platform.world.findTemplate(template.id) !== template || template.status !== 'PENDING') return;
    void decide(platform, template);
  });
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

/** The platform takes variables without text between them and rejects them at review. */
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

/** Webhooks carry the id as an integer and the language with a hyphen. */
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
