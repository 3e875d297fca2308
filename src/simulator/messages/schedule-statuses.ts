import { contactOf, phoneMember, userIdMembers, visibleWaId } from '../people/identity.ts';
import { announce, announceNow, type Platform } from '../platform.ts';
import { type AcceptedMessage, type ShownRecipient, statusUpdate } from '../webhooks/status-webhooks.ts';
import type { WebhookUpdate } from '../webhooks/webhook-updates.ts';
import { type PlannedStatus, planStatuses, type StatusPlanInput } from './status-plan.ts';

/** Field in which statuses are reported: `standby` for messages of a business agent. */
type StatusField = 'messages' | 'standby';

/**
 * Schedules the statuses of an accepted message. Resolves immediately. If a fault makes the first status overtake the answer, resolves once
 * that status has been posted.
 */
export async function scheduleStatuses(
  platform: Platform,
  message: AcceptedMessage,
  input: StatusPlanInput,
  field: StatusField = 'messages',
): Promise<void> {
  const plan = planStatuses(input);
  const overtaking = input.faults.some((fault) => fault.kind === 'webhook_first') ? plan.shift() : undefined;
  for (const planned of plan) {
    platform.agenda.schedule(planned.leavesAfterMs, () => postStatus(platform, message, planned, field));
  }
  if (overtaking !== undefined) {
    await announceNow(platform, updateOf(platform, message, overtaking, field));
  }
}

function postStatus(platform: Platform, message: AcceptedMessage, planned: PlannedStatus, field: StatusField): void {
  const update = updateOf(platform, message, planned, field);
  for (let copy = 0; copy < planned.copies; copy += 1) {
    // Posts once only: no receiver accepts the signature, so retries would be useless.
    if (planned.signature === 'wrong') void announceNow(platform, update, { signature: 'wrong', once: true });
    else announce(platform, update);
  }
}

function updateOf(
  platform: Platform,
  message: AcceptedMessage,
  planned: PlannedStatus,
  field: StatusField,
): WebhookUpdate {
  const update = statusUpdate(
    message,
    planned,
    shownRecipient(platform, message, planned),
    platform.settings.webhookVersion,
  );
  if (field === 'messages') return update;
  const { messaging_product, metadata, ...standby } = update.value;
  return { ...update, field, value: { messaging_product, metadata, standby } };
}

/**
 * Returns the names of the recipient in one status, as they are when it is posted. A message addressed to a phone always echoes that phone; one
 * addressed to a user id shows the phone only if the number may see it. A failure has no contact, and no user ids if a phone was addressed.
 */
function shownRecipient(
  platform: Platform,
  { number, recipient }: AcceptedMessage,
  { status }: PlannedStatus,
): ShownRecipient {
  const { kind, person, reported } = recipient;
  if (person === null) return { members: { recipient_id: reported }, contact: null };
  const waId = kind === 'phone' ? reported : visibleWaId(platform, number, person);
  const hidesIds = status === 'failed' && kind === 'phone';
  return {
    members: {
      ...phoneMember(platform, 'recipient_id', waId),
      ...(hidesIds ? {} : userIdMembers(platform, number, person, 'recipient_')),
    },
    contact: status === 'failed' ? null : contactOf(platform, number, person, waId),
  };
}
