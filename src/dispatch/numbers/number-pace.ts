import type { SendingNumber } from '../../accounts/index.ts';
import type { PaceCeiling } from '../outcomes/pace-control.ts';
import { spanMsAt } from './write-gate.ts';

/**
 * One second's worth of messages is released over this much more than the write gate's span, so that messages bunched by a stall spread out
 * again.
 */
const HEADROOM_MS = 2;

/** Returns the limits of a number. The messages in flight suffice for its pace if the platform takes up to one second to answer. */
export function ceilingOf(number: SendingNumber): PaceCeiling {
  return {
    ratePerSecond: number.messagesPerSecond,
    inFlightMax: Math.max(8, Math.ceil(number.messagesPerSecond)),
  };
}

/** Returns the pace for the scheduler, with headroom. */
export function paceFor({ ratePerSecond, inFlightMax }: PaceCeiling): PaceCeiling {
  return { ratePerSecond: (ratePerSecond * 1_000) / (spanMsAt(ratePerSecond) + HEADROOM_MS), inFlightMax };
}
