import type { NumberQueue } from '../number/number-queue.ts';
import type { Flow, QueuedMessage } from '../number/recipient-chain.ts';
import type { SchedulerState } from '../scheduler-state.ts';
import type { KeptBack, NextMessages, UnreadFlow } from '../scheduler-types.ts';

/** Most messages of one number that are listed. */
const PER_NUMBER_MAX = 3;

type Reason = Pick<KeptBack, 'reason' | 'detail' | 'untilMs'>;

/** Lists up to `max` messages that cannot go, whatever their turn, a few of each number; and stopped flows that are not in memory. */
export function listKeptBack(
  { held, numbers }: Pick<SchedulerState, 'held'> & { numbers: ReadonlyMap<number, NumberQueue> },
  nowMs: number,
  max: number,
): Pick<NextMessages, 'keptBack' | 'unread'> {
  const found: KeptBack[] = [];
  const unread: UnreadFlow[] = [];
  for (const queue of numbers.values()) {
    if (found.length + unread.length >= max) break;
    const stopped = whyStopped(queue, nowMs);
    const ready = stopped === undefined ? [] : [...queue.flows.values()].flatMap((flow) => readyOf(flow, stopped));
    const ofNumber = [...ready, ...waiting(queue, nowMs)].slice(0, PER_NUMBER_MAX);
    found.push(...ofNumber.map(([message, reason]) => keptBack(queue, message, reason)));
    if (stopped === undefined || ofNumber.length > 0) continue;
    const { organizationId, numberId } = queue;
    const [flow] = [...queue.flows.values()].filter(({ more }) => more);
    if (flow !== undefined) unread.push({ organizationId, numberId, flowId: flow.flowId, ...stopped });
  }
  for (const { message, chain, node } of held.values()) {
    if (found.length + unread.length >= max) break;
    const queue = numbers.get(chain.numberId);
    const reason: Reason = { reason: 'unknown outcome', detail: null, untilMs: node.key };
    if (queue !== undefined) found.push(keptBack(queue, message, reason));
  }
  return { keptBack: found.slice(0, max), unread };
}

/** Returns the first message of a flow that may go as far as its recipient is concerned. */
function readyOf(flow: Flow, reason: Reason): [QueuedMessage, Reason][] {
  const message = flow.ready.peek()?.value.messages[0];
  return message === undefined ? [] : [[message, reason]];
}

/** Returns the reason for which the number as a whole cannot send. */
function whyStopped({ allowance }: NumberQueue, nowMs: number): Reason | undefined {
  if (allowance.paused) return { reason: 'paused', detail: null, untilMs: null };
  const parking = allowance.parking(nowMs);
  if (parking !== null) return { reason: 'parked', detail: parking.reason, untilMs: finite(parking.untilMs) };
  if (allowance.inFlight < allowance.inFlightMax) return undefined;
  return { reason: 'on its way', detail: null, untilMs: null };
}

/** Returns messages that wait for a time; the soonest is among them. */
function waiting(queue: NumberQueue, nowMs: number): [QueuedMessage, Reason][] {
  const nodes = queue.waiting.nodes().slice(0, PER_NUMBER_MAX);
  return nodes.flatMap(({ value: chain, key }) => {
    const message = chain.messages[0];
    if (message === undefined || key <= nowMs) return [];
    const reason = queue.pairReadyAtMs(chain) > nowMs ? 'pair limit' : 'retry';
    return [[message, { reason, detail: null, untilMs: key }] as [QueuedMessage, Reason]];
  });
}

function keptBack(
  { organizationId, numberId }: NumberQueue,
  { seq, flow, messageId, acceptedAtMs }: QueuedMessage,
  reason: Reason,
): KeptBack {
  return { seq, numberId, organizationId, flowId: flow.flowId, messageId, acceptedAtMs, ...reason };
}

function finite(ms: number): number | null {
  return Number.isFinite(ms) ? ms : null;
}
