import { type SendingNumber, upstreamPaceOf } from '../../accounts/index.ts';
import type { Clock } from '../../core/time/clock.ts';
import type { Queryable } from '../../database/database.ts';
import { shardOf } from '../../leases/index.ts';
import type { OrganizationSettings } from '../../organizations/index.ts';
import { PaceControl, type PaceSignal } from '../outcomes/pace-control.ts';
import { listPairDebt } from '../queue/pair-debt-queries.ts';
import type { QueueRow } from '../queue/queue-row.ts';
import type { Scheduler } from '../scheduler/index.ts';
import { listNumbersBehindFormer } from './former-attempt-queries.ts';
import { ceilingOf, paceFor } from './number-pace.ts';
import { type NumberReading, NumberSeries, type PostCounts } from './number-series.ts';
import { PostRate } from './post-rate.ts';
import { queueAsRead } from './queue-as-read.ts';
import { type Account, accountOf, keyOf, keysOver, type Throttled } from './throttled.ts';
import { WriteGate } from './write-gate.ts';

/** Looks up numbers for the dispatcher. */
export interface NumberSource {
  findByNumberIds(numberIds: number[]): Promise<SendingNumber[]>;
}

export interface NumberBookDeps {
  db: Queryable;
  clock: Clock;
  scheduler: Scheduler;
  numbers: NumberSource;
  settings: OrganizationSettings;
}

/** Rows read from the queues of numbers that are about to be opened. */
export interface QueuesRead {
  numberIds: number[];
  /** The first rows of their flows. A flow with `limit` rows may have more. */
  heads: QueueRow[];
  limit: number;
  /** Their unknown outcomes. */
  held: QueueRow[];
}

/**
 * Returns until when a previous owner of the number may have sent, on the monotonic clock. Returns undefined if this process no longer owns
 * the queue. Called at the moment of opening.
 */
type SentUntil = (numberId: number) => number | undefined;

/** An open number with its pace and its write gate. */
interface OpenNumber {
  number: SendingNumber;
  readonly pace: PaceControl;
  readonly gate: WriteGate;
  readonly posts: PostCounts;
  readonly rate: PostRate;
  /** Number of the read that is in force. */
  reading: number;
}

/** The platform counts a number's messages per second, regardless of the sending node. */
const QUIET_MS = 1_000;

/**
 * The numbers whose queues this process works on. Opens them in the scheduler with the rows read from their queues. Keeps their pace, pause
 * and parking in line with the accounts.
 */
export class NumberBook {
  readonly #deps: NumberBookDeps;
  readonly #open = new Map<number, OpenNumber>();
  readonly #openings = new Set<Promise<unknown>>();
  /**
   * Reconnected numbers whose earlier messages may still be in flight. These numbers wait. Without this, two messages to one person are in
   * flight at once, and a status of one could settle the other.
   */
  readonly #behindFormer = new Set<number>();
  /** Throttles of the platform, by account, by app, or for all numbers. Numbers opened before a throttle ends must obey it too. */
  readonly #throttles = new Map<string, { untilMs: number; reason: string }>();
  readonly series = new NumberSeries();
  #readings = 0;

  constructor(deps: NumberBookDeps) {
    this.#deps = deps;
  }

  find(numberId: number): SendingNumber | undefined {
    return this.#open.get(numberId)?.number;
  }

