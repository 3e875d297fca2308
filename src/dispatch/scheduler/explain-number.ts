import type { NumberQueue } from './number-queue.ts';
import type { NumberExplanation } from './scheduler-types.ts';

/** One number's queue, for an operator. */
export function explainNumber(queue: NumberQueue, nowMs: number): NumberExplanation {
  const pairLimited = { recipients: 0, nextAtMs: Number.POSITIVE_INFINITY };
  const notDue = { recipients: 0, nextAtMs: Number.POSITIVE_INFINITY };
  let readyRecipients = 0;
  let unreadRecipients = 0;
  let held = 0;
  let queued = 0;
  let oldestAcceptedAtMs = Number.POSITIVE_INFINITY;
  for (const chain of queue.chains.values()) {
    held += chain.held?.length ?? 0;
    queued += chain.messages.length;
    if (chain.place === 'ready') readyRecipients += 1;
    else if (chain.place === 'unread') unreadRecipients += 1;
    else if (chain.place === 'waiting') {
      const kind = queue.pairReadyAtMs(chain) > nowMs ? pairLimited : notDue;
      kind.recipients += 1;
      kind.nextAtMs = Math.min(kind.nextAtMs, chain.timer?.key ?? kind.nextAtMs);
    }
    const heads = [chain.inFlight, chain.messages[0], ...(chain.held ?? []).map(({ message }) => message)];
    for (const head of heads)
      oldestAcceptedAtMs = Math.min(oldestAcceptedAtMs, head?.acceptedAtMs ?? oldestAcceptedAtMs);
  }
  const { allowance } = queue;
  return {
    numberId: queue.numberId,
    organizationId: queue.organizationId,
    flows: [...queue.flows.values()].map((flow) => ({
      flowId: flow.flowId,
      weight: flow.member.weight,
      queued: flow.queued,
      readyRecipients: flow.ready.size,
      more: flow.more,
    })),
    queued,
    inFlight: allowance.inFlight,
    inFlightMax: allowance.inFlightMax,
    held,
    readyRecipients,
    pairLimited: { recipients: pairLimited.recipients, nextAtMs: finiteOrNull(pairLimited.nextAtMs) },
    notDue: { recipients: notDue.recipients, nextAtMs: finiteOrNull(notDue.nextAtMs) },
    unreadRecipients,
    oldestAcceptedAtMs: finiteOrNull(oldestAcceptedAtMs),
    ratePerSecond: allowance.ratePerSecond,
    paceAtMs: allowance.paceAtMs,
    paused: allowance.paused,
    parked: allowance.parking(nowMs),
  };
}

function finiteOrNull(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}
