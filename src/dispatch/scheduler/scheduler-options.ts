import { positive } from './positive.ts';
import type { SchedulerOptions } from './scheduler-types.ts';

const defaults: SchedulerOptions = {
  classWeights: [16, 8, 8, 1],
  paceToleranceMs: 30,
  pairIntervalMs: 6000,
  pairBurst: 45,
  windowRecipients: 256,
  chainMessagesMax: 64,
  waitingChainMessagesMax: 4,
  waitingRecipientsMax: 8192,
  inFlightMax: Number.MAX_SAFE_INTEGER,
  messagesMax: 100_000,
};

/** Options with defaults for those left out. Throws RangeError when one is not positive or a whole number is not whole. */
export function completeOptions(options: Partial<SchedulerOptions>): SchedulerOptions {
  const complete = { ...defaults, ...options };
  const { classWeights, paceToleranceMs, pairIntervalMs, ...counts } = complete;
  for (const weight of classWeights) positive('classWeights', weight);
  positive('pairIntervalMs', pairIntervalMs);
  if (!(paceToleranceMs >= 0)) throw new RangeError(`paceToleranceMs must not be negative: ${paceToleranceMs}`);
  for (const [name, value] of Object.entries(counts)) {
    if (!Number.isInteger(value) || value < 1)
      throw new RangeError(`${name} must be a positive whole number: ${value}`);
  }
  return complete;
}
