import assert from 'node:assert/strict';
import type { Random } from '../../../src/core/seeded-random.ts';
import {
  type Dispatch,
  flowIdOf,
  type QueueRow,
  Scheduler,
  type SchedulerOptions,
  type Settlement,
  type TrafficClass,
} from '../../../src/dispatch/scheduler/index.ts';
import { ModelDatabase } from './model-database.ts';
import { assertSlidingCount, assertTokenBucket } from './referees.ts';
import { Timeline } from './timeline.ts';

/** Events around the scheduler: probabilities between 0 and 1, and times in milliseconds. */
export interface Weather {
  commitMsMax: number;
  offerMsMax: number;
  readMsMax: number;
  sendMsMax: number;
  /** A row is accepted by another node, so only discovery offers it. */
  remote: number;
  readFails: number;
  retry: number;
  hold: number;
  unsent: number;
  dropped: number;
}

interface MessageHistory {
  readonly row: QueueRow;
  readonly startedAtMs: number;
  /** Time at which its sender could send another message that depends on this one. */
  acknowledgedAtMs: number;
  state: 'waiting' | 'inFlight' | 'held' | 'done';
  readonly sends: Send[];
}

/** A dispatch, with the upstream limits that it counts against. */
interface Send {
  readonly atMs: number;
  ofNumber: boolean;
  ofPair: boolean;
}

interface NumberSettings {
  numberId: number;
  organizationId: string;
  ratePerSecond: number;
  inFlightMax: number;
}

/**
 * A gateway around a scheduler: rows that commit late and are offered later, reads with old snapshots, an upstream with every kind of
 * outcome, numbers that are closed and opened again. It asserts at every step that nothing is sent twice or out of order, and at the end
 * that nothing is lost and no limit was exceeded.
 */
export class GatewayModel {
  readonly time = new Timeline();
  readonly database = new ModelDatabase();
  readonly scheduler;
  readonly history = new Map<number, MessageHistory>();
  readonly reads: { kind: 'flow' | 'recipient'; numberId: number }[] = [];
  readonly dispatches: (Dispatch & { atMs: number })[] = [];
  readonly #options: SchedulerOptions;
  readonly #random: Random;
  readonly #weather: Weather;
  readonly #numbers = new Map<number, NumberSettings>();
  readonly #undiscovered = new Set<number>();
  readonly #byRecipient = new Map<string, MessageHistory[]>();
  #wakeAtMs = Number.POSITIVE_INFINITY;

  constructor(random: Random, weather: Weather, options: SchedulerOptions) {
    this.#random = random;
    this.#weather = weather;
    this.#options = options;
    this.scheduler = new Scheduler(options);
  }

  /** Registers a number, so that messages can be accepted for it. */
  register(settings: NumberSettings): void {
    this.#numbers.set(settings.numberId, settings);
  }

  /** Opens a registered number. */
  open(numberId: number): void {
    const settings = this.#numbers.get(numberId);
    assert.ok(settings !== undefined);
    this.scheduler.expectNumber(numberId);
    this.#load(settings);
  }

  /** Inserts a message that was accepted long ago into the table. */
  store(numberId: number, keyNumber: number, trafficClass: TrafficClass, contact: string): void {
    const entry = this.#insert(numberId, flowIdOf(keyNumber, trafficClass), contact);
    this.database.commit(entry.row.seq);
    entry.acknowledgedAtMs = this.time.nowMs;
  }

