import type { Logger } from 'pino';
import { type Accounts, type SendingNumber, SHARD_COUNT, shardOf } from '../accounts/index.ts';
import type { Clock } from '../core/clock.ts';
import type { Database } from '../database/database.ts';
import type { OrganizationSettings } from '../organizations/index.ts';
import type { Metrics, Tracing } from '../telemetry/index.ts';
import type { Upstream } from '../upstream/index.ts';
import { BodyCache } from './body-cache.ts';
import { createDispatchMetrics, type DispatchTotals } from './dispatch-metrics.ts';
import { Leases } from './leases.ts';
import { NumberBook, toSchedulerRow } from './number-book.ts';
import { Outbox, type SettledMessage } from './outbox.ts';
import { holdMsOf } from './outcome-policy.ts';
import {
  discoverRows,
  holdJournaled,
  listExpired,
  listFlowHeads,
  listHeldRows,
  type QueueRow,
  readHorizon,
  savePairDebt,
} from './queries.ts';
import { QueueReader } from './queue-reader.ts';
import type { QueuedRow, QueueSink } from './queue-sink.ts';
import { ResultRecorder } from './result-recorder.ts';
import { createScheduler, type Scheduler } from './scheduler/index.ts';
import { UnknownOutcomes } from './unknown-outcomes.ts';

export interface DispatcherDeps {
  db: Database;
  clock: Clock;
  log: Logger;
  random: () => number;
  nodeId: string;
  /** This process is alone on its database. */
  alone: boolean;
  /** Whether this node takes queues to work on. Without, it only says that it lives, so that others look for what it accepts. */
  dispatches: boolean;
  metrics: Metrics;
  tracing: Tracing;
  accounts: Accounts;
  settings: OrganizationSettings;
  upstream: Upstream;
  /** Told of every message that reached its end here, after that is durable. */
  onSettled: (message: SettledMessage) => void;
  /** Applies statuses that came before their wamid was recorded. */
  applyEarlyStatuses: () => void;
  inFlightMax?: number;
}

const HEAD_ROWS = 64;
const BODY_CHARACTERS_MAX = 32 * 1024 * 1024;
const BATCH_MAX = 256;
const JOURNAL_LANES = 2;
const DISCOVERY_MS = { alone: 1_000, shared: 40 };
const CHORES_MS = 5_000;
const IDLE_LOOK_MS = 50;

/**
 * Works the queues of the shards this process owns: what acceptance hands over and what the table holds goes through the
 * scheduler, and what may go now through the outbox to the upstream.
 *
 * A shard's life here: acquired → its journals become unknown outcomes, the heads of its flows are read → its numbers are
 * open in the scheduler → released or lost → its numbers are closed, what is in flight ends by itself.
 */
export class Dispatcher implements QueueSink {
  readonly #deps: DispatcherDeps;
  readonly #scheduler: Scheduler;
  readonly #book: NumberBook;
  readonly #reader: QueueReader;
  readonly #recorder: ResultRecorder;
  readonly #outbox: Outbox;
  readonly #unknown: UnknownOutcomes;
  readonly #leases: Leases;
  readonly #bodies = new BodyCache(BODY_CHARACTERS_MAX);
  /** Shards whose queues have been read; the others' rows wait for that. */
  readonly #ready = new Set<number>();
  readonly #reading = new Set<number>();
  /** Numbers heard of while their shard was being read. */
  readonly #expected = new Set<number>();
  readonly #inFlightMax: number;
  #horizon: string | undefined;
  #nodeCount = 1;
  #includeOwn = false;
  #kicked = false;
  #journaling = 0;
  #stopping = false;
  #cancelWake: (() => void) | undefined;
  #wakeAtMs = Number.POSITIVE_INFINITY;
  readonly #loops: (() => void)[] = [];

