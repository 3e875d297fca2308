import { AppError, unavailable } from '../core/errors.ts';
import type { Slots } from '../core/limits/slots.ts';

/** Takes a transfer's slot. Raises RATE_LIMITED, or UNAVAILABLE if the process is at its limit. */
export function takeSlot(slots: Slots, organizationId: string): Disposable {
  const slot = slots.tryAcquire(organizationId);
  if (slot !== undefined) return slot;
  if (slots.isFullFor(organizationId)) {
    throw new AppError('RATE_LIMITED', 'Too many files are being transferred at once.', { retryAfterSeconds: 1 });
  }
  throw unavailable('The gateway transfers all the files it can. Try again.');
}