  /** Accepts one message now. */
  accept(numberId: number, keyNumber: number, trafficClass: TrafficClass, contact: string): void {
    const { scheduler, database } = this;
    const { row } = this.#insert(numberId, flowIdOf(keyNumber, trafficClass), contact);
    const token = scheduler.beginOffer();
    const isRemote = this.#random.chance(this.#weather.remote);
    this.#in(this.#weather.commitMsMax, () => {
      database.commit(row.seq);
      if (isRemote) {
        this.#undiscovered.add(row.seq);
        scheduler.endOffer(token);
        return;
      }
      this.#in(this.#weather.offerMsMax, () => {
        this.#offer([row]);
        scheduler.endOffer(token);
      });
    });
  }

  /** Discovers rows that other nodes accepted, and some known rows again. */
  discover(): void {
    const token = this.scheduler.beginOffer();
    this.#in(this.#weather.readMsMax, () => {
      const found = this.database.select((row) => this.#undiscovered.has(row.seq) || this.#random.chance(0.1));
      const missed = [...this.#undiscovered].filter((seq) => !this.database.has(seq));
      for (const seq of [...found.map((row) => row.seq), ...missed]) this.#undiscovered.delete(seq);
      this.#in(this.#weather.readMsMax, () => {
        this.#offer(found);
        this.scheduler.endOffer(token);
      });
    });
  }

  /** Closes a number and opens it again. */
  reopen(numberId: number): void {
    if (!this.scheduler.isOpen(numberId)) return;
    this.scheduler.closeNumber(numberId);
    this.#in(this.#weather.readMsMax, () => this.open(numberId));
  }

  /** Ends some waiting messages of a number without sending them. */
  abandon(numberId: number): void {
    const waiting = this.database.select(
      (row) => row.numberId === numberId && this.history.get(row.seq)?.state === 'waiting' && this.#random.chance(0.3),
    );
    for (const { seq, contact } of waiting) {
      this.database.delete(seq);
      (this.history.get(seq) as MessageHistory).state = 'done';
      this.scheduler.forget(this.time.nowMs, { numberId, contact, seq });
    }
  }

  /** Runs everything scheduled up to `untilMs`, and the scheduler as far as it can go. */
  run(untilMs: number): void {
    this.#pump();
    while (this.time.step(untilMs)) this.#pump();
  }

  /** Asserts the final state: every message is done. */
  assertSettled(): void {
    const lost = [...this.history.values()].filter((entry) => entry.state !== 'done');
    assert.deepEqual(
      lost.map((entry) => `${entry.row.seq} ${entry.state}`),
      [],
      'messages lost',
    );
    const { organizations: _, numbers: __, flows: ___, recipients: ____, ...sizes } = this.scheduler.totals();
    for (const [name, size] of Object.entries(sizes)) assert.equal(size, 0, name);
  }

  /** Asserts that the messages actually sent exceed no limit. */
  assertLimits(): void {
    const timesOf = (entries: MessageHistory[], counts: (send: Send) => boolean): number[] =>
      entries.flatMap((entry) => entry.sends.filter(counts).map((send) => send.atMs)).sort((a, b) => a - b);
    for (const [numberId, entries] of Map.groupBy(this.history.values(), (entry) => entry.row.numberId)) {
      const rate = this.#numbers.get(numberId)?.ratePerSecond ?? 0;
      const burst = 1 + Math.ceil((rate * this.#options.paceToleranceMs) / 1000);
      // Refunds within the tolerance allow the tolerance once more.
      const perSecondMax = rate + (this.#weather.unsent + this.#weather.dropped > 0 ? 2 : 1) * burst;
      const times = timesOf(entries, (send) => send.ofNumber);
      assertSlidingCount(times, perSecondMax, `number ${numberId}`);
    }
    for (const [pair, entries] of this.#byRecipient) {
      const times = timesOf(entries, (send) => send.ofPair);
      assertTokenBucket(times, this.#options.pairIntervalMs, this.#options.pairBurst, `pair ${pair}`);
    }
  }

  #insert(numberId: number, flowId: number, contact: string): MessageHistory {
    const { nowMs } = this.time;
    const row = this.database.insert({
      ...{ numberId, flowId, contact },
      ...{ acceptedAtMs: nowMs, attempt: 0, dueAtMs: null },
    });
    const entry: MessageHistory = {
      row,
      startedAtMs: nowMs,
      acknowledgedAtMs: Number.POSITIVE_INFINITY,
      state: 'waiting',
      sends: [],
    };
    this.history.set(row.seq, entry);
    const pair = `${numberId}/${contact}`;
    const entries = this.#byRecipient.get(pair);
    if (entries === undefined) this.#byRecipient.set(pair, [entry]);
    else entries.push(entry);
    return entry;
  }

  #in(delayMsMax: number, event: () => void): void {
    this.time.in(this.#random.next() * delayMsMax, event);
  }

  #offer(rows: QueueRow[]): void {
    // If no node accepts an offer, the next owner of the number makes it again. Here a read of the table replaces that.
    this.scheduler.offer(this.time.nowMs, rows);
    for (const { seq } of rows) {
      const entry = this.history.get(seq);
      if (entry !== undefined) entry.acknowledgedAtMs = Math.min(entry.acknowledgedAtMs, this.time.nowMs);
    }
  }

  #load(settings: NumberSettings): void {
    const { scheduler, database, time } = this;
    const { numberId } = settings;
    this.#in(this.#weather.readMsMax, () => {
      const flows = database.heads(numberId, this.#random.between(1, this.#options.windowRecipients));
      const unknown = database.select((row) => {
        const state = this.history.get(row.seq)?.state;
        return row.numberId === numberId && (state === 'inFlight' || state === 'held');
      });
      this.#in(this.#weather.readMsMax, () => {
        const held = unknown.map((row) => ({ row, untilMs: time.nowMs + 1e9 }));
        const stateOf = (seq: number) => this.history.get(seq)?.state;
        scheduler.openNumber(time.nowMs, { ...settings, organizationWeight: 1, paused: false, flows, held });
        for (const { seq } of unknown) {
          if (stateOf(seq) === 'waiting') scheduler.endHold(time.nowMs, seq, { kind: 'retry', dueAtMs: 0, attempt: 1 });
          if (stateOf(seq) === 'held') scheduler.endHold(time.nowMs, seq, { kind: 'hold', untilMs: time.nowMs + 50 });
        }
      });
    });
  }

  #pump(): void {
    const { scheduler, time } = this;
    for (const dispatch of scheduler.take(time.nowMs, this.#random.between(1, 50))) this.#send(dispatch);
    for (const { seq } of scheduler.expiredHolds(time.nowMs)) this.#resolveHold(seq);
    for (const request of scheduler.takeReads(time.nowMs, this.#random.between(1, 20))) {
      this.reads.push({ kind: request.kind, numberId: request.numberId });
      this.#in(this.#weather.readMsMax, () => {
        const rows = this.database.read(request);
        this.#in(this.#weather.readMsMax, () => {
          const isFailed = this.#random.chance(this.#weather.readFails);
          scheduler.answerRead(time.nowMs, request.id, isFailed ? null : rows);
        });
      });
    }
    const wakeAtMs = scheduler.nextWakeMs(time.nowMs);
    if (wakeAtMs !== null && (wakeAtMs < this.#wakeAtMs || this.#wakeAtMs <= time.nowMs)) {
      this.#wakeAtMs = wakeAtMs;
      time.at(wakeAtMs, () => {});
    }
  }

  #send(dispatch: Dispatch): void {
    const { time } = this;
    const entry = this.history.get(dispatch.seq);
    assert.ok(entry !== undefined);
    assert.equal(entry.state, 'waiting', `${dispatch.seq} dispatched while ${entry.state}`);
    this.#assertInOrder(entry);
    entry.state = 'inFlight';
    entry.sends.push({ atMs: time.nowMs, ofNumber: true, ofPair: true });
    this.dispatches.push({ ...dispatch, atMs: time.nowMs });
    this.#in(this.#weather.sendMsMax, () => this.#settle(entry));
  }

  #assertInOrder(entry: MessageHistory): void {
    const { numberId, contact } = entry.row;
    for (const other of this.#byRecipient.get(`${numberId}/${contact}`) ?? []) {
      if (other === entry || other.state === 'done') continue;
      const what = `${entry.row.seq} dispatched while ${other.row.seq} of the same recipient is`;
      assert.ok(other.state === 'waiting', `${what} ${other.state}`);
      assert.ok(other.acknowledgedAtMs >= entry.startedAtMs, `${what} waiting since before`);
    }
  }

  #settle(entry: MessageHistory): void {
    const { seq } = entry.row;
    const settlement = this.#outcome();
    const send = entry.sends.at(-1);
    assert.ok(send !== undefined);
    if (settlement.kind === 'unsent' || settlement.kind === 'dropped') send.ofNumber = false;
    if (!send.ofNumber || (settlement.kind === 'retry' && settlement.refundPair === true)) send.ofPair = false;
    if (settlement.kind === 'done' || settlement.kind === 'dropped') {
      this.database.delete(seq);
      entry.state = 'done';
    } else entry.state = settlement.kind === 'hold' ? 'held' : 'waiting';
    if (settlement.kind === 'retry') {
      this.database.update(seq, { attempt: settlement.attempt, dueAtMs: settlement.dueAtMs });
    }
    this.#end(seq, settlement);
  }

  #outcome(): Settlement {
    const { retry, hold, unsent, dropped } = this.#weather;
    const random = this.#random;
    const soonMs = this.time.nowMs + random.next() * 100;
    const chance = random.next();
    if (chance < retry) return { kind: 'retry', dueAtMs: soonMs, attempt: 1, refundPair: random.chance(0.5) };
    if (chance < retry + hold) return { kind: 'hold', untilMs: soonMs };
    if (chance < retry + hold + unsent) return { kind: 'unsent' };
    return { kind: chance < retry + hold + unsent + dropped ? 'dropped' : 'done' };
  }

  /** If nothing was in flight, the settlement may concern a message held since the number was opened again. */
  #end(seq: number, settlement: Settlement): void {
    const { scheduler, time } = this;
    if (!scheduler.settle(time.nowMs, seq, settlement)) scheduler.endHold(time.nowMs, seq, settlement);
  }

  #resolveHold(seq: number): void {
    const entry = this.history.get(seq);
    assert.ok(entry !== undefined);
    assert.equal(entry.state, 'held');
    this.#in(this.#weather.readMsMax, () => {
      if (entry.state !== 'held') return;
      if (this.#random.chance(0.5)) {
        entry.state = 'waiting';
        this.scheduler.endHold(this.time.nowMs, seq, { kind: 'retry', dueAtMs: this.time.nowMs, attempt: 2 });
        return;
      }
      this.database.delete(seq);
      entry.state = 'done';
      this.scheduler.endHold(this.time.nowMs, seq, { kind: 'done' });
    });
  }
}