  constructor(deps: DispatcherDeps) {
    this.#deps = deps;
    const { db, clock, log, nodeId, accounts, settings } = deps;
    this.#inFlightMax = deps.inFlightMax ?? 1024;
    this.#scheduler = createScheduler();
    const scheduler = this.#scheduler;
    const metrics = createDispatchMetrics(deps.metrics, () => this.totals());
    const kick = () => this.#kick();
    this.#book = new NumberBook({ db, clock, scheduler, numbers: accounts, settings });
    const organizationOf = (numberId: number) => this.#book.find(numberId)?.organizationId;
    this.#reader = new QueueReader({ db, clock, log, scheduler, organizationOf, changed: kick });
    this.#recorder = new ResultRecorder({ db, clock, log, nodeId, onEarlyStatuses: deps.applyEarlyStatuses });
    this.#leases = new Leases({
      db,
      clock,
      log,
      nodeId,
      shardCount: SHARD_COUNT,
      alone: deps.alone,
      work: deps.dispatches ? 'dispatch' : 'none',
      listener: {
        acquired: (shards) => {
          metrics.leaseChanges.acquired.inc(shards.length);
          return this.#takeOver(shards.map(({ shard }) => shard));
        },
        release: (shards) => {
          metrics.leaseChanges.released.inc(shards.length);
          return this.#giveBack(shards);
        },
        lost: (shards) => {
          metrics.leaseChanges.lost.inc(shards.length);
          this.#close(shards);
        },
        renewed: (nodes) => {
          this.#nodeCount = nodes;
          this.#kick();
        },
      },
    });
    this.#unknown = new UnknownOutcomes({
      ...deps,
      scheduler,
      recorder: this.#recorder,
      book: this.#book,
      changed: kick,
    });
    this.#outbox = new Outbox({
      ...deps,
      metrics,
      scheduler,
      recorder: this.#recorder,
      book: this.#book,
      bodies: this.#bodies,
      leases: this.#leases,
      unknown: this.#unknown,
      changed: kick,
    });
  }

  /** Takes over the shards that are free and starts dispatching. */
  async start(): Promise<void> {
    this.#horizon = await readHorizon(this.#deps.db);
    await this.#leases.start();
    this.#repeat(
      () => (this.#nodeCount > 1 ? DISCOVERY_MS.shared : DISCOVERY_MS.alone),
      () => this.#discover(),
    );
    this.#repeat(
      () => CHORES_MS,
      () => this.#chores(),
    );
    this.#kick();
  }

  /** Stops taking work, lets what is in flight end (at most `graceMs`), writes everything down and gives the shards back. */
  async stop(graceMs: number): Promise<void> {
    this.#stopping = true;
    for (const cancel of this.#loops) cancel();
    this.#cancelWake?.();
    await this.#outbox.drain(graceMs);
    await this.#savePairDebt().catch((error) => this.#deps.log.warn({ err: error }, 'pair limits not saved'));
    await this.#recorder.drain();
    this.#unknown.stop();
    await this.#leases.stop();
  }

  beginOffer(): number {
    return this.#scheduler.beginOffer();
  }

  endOffer(token: number, rows: QueuedRow[]): void {
    if (rows.length > 0) {
      for (const row of rows)
        if (this.#leases.epochOf(shardOf(row.numberId)) !== undefined) this.#bodies.put(row.seq, row.body);
      this.#offer(rows.map((row) => ({ ...row, recipient: row.contact, attempt: 0, dueAtMs: null })));
      this.#kick();
    }
    this.#scheduler.endOffer(token);
  }

  recheck(): void {
    this.#includeOwn = true;
  }

  /** Messages a number exchanged that Fairway did not send; they count against its throughput. */
  countInbound(numberId: number, count: number): void {
    if (this.#book.find(numberId) !== undefined)
      this.#scheduler.chargeNumber(this.#deps.clock.monotonicMs(), numberId, count);
  }

  /** A number's pace, pause or parking changed. */
  numberChanged(phoneNumberId: string): void {
    this.#refresh(this.#book.list().filter((number) => number.phoneNumberId === phoneNumberId));
  }

  /** Any number may have changed. */
  allNumbersChanged(): void {
    this.#refresh(this.#book.list());
  }

  #refresh(numbers: SendingNumber[]): void {
    this.#book
      .refresh(numbers.map((number) => number.numberId))
      .then(() => this.#kick())
      .catch((error) => this.#deps.log.warn({ err: error }, 'changed numbers not read'));
  }

  /** Why messages of these numbers wait, for the operator; null for numbers this node does not work on. */
  explain(numberId: number) {
    return this.#scheduler.explain(this.#deps.clock.monotonicMs(), numberId);
  }

  totals(): DispatchTotals {
    const numbers = this.#book.list();
    return {
      ...this.#scheduler.totals(),
      nodes: this.#nodeCount,
      shards: this.#leases.shards().length,
      unknownOutcomes: this.#unknown.size,
      numbersPaused: numbers.filter((number) => number.paused).length,
      numbersParked: numbers.filter((number) => number.parked !== null).length,
      pacePerSecond: numbers.reduce((sum, number) => sum + number.messagesPerSecond, 0),
    };
  }

  /** Hands rows to the scheduler; numbers it does not know yet are opened if their shard is ours. */
  #offer(rows: Parameters<Scheduler['offer']>[1]): void {
    const { clock } = this.#deps;
    const unknown = this.#scheduler.offer(clock.monotonicMs(), rows);
    const ours = unknown.filter(
      (numberId) => this.#ready.has(shardOf(numberId)) || this.#reading.has(shardOf(numberId)),
    );
    if (ours.length === 0) return;
    for (const numberId of ours) {
      this.#scheduler.expectNumber(numberId);
      this.#expected.add(numberId);
    }
    const wanted = new Set(ours);
    this.#scheduler.offer(
      clock.monotonicMs(),
      rows.filter((row) => wanted.has(row.numberId)),
    );
    const openable = ours.filter((numberId) => this.#ready.has(shardOf(numberId)));
    if (openable.length > 0) void this.#openEmpty(openable);
  }

  // A number without rows when its shard was read has none but those offered since.
  async #openEmpty(numberIds: number[]): Promise<void> {
    try {
      await this.#book.open(numberIds, [], [], HEAD_ROWS);
      for (const numberId of numberIds) this.#expected.delete(numberId);
    } catch (error) {
      this.#deps.log.error({ err: error }, 'numbers could not be opened; their shards are read again');
      const shards = [...new Set(numberIds.map(shardOf))];
      this.#deps.clock.schedule(1_000, () => void this.#readAgain(shards));
    }
    this.#kick();
  }

  async #readAgain(shards: number[]): Promise<void> {
    const ours = shards.filter((shard) => this.#leases.epochOf(shard) !== undefined);
    try {
      await this.#readShards(ours);
    } catch {
      if (!this.#stopping) this.#deps.clock.schedule(1_000, () => void this.#readAgain(ours));
    }
  }

  async #takeOver(shards: number[]): Promise<void> {
    for (const shard of shards) this.#reading.add(shard);
    try {
      const nowMs = this.#deps.clock.now();
      await holdJournaled(this.#deps.db, shards, nowMs + holdMsOf(1), nowMs + holdMsOf(0));
      await this.#readShards(shards);
      this.#deps.log.info({ shards: shards.length }, 'queues taken over');
    } finally {
      for (const shard of shards) this.#reading.delete(shard);
    }
  }

  async #readShards(shards: number[]): Promise<void> {
    const { db } = this.#deps;
    const heads = await listFlowHeads(db, shards, HEAD_ROWS);
    const held = await listHeldRows(db, shards);
    const within = new Set(shards);
    const expected = [...this.#expected].filter((numberId) => within.has(shardOf(numberId)));
    const numberIds = new Set([...[...heads, ...held].map((row) => row.numberId), ...expected]);
    await this.#book.open([...numberIds], heads, held, HEAD_ROWS);
    for (const numberId of numberIds) this.#expected.delete(numberId);
    this.#unknown.adopt(held);
    for (const shard of shards) this.#ready.add(shard);
    this.#kick();
  }

  async #giveBack(shards: number[]): Promise<void> {
    this.#close(shards);
    await this.#outbox.drained(new Set(shards));
  }

  #close(shards: number[]): void {
    for (const shard of shards) this.#ready.delete(shard);
    for (const numberId of this.#book.ofShards(new Set(shards))) this.#book.close(numberId);
  }

  async #discover(): Promise<void> {
    const shards = [...this.#ready];
    if (shards.length === 0 || this.#horizon === undefined) return;
    const includeOwn = this.#includeOwn;
    let horizon: string | undefined;
    for (let cursors = shards.map((shard) => ({ shard, xid: this.#horizon ?? '0', seq: 0 })); cursors.length > 0; ) {
      const token = this.#scheduler.beginOffer();
      try {
        const found = await discoverRows(this.#deps.db, cursors, this.#deps.nodeId, includeOwn);
        horizon ??= found.horizon;
        cursors = found.unfinished;
        if (found.rows.length > 0) await this.#offerDiscovered(found.rows);
      } finally {
        this.#scheduler.endOffer(token);
      }
      this.#kick();
    }
    this.#horizon = horizon;
    if (includeOwn) this.#includeOwn = false;
  }

  async #offerDiscovered(rows: QueueRow[]): Promise<void> {
    const { accounts, clock } = this.#deps;
    const strangers = [...new Set(rows.map((row) => row.numberId))].filter(
      (numberId) => this.#book.find(numberId) === undefined,
    );
    const numbers = strangers.length > 0 ? await accounts.findByNumberIds(strangers) : [];
    const organizationOf = new Map(numbers.map((number) => [number.numberId, number.organizationId]));
    const offsetMs = clock.monotonicMs() - clock.now();
    const waiting = rows.filter((row) => row.holdUntilMs === null && this.#ready.has(shardOf(row.numberId)));
    this.#offer(
      waiting.map((row) =>
        toSchedulerRow(
          row,
          this.#book.find(row.numberId)?.organizationId ?? organizationOf.get(row.numberId) ?? '',
          offsetMs,
        ),
      ),
    );
  }

  /** Expires what outlived its time while it could not be sent, and notes how far pairs have drawn on their bursts. */
  async #chores(): Promise<void> {
    const { db, clock } = this.#deps;
    const numberIds = this.#book.list().map((number) => number.numberId);
    if (numberIds.length === 0) return;
    for (let found = BATCH_MAX; found >= BATCH_MAX; ) {
      const expired = await listExpired(db, numberIds, clock.now(), BATCH_MAX);
      await Promise.all(expired.map((row) => this.#outbox.expire(row)));
      found = expired.length;
    }
    await this.#savePairDebt();
  }

  async #savePairDebt(): Promise<void> {
    const nowMs = this.#deps.clock.monotonicMs();
    const wallMs = this.#deps.clock.now();
    const debts = this.#book
      .list()
      .flatMap(({ numberId }) =>
        this.#scheduler
          .listPairDebt(nowMs, numberId)
          .map(({ recipient, debtMs }) => ({ numberId, contact: recipient, freeAtMs: wallMs + debtMs })),
      );
    if (debts.length > 0) await savePairDebt(this.#deps.db, debts);
  }

  #repeat(everyMs: () => number, work: () => Promise<void>): void {
    const index = this.#loops.length;
    const next = () => {
      if (this.#stopping) return;
      this.#loops[index] = this.#deps.clock.schedule(everyMs(), () => {
        work()
          .catch((error) => this.#deps.log.warn({ err: error }, 'dispatch chore failed'))
          .finally(next);
      });
    };
    next();
  }

  #kick(): void {
    if (this.#kicked || this.#stopping) return;
    this.#kicked = true;
    setImmediate(() => {
      this.#kicked = false;
      this.#pump();
    });
  }

  /** Starts whatever can start now, and wakes again when the scheduler says so. */
  #pump(): void {
    if (this.#stopping) return;
    const { clock } = this.#deps;
    this.#unknown.expire();
    while (this.#journaling < JOURNAL_LANES && this.#leases.isCurrent()) {
      const room = Math.min(BATCH_MAX, this.#inFlightMax - this.#outbox.inFlight);
      const batch = room > 0 ? this.#scheduler.take(clock.monotonicMs(), room) : [];
      if (batch.length === 0) break;
      this.#journaling += 1;
      void this.#outbox.dispatch(batch).finally(() => {
        this.#journaling -= 1;
        this.#kick();
      });
    }
    this.#reader.run();
    this.#wakeLater();
  }

  #wakeLater(): void {
    const { clock } = this.#deps;
    const nowMs = clock.monotonicMs();
    const wakeAtMs = this.#scheduler.nextWakeMs(nowMs) ?? Number.POSITIVE_INFINITY;
    if (wakeAtMs === this.#wakeAtMs) return;
    this.#cancelWake?.();
    this.#wakeAtMs = wakeAtMs;
    if (wakeAtMs === Number.POSITIVE_INFINITY) return;
    // Work that could start at once waits for a lane, for room or for a lease; all of them kick when they come.
    const delayMs = wakeAtMs <= nowMs ? IDLE_LOOK_MS : wakeAtMs - nowMs;
    this.#cancelWake = clock.schedule(delayMs, () => {
      this.#wakeAtMs = Number.POSITIVE_INFINITY;
      this.#pump();
    });
  }
}
