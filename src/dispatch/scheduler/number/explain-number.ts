import type { SchedulerState } from '../scheduler-state.ts';
import type { NumberExplanation, SchedulerTotals } from '../scheduler-types.ts';
import type { NumberQueue } from './number-queue.ts';

/** Explains why one number's messages wait, or with `contact` those to one of its recipients. */
export function explainNumber(queue: NumberQueue, nowMs: number, contact?: string): NumberExplanation {
  const { allowance } = queue;
  const chains = contact === undefined ? [...queue.chains.values()] : [queue.chains.get(contact) ?? []].flat();
  const ofPlace = Map.groupBy(chains, (chain) => chain.place);
  const waiting = ofPlace.get('waiting') ?? [];
  // Chains of a stopped number stay in the waiting heap after their time has come.
  const free = waiting.filter((chain) => queue.pairReadyAtMs(chain) <= nowMs);
  const notDue = free.filter((chain) => (chain.messages[0]?.dueAtMs ?? nowMs) > nowMs);
  return {
    readyRecipients: (ofPlace.get('ready')?.length ?? 0) + free.length - notDue.length,
    pairLimitedRecipients: waiting.length - free.length,
    notDueRecipients: notDue.length,
    inFlight: chains.filter((chain) => chain.inFlight !== null).length,
    held: chains.reduce((sum, chain) => sum + (chain.held?.length ?? 0), 0),
    isPaced: allowance.paceAtMs > nowMs,
    paused: allowance.paused,
    parked: allowance.parking(nowMs),
  };
}

/** Counts what a scheduler holds. */
export function countTotals(
  state: SchedulerState,
  numbers: readonly NumberQueue[],
  organizations: number,
): SchedulerTotals {
  const sumOf = (size: (queue: NumberQueue) => number) => numbers.reduce((sum, queue) => sum + size(queue), 0);
  return {
    ...state.tally,
    organizations,
    numbers: numbers.length,
    numbersUnread: numbers.filter(({ unreadFloor }) => unreadFloor < Number.POSITIVE_INFINITY).length,
    flows: sumOf(({ flows }) => flows.size),
    recipients: sumOf(({ chains }) => chains.size),
    waitingRecipients: sumOf(({ waiting }) => waiting.size),
    inFlight: state.inFlight.size,
    held: state.held.size,
    finishedRemembered: state.finished.size,
  };
}