  list(): SendingNumber[] {
    return Array.from(this.#open.values(), ({ number }) => number);
  }

  /** Returns all open numbers of an account. */
  listAccount(account: Account): SendingNumber[] {
    return this.list().filter((number) => accountOf(number) === accountOf(account));
  }

  ofShards(shards: ReadonlySet<number>): number[] {
    return [...this.#open.keys()].filter((numberId) => shards.has(shardOf(numberId)));
  }

  /** Opens numbers. Returns the numbers it opened, without those already open and those that belong to another process now. */
  open(queues: QueuesRead, sentUntil: SentUntil): Promise<Set<number>> {
    const opening = this.#openAll(queues, sentUntil);
    this.#openings.add(opening);
    return opening.finally(() => this.#openings.delete(opening));
  }

  async #openAll({ numberIds, heads, limit, held }: QueuesRead, sentUntil: SentUntil): Promise<Set<number>> {
    const { db, scheduler } = this.#deps;
    const opened = new Set<number>();
    const wanted = numberIds.filter((numberId) => !scheduler.isOpen(numberId));
    if (wanted.length === 0) return opened;
    const reading = this.#beginReading();
    const [numbers, debts, behindFormer] = await Promise.all([
      this.#deps.numbers.findByNumberIds(wanted),
      listPairDebt(db, wanted),
      listNumbersBehindFormer(db, wanted),
    ]);
    const isBehindFormer = new Set(behindFormer);
    const headsOf = Map.groupBy(heads, (row) => row.numberId);
    const heldOf = Map.groupBy(held, (row) => row.numberId);
    const debtsOf = Map.groupBy(debts, (debt) => debt.numberId);
    for (const number of numbers) {
      const { numberId, organizationId, messagesPerSecond } = number;
      const { weight } = await this.#deps.settings.get(organizationId);
      const sentUntilMs = sentUntil(numberId);
      if (scheduler.isOpen(numberId) || sentUntilMs === undefined) continue;
      const read = {
        ...{ heads: headsOf.get(numberId) ?? [], held: heldOf.get(numberId) ?? [], debts: debtsOf.get(numberId) ?? [] },
        ...{ limit, sentUntilMs },
      };
      const nowMs = this.#deps.clock.monotonicMs();
      const pace = new PaceControl(ceilingOf(number));
      const gate = new WriteGate(this.#deps.clock, messagesPerSecond);
      this.#open.set(numberId, { number, pace, gate, posts: this.series.enter(), rate: new PostRate(), reading });
      scheduler.openNumber(nowMs, {
        ...{ numberId, organizationId, organizationWeight: weight, paused: isStopped(number) },
        ...paceFor(pace),
        ...queueAsRead(read, nowMs, nowMs - this.#deps.clock.now()),
      });
      scheduler.parkNumber(nowMs, numberId, sentUntilMs + QUIET_MS, 'taken over from another node');
      for (const name of keysOver(number)) {
        const throttle = this.#throttles.get(name);
        if (throttle !== undefined) scheduler.parkNumber(nowMs, numberId, throttle.untilMs, throttle.reason);
      }
      if (isBehindFormer.has(numberId)) this.#behindFormer.add(numberId);
      this.#followParking(number);
      opened.add(numberId);
    }
    return opened;
  }

  /**
   * Parks all numbers of an account, of an app, or of the platform, until `untilMs`: open numbers, and numbers opened before then. Returns by
   * how many milliseconds this extends the known throttle.
   */
  throttle(throttled: Throttled, untilMs: number, reason: string): number {
    const { scheduler, clock } = this.#deps;
    const nowMs = clock.monotonicMs();
    const name = keyOf(throttled);
    const concerned = this.list().filter((number) => keysOver(number).includes(name));
    for (const { numberId } of concerned) scheduler.parkNumber(nowMs, numberId, untilMs, reason);
    for (const [known, { untilMs: endMs }] of this.#throttles) if (endMs <= nowMs) this.#throttles.delete(known);
    const longerMs = untilMs - (this.#throttles.get(name)?.untilMs ?? nowMs);
    if (longerMs > 0) this.#throttles.set(name, { untilMs, reason });
    return longerMs;
  }

  /** Closes a number. */
  close(numberId: number): void {
    const open = this.#open.get(numberId);
    if (open !== undefined) this.series.leave(open.posts);
    this.#open.delete(numberId);
    this.#behindFormer.delete(numberId);
    this.#deps.scheduler.closeNumber(numberId);
  }

  /**
   * Applies changed pace, pause and parking to the open numbers that match `concerns`, by default to all, and the weights of their
   * organizations. Waits for openings in progress first: their numbers may have been read before the change.
   */
  async refresh(concerns: (number: SendingNumber) => boolean = () => true): Promise<void> {
    const { scheduler, clock, settings } = this.#deps;
    await Promise.allSettled(this.#openings);
    const known = this.list().filter(concerns);
    if (known.length === 0) return;
    const reading = this.#beginReading();
    for (const number of await this.#deps.numbers.findByNumberIds(known.map(({ numberId }) => numberId))) {
      const open = this.#open.get(number.numberId);
      // A read that started later may have been answered first.
      if (open === undefined || open.reading > reading) continue;
      open.reading = reading;
      open.number = number;
      const nowMs = clock.monotonicMs();
      open.pace.setCeiling(ceilingOf(number));
      open.gate.setLimit(number.messagesPerSecond);
      this.#applyPace(number.numberId, open.pace);
      scheduler.setPaused(nowMs, number.numberId, isStopped(number));
      this.#followParking(number);
    }
    for (const organizationId of new Set(known.map((number) => number.organizationId))) {
      const { weight } = await settings.get(organizationId);
      scheduler.setOrganizationWeight(organizationId, weight);
    }
  }

  /** True if a reconnected number waits for its earlier messages. */
  get isAnyBehindFormer(): boolean {
    return this.#behindFormer.size > 0;
  }

  /** Lets reconnected numbers send once none of their earlier messages is in flight. Returns true if any number may send now. */
  async releaseBehindFormer(): Promise<boolean> {
    const { db } = this.#deps;
    if (this.#behindFormer.size === 0) return false;
    // Copied first: numbers opened meanwhile are not part of this check.
    const asked = [...this.#behindFormer];
    const behind = new Set(await listNumbersBehindFormer(db, asked));
    const free = asked.filter((numberId) => !behind.has(numberId));
    for (const numberId of free) {
      this.#behindFormer.delete(numberId);
      const number = this.find(numberId);
      if (number !== undefined) this.#followParking(number);
    }
    return free.length > 0;
  }

  /** Adjusts the number's pace to the end of an attempt. */
  notePace(numberId: number, signal: PaceSignal): void {
    const pace = this.#open.get(numberId)?.pace;
    if (pace?.note(signal, this.#deps.clock.monotonicMs())) this.#applyPace(numberId, pace);
  }

  /**
   * Counts inbound messages against the number's rate, since the platform counts them too. They are charged in proportion if the current
   * pace is below the platform's limit. Returns false if the number is not open.
   */
  chargeInbound(numberId: number, count: number): boolean {
    const { scheduler, clock } = this.#deps;
    const open = this.#open.get(numberId);
    if (open === undefined) return false;
    const share = Math.min(1, open.pace.ratePerSecond / upstreamPaceOf(open.number));
    scheduler.chargeNumber(clock.monotonicMs(), numberId, count * share);
    return true;
  }

  /**
   * Slows the number's releases by the time a message was held up at its gate: more is released than is written. The charge is at most one
   * place, because each of many waiting messages was released one place too early.
   */
  chargeHeldUp(numberId: number, heldMs: number): void {
    const { scheduler, clock } = this.#deps;
    const pace = this.#open.get(numberId)?.pace;
    if (pace === undefined) return;
    scheduler.chargeNumber(clock.monotonicMs(), numberId, Math.min(1, (heldMs / 1_000) * pace.ratePerSecond));
  }

  /** Counts a post of the number that reached the platform. */
  countPost(numberId: number, isThrottled: boolean): void {
    const open = this.#open.get(numberId);
    if (open === undefined) return;
    open.posts.posts += 1;
    if (isThrottled) open.posts.throttled += 1;
    open.rate.count(this.#deps.clock.monotonicMs());
  }

  /** Returns the state of all open numbers for their series, without released numbers. */
  readings(): NumberReading[] {
    return Array.from(this.#open.values())
      .filter(({ number }) => !number.released)
      .map(({ number, pace, posts }) => ({
        phoneNumberId: number.phoneNumberId,
        posts,
        pacePerSecond: pace.ratePerSecond,
        allowedPerSecond: number.messagesPerSecond,
        parked: number.parked !== null,
      }));
  }

  /** Returns the messages per second that the number may send now, without headroom; undefined if it is not open. */
  paceOf(numberId: number): number | undefined {
    return this.#open.get(numberId)?.pace.ratePerSecond;
  }

  /** Returns the messages per second that the number has sent in the last seconds; undefined if it is not open. */
  usedPaceOf(numberId: number): number | undefined {
    return this.#open.get(numberId)?.rate.perSecond(this.#deps.clock.monotonicMs());
  }

  /** Returns the numbers that have sent in the last seconds. */
  listActive(): { numberId: number; pacePerSecond: number; usedPerSecond: number }[] {
    const nowMs = this.#deps.clock.monotonicMs();
    return Array.from(this.#open, ([numberId, { pace, rate }]) => ({
      numberId,
      pacePerSecond: pace.ratePerSecond,
      usedPerSecond: rate.perSecond(nowMs),
    })).filter(({ usedPerSecond }) => usedPerSecond > 0);
  }

  /** Returns the number's write gate; undefined if the number is not open, because then no message is written. */
  findGate(numberId: number): WriteGate | undefined {
    return this.#open.get(numberId)?.gate;
  }

  #beginReading(): number {
    this.#readings += 1;
    return this.#readings;
  }

  #applyPace(numberId: number, pace: PaceControl): void {
    const { scheduler, clock } = this.#deps;
    scheduler.setPace(clock.monotonicMs(), numberId, paceFor(pace));
  }

  #followParking(number: SendingNumber): void {
    const { scheduler, clock } = this.#deps;
    const nowMs = clock.monotonicMs();
    const reason = this.#whyParked(number);
    if (reason !== undefined) scheduler.stopNumber(nowMs, number.numberId, Number.POSITIVE_INFINITY, reason);
    else if (scheduler.parkingOf(nowMs, number.numberId)?.untilMs === Number.POSITIVE_INFINITY)
      scheduler.resumeNumber(nowMs, number.numberId);
  }

  #whyParked({ numberId, parked }: SendingNumber): string | undefined {
    if (parked !== null) return `${parked.code}: ${parked.reason}`;
    return this.#behindFormer.has(numberId)
      ? 'what it sent before it was connected anew is still on its way'
      : undefined;
  }
}

/** Returns true if the number is paused by an operator, or released for good. */
function isStopped(number: SendingNumber): boolean {
  return number.paused || number.released;
}
