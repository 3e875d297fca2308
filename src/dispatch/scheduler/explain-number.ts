import type { NumberQueue } from './number-queue.ts';
import type { NumberExplanation } from './scheduler-types.ts';

/** Why one number's messages wait, for an operator. */
export function explainNumber(queue: NumberQueue, nowMs: number): NumberExplanation {
  const { allowance } = queue;
  const chains = [...queue.chains.values()];
  const ofPlace = Map.groupBy(chains, (chain) => chain.place);
  const waiting = ofPlace.get('waiting') ?? [];
  const pairLimited = waiting.filter((chain) => queue.pairReadyAtMs(chain) > nowMs);
  return {
    readyRecipients: ofPlace.get('ready')?.length ?? 0,
    pairLimitedRecipients: pairLimited.length,
    notDueRecipients: waiting.length - pairLimited.length,
    held: chains.reduce((sum, chain) => sum + (chain.held?.length ?? 0), 0),
    ratePerSecond: allowance.ratePerSecond,
    paused: allowance.paused,
    parked: allowance.parking(nowMs),
  };
}
