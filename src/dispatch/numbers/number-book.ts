import { type SendingNumber, upstreamPaceOf } from '../../accounts/index.ts';
import type { Clock } from '../../core/time/clock.ts';
import type { Queryable } from '../../database/database.ts';
import { shardOf } from '../../leases/index.ts';
import type { OrganizationSettings } from '../../organizations/index.ts';
import { type PaceCeiling, PaceControl, type PaceSignal } from '../outcomes/pace-control.ts';
import { listPairDebt } from '../queue/pair-debt-queries.ts';
import type { QueueRow } from '../queue/queue-row.ts';
import type { Scheduler } from '../scheduler/index.ts';
import { listNumbersBehindFormer } from './former-attempt-queries.ts';
import { queueAsRead } from './queue-as-read.ts';
import { spanMsAt, WriteGate } from './write-gate.ts';

/** Where the dispatcher learns about numbers. */
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

export type Account = Pick<SendingNumber, 'organizationId' | 'wabaId'>;

/** What was read of the queues of numbers that are to be opened. */
export interface QueuesRead {
  numberIds: number[];
  /** The first rows of their flows; `limit` of one mean that there may be more. */
  heads: QueueRow[];
  limit: number;
  /** Their unknown outcomes. */
  held: QueueRow[];
}

/**
 * Until when a previous owner of the number may have sent, on the monotonic clock; undefined when its queue is not this process's to work
 * on any more. Asked at the moment it is opened.
 */
type SentUntil = (numberId: number) => number | undefined;

/** A number that is open, and what it is held to. */
interface OpenNumber {
  number: SendingNumber;
  readonly pace: PaceControl;
  readonly gate: WriteGate;
  /** Which reading of it is in force. */
  reading: number;
}

/** A second's worth is released over so much more than its write gate's span: what a standstill drove together comes apart again. */
const HEADROOM_MS = 2;
/** The upstream counts a number's messages by the second, whoever sent them. */
const QUIET_MS = 1_000;
/** The name of a throttle that is about no account in particular. */
const EVERYBODY = '';

/**
 * The numbers whose queues this process works on: opens them in the scheduler with what was read of their queues, and keeps
 * their pace, pause and parking as the accounts say.
 */
export class NumberBook {
  readonly #deps: NumberBookDeps;
  readonly #open = new Map<number, OpenNumber>();
  readonly #openings = new Set<Promise<unknown>>();
  /**
   * Numbers connected anew whose messages from before may still be on their way. These wait: two messages to one person would be in
   * flight at once, and what is told of the one be taken for word of the other.
   */
  readonly #behindFormer = new Set<number>();
  /** By account, or for everybody: throttles of the platform, which numbers that are opened before their end have to keep, too. */
  readonly #throttles = new Map<string, { untilMs: number; reason: string }>();
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

  /** All open numbers of an account. */
  listAccount(account: Account): SendingNumber[] {
    return this.list().filter((number) => accountOf(number) === accountOf(account));
  }

