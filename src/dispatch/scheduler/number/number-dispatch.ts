import { chargedTatMs } from '../../../core/limits/rate-limit.ts';
import type { Dispatch, Settlement } from '../scheduler-types.ts';
import type { NumberQueue } from './number-queue.ts';
import { HeldMessage, type QueuedMessage, type RecipientChain } from './recipient-chain.ts';

/** Returns the next message of an eligible number in fair order, now in flight and charged; null if none is ready after all. */
export function dispatchNext(queue: NumberQueue, nowMs: number): Dispatch | null {
  queue.wakeWaiting(nowMs);
  for (;;) {
    const flow = queue.order.head();
    const chain = flow?.ready.peek()?.value;
    if (flow === undefined || chain === undefined) return null;
    if (chain.isSure(queue.unreadFloor)) {
      queue.order.serve(flow.member);
      queue.detach(chain);
      const message = chain.takeFirst();
      if (message === undefined) return null;
      queue.noteRefill(message.flow);
      // A message sent in another flow's turn costs both flows a turn. Its own flow pays because it sent. The other pays because a flow
      // that moved others' messages free of charge could make every third flow wait.
      if (message.flow !== flow) queue.order.charge(message.flow.member);
      depart(queue, chain, message, nowMs);
      return dispatchOf(queue, chain, message);
    }
    // A flow has fallen behind since the chain became ready.
    queue.detach(chain);
    queue.attach(chain, nowMs);
  }
}

function depart(queue: NumberQueue, chain: RecipientChain, message: QueuedMessage, nowMs: number): void {
  chain.tatBeforeMs = chain.tatMs;
  chain.tatMs = chargedTatMs(queue.state.pairLimit, chain.tatMs, nowMs, 1);
  chain.dispatchedAtMs = nowMs;
  chain.inFlight = message;
  message.flow.busy += 1;
  queue.allowance.depart(nowMs);
  queue.state.inFlight.set(message.seq, chain);
  queue.attach(chain, nowMs);
}

/** Ends the flight of a chain's message. */
export function settleFlight(queue: NumberQueue, chain: RecipientChain, settlement: Settlement, nowMs: number): void {
  const { inFlight: message } = chain;
  if (message === null) return;
  queue.detach(chain);
  chain.inFlight = null;
  message.flow.busy -= 1;
  queue.allowance.inFlight -= 1;
  queue.state.inFlight.delete(message.seq);
  if (settlement.kind === 'dropped' || settlement.kind === 'unsent') {
    queue.allowance.refund(chain.dispatchedAtMs, nowMs);
  }
  dispose(queue, chain, message, settlement);
  queue.attach(chain, nowMs);
}

/** Ends a hold. */
export function endHold(queue: NumberQueue, held: HeldMessage, settlement: Settlement, nowMs: number): void {
  const { chain, message } = held;
  queue.detach(chain);
  const others = chain.held?.filter((other) => other !== held) ?? [];
  chain.held = others.length > 0 ? others : null;
  message.flow.busy -= 1;
  queue.state.held.delete(message.seq);
  queue.state.holds.remove(held.node);
  dispose(queue, chain, message, settlement);
  queue.attach(chain, nowMs);
}

/** Holds a waiting message until its outcome is known; does nothing if it does not wait. */
export function holdWaiting(queue: NumberQueue, contact: string, seq: number, untilMs: number, nowMs: number): void {
  const chain = queue.chains.get(contact);
  if (chain === undefined) return;
  queue.detach(chain);
  const message = chain.remove(seq);
  if (message !== undefined) holdMessage(queue, chain, message, untilMs);
  queue.attach(chain, nowMs);
  if (message !== undefined) queue.noteRefill(message.flow);
}

/** Blocks a detached chain with a message that is counted but in no chain. */
export function holdMessage(queue: NumberQueue, chain: RecipientChain, message: QueuedMessage, untilMs: number): void {
  const { state } = queue;
  const held = new HeldMessage(message, chain);
  held.node.key = untilMs;
  chain.held = chain.held === null ? [held] : [...chain.held, held];
  message.flow.busy += 1;
  state.held.set(message.seq, held);
  state.holds.push(held.node);
}

/** Applies a settlement to a message that is counted but in no chain. Its chain is detached. */
function dispose(queue: NumberQueue, chain: RecipientChain, message: QueuedMessage, settlement: Settlement): void {
  const isRefunded =
    settlement.kind === 'dropped' ||
    settlement.kind === 'unsent' ||
    (settlement.kind === 'retry' && settlement.refundPair === true);
  // Exact, because no other message of the pair has left since.
  if (isRefunded) chain.tatMs = chain.tatBeforeMs;
  if (settlement.kind === 'hold') {
    holdMessage(queue, chain, message, settlement.untilMs);
    return;
  }
  queue.countMessages(-1);
  if (isOver(settlement)) {
    queue.state.finished.add(message.seq);
    return;
  }
  if (settlement.kind === 'retry') {
    message.attempt = settlement.attempt;
    message.dueAtMs = settlement.dueAtMs;
  }
  queue.insert(chain, message);
}

/** Returns true if the message's row no longer exists. */
export function isOver({ kind }: Settlement): boolean {
  return kind === 'done' || kind === 'dropped';
}

/** Converts a message to the form that the owner knows. */
export function dispatchOf(queue: NumberQueue, chain: RecipientChain, message: QueuedMessage): Dispatch {
  return {
    seq: message.seq,
    numberId: queue.numberId,
    flowId: message.flow.flowId,
    contact: chain.contact,
    messageId: message.messageId,
    organizationId: queue.organizationId,
    acceptedAtMs: message.acceptedAtMs,
    attempt: message.attempt,
    pairFreeAtMs: chain.tatMs,
  };
}
