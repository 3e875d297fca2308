import { readyAtMs } from '../../../core/limits/rate-limit.ts';
import { trafficClassNameOf } from '../flow-id.ts';
import { BinaryHeap, HeapNode } from '../order/binary-heap.ts';
import { FairMember, FairQueue } from '../order/fair-queue.ts';
import type { SchedulerState } from '../scheduler-state.ts';
import type { NumberOpening } from '../scheduler-types.ts';
import { FlowWindow } from './flow-window.ts';
import type { NumberAllowance } from './number-allowance.ts';
import { type Flow, type QueuedMessage, RecipientChain } from './recipient-chain.ts';

/**
 * Number of flow records at which lapsed flows are first searched. It grows with those that remain, so that the search is O(1) per flow.
 */
const flowSweepMin = 16;

/**
 * One number's messages: its recipients' chains, its flows' windows, and the fair order of the flows.
 *
 * Every change to a chain follows detach → change → attach; attaching derives the chain's place from its content (see `RecipientChain`). A
 * flow is active in the fair order while a ready chain has a message of it. Pending reads are noted in `wanted`, a hint that is checked
 * again when the read is handed out.
 */
export class NumberQueue {
  readonly numberId: number;
  readonly organizationId: string;
  readonly allowance: NumberAllowance;
  /** Membership among the organization's numbers. */
  readonly member = new FairMember<NumberQueue>(this, 1);
  /** Position among the numbers that wait for a time. */
  readonly wake = new HeapNode<NumberQueue>(this);
  readonly chains = new Map<string, RecipientChain>();
  readonly flows = new Map<number, Flow>();
  /** Flows with a ready recipient. */
  readonly order = new FairQueue<Flow>();
  readonly waiting = new BinaryHeap<RecipientChain>();
  readonly wanted = new Set<Flow | RecipientChain>();
  /** No flow has unread rows up to here. */
  unreadFloor = Number.POSITIVE_INFINITY;
  /** Messages in memory: waiting, in flight and held. */
  messages = 0;
  isClosed = false;
  /** State shared with all other numbers. */
  readonly state: SchedulerState;
  readonly #pairsFreeAtMs: number;
  /** Infinite until the number is loaded: until then its flows know how far they were read, but have no messages yet. */
  #flowSweepAt = Number.POSITIVE_INFINITY;
  /** True if flows were not read on because too many recipients wait. */
  #isRefillStalled = false;

  constructor(state: SchedulerState, opening: NumberOpening, allowance: NumberAllowance) {
    this.state = state;
    this.numberId = opening.numberId;
    this.organizationId = opening.organizationId;
    this.#pairsFreeAtMs = opening.pairsFreeAtMs ?? Number.NEGATIVE_INFINITY;
    this.allowance = allowance;
  }

  /** Returns true if a message may go now. */
  isEligible(nowMs: number): boolean {
    return this.order.size > 0 && this.allowance.allows(nowMs);
  }

  /** Returns true if a message to this recipient, whose queue is empty, may go now. */
  isFree(nowMs: number, contact: string): boolean {
    return this.allowance.allows(nowMs) && this.chains.get(contact)?.isEmpty !== false;
  }

  /** Returns when the passing of time alone could let an ineligible number send or be read; null if it cannot. */
  wakeAtMs(nowMs: number): number | null {
    const { paused, paceAtMs, inFlight, inFlightMax } = this.allowance;
    if (paused) return null;
    const parking = this.allowance.parking(nowMs);
    const next = this.waiting.peek();
    if (parking !== null) {
      return this.order.size > 0 || next !== undefined || this.wanted.size > 0 ? parking.untilMs : null;
    }
    if (inFlight >= inFlightMax) return null;
    if (this.order.size > 0) return paceAtMs;
    return next === undefined ? null : next.key;
  }