  ofShards(shards: ReadonlySet<number>): number[] {
    return [...this.#open.keys()].filter((numberId) => shards.has(shardOf(numberId)));
  }

  /** Opens numbers. Answers those opened: neither those that were open already nor those that are no longer to be. */
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
      this.#open.set(numberId, { number, pace, gate, reading });
      scheduler.openNumber(nowMs, {
        ...{ numberId, organizationId, organizationWeight: weight, paused: isStopped(number) },
        ...paceFor(pace),
        ...queueAsRead(read, nowMs, nowMs - this.#deps.clock.now()),
      });
      scheduler.parkNumber(nowMs, numberId, sentUntilMs + QUIET_MS, 'taken over from another node');
      for (const name of [EVERYBODY, accountOf(number)]) {
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
   * Parks all numbers of `account`, or of everybody, until `untilMs`: those that are open, and those opened before then. Answers by how many
   * milliseconds that is later than what was known of.
   */
  throttle(scope: 'waba' | 'app', account: Account, untilMs: number, reason: string): number {
    const { scheduler, clock } = this.#deps;
    const nowMs = clock.monotonicMs();
    const concerned = scope === 'app' ? this.list() : this.listAccount(account);
    for (const { numberId } of concerned) scheduler.parkNumber(nowMs, numberId, untilMs, reason);
    for (const [name, throttle] of this.#throttles) if (throttle.untilMs <= nowMs) this.#throttles.delete(name);
    const name = scope === 'app' ? EVERYBODY : accountOf(account);
    const longerMs = untilMs - (this.#throttles.get(name)?.untilMs ?? nowMs);
    if (longerMs > 0) this.#throttles.set(name, { untilMs, reason });
    return longerMs;
  }

  /** Forgets a number. */
  close(numberId: number): void {
    this.#open.delete(numberId);
    this.#behindFormer.delete(numberId);
    this.#deps.scheduler.closeNumber(numberId);
  }

  /**
   * Takes over changed pace, pause and parking of the open numbers that `concerns` tells, and the shares of their organizations; of
   * all by itself. A number that is being opened is open before it is looked for: what was read of it may be older than the change.
   */
  async refresh(concerns: (number: SendingNumber) => boolean = () => true): Promise<void> {
    const { scheduler, clock, settings } = this.#deps;
    await Promise.allSettled(this.#openings);
    const known = this.list().filter(concerns);
    if (known.length === 0) return;
    const reading = this.#beginReading();
    for (const number of await this.#deps.numbers.findByNumberIds(known.map(({ numberId }) => numberId))) {
      const open = this.#open.get(number.numberId);
      // One that began later may have been answered sooner.
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

  /** Lets numbers that were connected anew send when nothing is on its way any more that they sent before; answers whether any may now. */
  async releaseBehindFormer(): Promise<boolean> {
    const { db } = this.#deps;
    if (this.#behindFormer.size === 0) return false;
    // Those opened meanwhile have not been looked at.
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

  /** Takes an attempt's end into account for the number's pace. */
  notePace(numberId: number, signal: PaceSignal): void {
    const pace = this.#open.get(numberId)?.pace;
    if (pace?.note(signal, this.#deps.clock.monotonicMs())) this.#applyPace(numberId, pace);
  }

  /**
   * Takes messages that came in for a number into account: they count against what the upstream allows it, and so against the pace it is
   * held to for as much as that is of it. Answers false when it is not open.
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
   * Takes into account that a message was held up at its number's gate for so long: more is released than gets out, so release as much
   * later. Of many that wait together each is one place too early and no more.
   */
  chargeHeldUp(numberId: number, heldMs: number): void {
    const { scheduler, clock } = this.#deps;
    const pace = this.#open.get(numberId)?.pace;
    if (pace === undefined) return;
    scheduler.chargeNumber(clock.monotonicMs(), numberId, Math.min(1, (heldMs / 1_000) * pace.ratePerSecond));
  }

  /** Messages a second that the number is held to right now, headroom aside; undefined when it is not open. */
  paceOf(numberId: number): number | undefined {
    return this.#open.get(numberId)?.pace.ratePerSecond;
  }

  /** Where the number's messages wait until they may be written; none when it is not open, for then nothing will be. */
  findGate(numberId: number): WriteGate | undefined {
    return this.#open.get(numberId)?.gate;
  }

  #beginReading(): number {
    this.#readings += 1;
    return this.#readings;
  }

  #applyPace(numberId: number, pace: PaceControl): void {
    const { scheduler, clock } = this.#deps;
    const nowMs = clock.monotonicMs();
    const { ratePerSecond, inFlightMax } = paceFor(pace);
    scheduler.setRate(nowMs, numberId, ratePerSecond);
    scheduler.setInFlightMax(nowMs, numberId, inFlightMax);
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

/** The account's name: another organization may have connected the same one since. */
function accountOf({ organizationId, wabaId }: Account): string {
  return `${organizationId}/${wabaId}`;
}

/** Whether a number sends nothing until someone acts, or ever again. */
function isStopped(number: SendingNumber): boolean {
  return number.paused || number.released;
}

/** In flight: enough for the pace at an upstream that takes up to a second to answer. */
function ceilingOf(number: SendingNumber): PaceCeiling {
  return {
    ratePerSecond: number.messagesPerSecond,
    inFlightMax: Math.max(8, Math.ceil(number.messagesPerSecond)),
  };
}

/** What the scheduler has to keep. */
function paceFor({ ratePerSecond, inFlightMax }: PaceCeiling): PaceCeiling {
  return { ratePerSecond: (ratePerSecond * 1_000) / (spanMsAt(ratePerSecond) + HEADROOM_MS), inFlightMax };
}
