import type { Platform } from '../platform.ts';
import { announce, announceNow } from '../platform.ts';
import { type AcceptedMessage, statusUpdate } from '../webhooks/status-webhooks.ts';
import { type PlannedStatus, planStatuses, type StatusPlanInput } from './status-plan.ts';

/**
 * Schedules the statuses of an accepted message. Resolves immediately. If a fault makes the first status overtake the answer, resolves once
 * that status has been posted.
 */
export async function scheduleStatuses(
  platform: Platform,
  message: AcceptedMessage,
  input: StatusPlanInput,
): Promise<void> {
  const plan = planStatuses(input);
  const overtaking = input.faults.some((fault) => fault.kind === 'webhook_first') ? plan.shift() : undefined;
  for (const planned of plan) {
    platform.agenda.schedule(planned.leavesAfterMs, () => postStatus(platform, message, planned));
  }
  if (overtaking !== undefined) {
    await announceNow(platform, statusUpdate(message, overtaking, platform.settings.webhookVersion));
  }
}

function postStatus(platform: Platform, message: AcceptedMessage, planned: PlannedStatus): void {
  const update = statusUpdate(message, planned, platform.settings.webhookVersion);
  for (let copy = 0; copy < planned.copies; copy += 1) {
    // Posts once only: no receiver accepts the signature, so retries would be useless.
    if (planned.signature === 'wrong') void announceNow(platform, update, { signature: 'wrong', once: true });
    else announce(platform, update);
  }
}