  /** Returns the window of a flow; creates it on first use. */
  flow(flowId: number): Flow {
    const known = this.flows.get(flowId);
    if (known !== undefined) return known;
    if (this.flows.size >= this.#flowSweepAt) this.forgetFlows();
    const flow = new FlowWindow<RecipientChain>(flowId, this.state.options.classWeights[trafficClassNameOf(flowId)]);
    this.flows.set(flowId, flow);
    return flow;
  }

  /**
   * Forgets flows if that loses no information; runs again by itself whenever there are many more. Must be called when the number is
   * loaded.
   */
  forgetFlows(): void {
    for (const flow of this.flows.values()) {
      if (!flow.isEmpty || !(this.messages === 0 || this.order.hasLapsed(flow.member))) continue;
      this.flows.delete(flow.flowId);
    }
    this.#flowSweepAt = Math.max(flowSweepMin, 2 * this.flows.size);
  }

  /** Must be called when a flow's cursor or `more` has changed. */
  updateUnreadFloor(): void {
    let floor = Number.POSITIVE_INFINITY;
    for (const flow of this.flows.values()) if (flow.more) floor = Math.min(floor, flow.cursor);
    this.unreadFloor = floor;
  }

  /** Returns true if memory has room for one more recipient of the flow. */
  hasRoom(flow: Flow): boolean {
    const { bounds } = this.state;
    if (flow.openRecipients >= bounds.recipients) return false;
    return this.waiting.size < bounds.waitingRecipients || flow.queued < bounds.recipients;
  }

  /** Returns true if the flow should be read on. */
  needsRefill(flow: Flow): boolean {
    const { bounds } = this.state;
    if (!flow.more || flow.openRecipients * 2 >= bounds.recipients) return false;
    // Waiting recipients of other flows must not keep this flow's rows out.
    if (this.waiting.size < bounds.waitingRecipients || flow.queued * 2 < bounds.recipients) return true;
    this.#isRefillStalled = true;
    return false;
  }

  /** Notes that the flow should be read on, if it should. */
  noteRefill(flow: Flow): void {
    if (flow.read === 'none' && this.needsRefill(flow)) this.want(flow);
  }

  /** Returns the chain of a recipient; creates it detached on first use. */
  chain(contact: string): RecipientChain {
    const known = this.chains.get(contact);
    if (known !== undefined) return known;
    const chain = new RecipientChain(this.numberId, contact, this.#pairsFreeAtMs);
    this.chains.set(contact, chain);
    return chain;
  }

  /** Forgets an empty chain, unless a running read will return to it, or it belongs to the number from before it was closed. */
  forgetChain(chain: RecipientChain): void {
    if (chain.read === 'running' || this.chains.get(chain.contact) !== chain) return;
    chain.place = 'detached';
    this.unwant(chain);
    this.chains.delete(chain.contact);
  }

  /** Adds a message to a detached chain. A full chain leaves its last message to the table. */
  insert(chain: RecipientChain, message: QueuedMessage): void {
    chain.insert(message);
    this.countMessages(1);
    this.cut(chain, this.state.bounds.chainMessages);
  }

  /** Leaves all but the first `kept` messages of a detached chain to the table. */
  cut(chain: RecipientChain, kept: number): void {
    this.countMessages(-chain.cut(kept, this.unreadFloor));
  }

  /** Removes a waiting message from its chain. */
  forget(contact: string, seq: number, nowMs: number): void {
    const chain = this.chains.get(contact);
    if (chain === undefined) return;
    this.detach(chain);
    const message = chain.remove(seq);
    if (message !== undefined) this.countMessages(-1);
    this.attach(chain, nowMs);
    if (message !== undefined) this.noteRefill(message.flow);
  }

  countMessages(change: number): void {
    this.messages += change;
    this.state.tally.messages += change;
  }

  /** Returns when the pair limit permits the chain's next message. */
  pairReadyAtMs(chain: RecipientChain): number {
    return readyAtMs(this.state.pairLimit, chain.tatMs);
  }

  /** Removes a chain from its place, to be changed and attached again. */
  detach(chain: RecipientChain): void {
    const { place } = chain;
    chain.place = 'detached';
    if (place === 'ready') this.#leaveReady(chain);
    else if (place === 'waiting') this.#leaveWaiting(chain);
    else if (place === 'unread') {
      for (const { flow } of chain.memberships) {
        flow.unreadRecipients -= 1;
        this.noteRefill(flow);
      }
    }
  }

  /** Puts a detached chain into the place that follows from its content, or forgets it. */
  attach(chain: RecipientChain, nowMs: number): void {
    const first = chain.messages[0];
    const pairReadyAtMs = this.pairReadyAtMs(chain);
    if (chain.inFlight !== null || chain.held !== null) this.#occupy(chain);
    else if (chain.isEmpty && chain.tatMs <= nowMs) this.forgetChain(chain);
    else if (chain.isEmpty) this.#rest(chain);
    else if (first !== undefined && pairReadyAtMs > nowMs) this.#wait(chain, pairReadyAtMs);
    else if (first === undefined || !chain.isSure(this.unreadFloor)) this.#awaitRead(chain);
    else if (first.dueAtMs > nowMs) this.#wait(chain, first.dueAtMs);
    else this.#beReady(chain, nowMs);
    if (chain.read === 'none' && this.needsRead(chain, nowMs)) this.want(chain);
  }

  /** Returns true if the recipient should be read: it cannot continue without a read, or its messages in memory run low. */
  needsRead(chain: RecipientChain, nowMs: number): boolean {
    if (chain.place === 'unread') return true;
    return chain.more && chain.held === null && chain.messages.length <= this.capacity(chain, nowMs) / 4;
  }

  /** Returns the number of the recipient's messages to keep in memory: few if it waits now or will wait after the message in flight. */
  capacity(chain: RecipientChain, nowMs: number): number {
    const { bounds } = this.state;
    const waits = chain.place === 'waiting' || chain.held !== null || this.pairReadyAtMs(chain) > nowMs;
    return waits ? bounds.waitingChainMessages : bounds.chainMessages;
  }

  /** Moves on the chains whose wait is over. */
  wakeWaiting(nowMs: number): void {
    for (;;) {
      const next = this.waiting.peek();
      if (next === undefined || next.key > nowMs) return;
      this.detach(next.value);
      this.attach(next.value, nowMs);
    }
  }

  want(reader: Flow | RecipientChain): void {
    reader.read = 'wanted';
    this.wanted.add(reader);
  }

  unwant(reader: Flow | RecipientChain): void {
    reader.read = 'none';
    this.wanted.delete(reader);
  }

  /** Forgets all messages of the number. */
  close(): void {
    this.isClosed = true;
    for (const chain of this.chains.values()) {
      this.detach(chain);
      for (const held of chain.held ?? []) {
        this.state.held.delete(held.message.seq);
        this.state.holds.remove(held.node);
      }
      if (chain.inFlight !== null) this.state.inFlight.delete(chain.inFlight.seq);
    }
    this.countMessages(-this.messages);
    this.chains.clear();
    this.flows.clear();
    this.wanted.clear();
  }

  #beReady(chain: RecipientChain, nowMs: number): void {
    chain.place = 'ready';
    if (this.order.size === 0) this.allowance.beginWaiting(nowMs);
    this.state.tally.readyRecipients += 1;
    for (const { flow, node } of chain.memberships) {
      flow.ready.push(node);
      if (flow.ready.size === 1) this.order.activate(flow.member);
    }
  }

  #leaveReady(chain: RecipientChain): void {
    this.state.tally.readyRecipients -= 1;
    for (const { flow, node } of chain.memberships) {
      flow.ready.remove(node);
      if (flow.ready.size === 0) this.order.deactivate(flow.member);
      this.noteRefill(flow);
    }
  }

  #wait(chain: RecipientChain, untilMs: number): void {
    chain.place = 'waiting';
    this.cut(chain, this.state.bounds.waitingChainMessages);
    chain.timer ??= new HeapNode<RecipientChain>(chain);
    chain.timer.key = untilMs;
    this.waiting.push(chain.timer);
  }

  #leaveWaiting(chain: RecipientChain): void {
    if (chain.timer !== null) this.waiting.remove(chain.timer);
    if (!this.#isRefillStalled || this.waiting.size >= this.state.bounds.waitingRecipients) return;
    this.#isRefillStalled = false;
    for (const flow of this.flows.values()) this.noteRefill(flow);
  }

  #awaitRead(chain: RecipientChain): void {
    chain.place = 'unread';
    for (const { flow } of chain.memberships) flow.unreadRecipients += 1;
  }

  #occupy(chain: RecipientChain): void {
    chain.place = 'busy';
    if (chain.held !== null) this.cut(chain, this.state.bounds.waitingChainMessages);
  }

  #rest(chain: RecipientChain): void {
    chain.place = 'idle';
    this.state.idlePairs.add(chain);
  }
}
