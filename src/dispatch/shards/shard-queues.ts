import type { Logger } from 'pino';
import { shareRuns } from '../../core/run/share-runs.ts';
import type { Wakeup } from '../../core/run/wakeup.ts';
import type { Clock } from '../../core/time/clock.ts';
import { patient } from '../../database/connection/patient-queries.ts';
import type { Database } from '../../database/database.ts';
import { type HeldShard, shardOf } from '../../leases/index.ts';
import type { Upstream } from '../../upstream/index.ts';
import type { NumberBook, QueuesRead } from '../numbers/number-book.ts';
import { toSchedulerRow } from '../numbers/queue-as-read.ts';
import type { DispatchMetrics } from '../outcomes/dispatch-metrics.ts';
import { holdAfterGap } from '../outcomes/outcome-policy.ts';
import { listFlowHeads, listHeldRows } from '../queue/queue-queries.ts';
import type { QueueRow } from '../queue/queue-row.ts';
import type { Scheduler, QueueRow as SchedulerRow } from '../scheduler/index.ts';
import type { InFlight } from '../unknown-outcomes/in-flight.ts';
import { takeOverHolds } from '../unknown-outcomes/take-over-holds.ts';
import { unknownOutcomeOf } from '../unknown-outcomes/unknown-outcome.ts';
import { lengthenHolds } from '../unknown-outcomes/unknown-outcome-queries.ts';
import type { UnknownOutcomes } from '../unknown-outcomes/unknown-outcomes.ts';
import { QueueDiscovery } from './queue-discovery.ts';

export interface ShardQueuesDeps {
  db: Database;
  clock: Clock;
  log: Logger;
  nodeId: string;
  /** True if this is the only process on its database. */
  alone: boolean;
  upstream: Pick<Upstream, 'platformClock'>;
  scheduler: Scheduler;
  book: NumberBook;
  unknown: Pick<UnknownOutcomes, 'adopt' | 'beginAdoption'>;
  metrics: Pick<DispatchMetrics, 'outcomes'>;
  inFlight: Pick<InFlight, 'journals'>;
  wakeup: Pick<Wakeup, 'wake'>;
}

/** A shard of this process since its latest takeover. Compared by identity: work that began before belongs to an earlier takeover. */
interface OwnShard {
  /** True once its queue has been read. */
  isReady: boolean;
  /** End of the time in which its last owner may have sent. */
  readonly sentUntilMs: number;
}

/** Kept small because every flow is read at once; the scheduler reads further rows from there. */
const HEAD_ROWS = 4;
const READ_AGAIN_MS = 1_000;
/** A read beside an old snapshot can take a minute. */
const SLOW_READ_MS = 2_000;

/**
 * The queues of the shards that this process owns, as known to the scheduler.
 *
 * States of a shard:
 * - reading: its journals become unknown outcomes, and the heads of its flows are read
 * - ready: its numbers are open in the scheduler, and further numbers are opened when rows arrive
 * - closed: its numbers are closed, and attempts in flight end by themselves
 *
 * During a read the shard may be lost and even regained; only the read of the latest takeover opens numbers. Epochs cannot tell takeovers
 * apart: a lease that this process believed lost, and then found still valid, keeps its epoch.
 */
export class ShardQueues {
  readonly #deps: ShardQueuesDeps;
  readonly #discovery: QueueDiscovery;
  readonly #shards = new Map<number, OwnShard>();
  /** Numbers of rows that arrived while their shard was being read. */
  readonly #expected = new Set<number>();
  #stopped = false;

  constructor(deps: ShardQueuesDeps) {
    this.#deps = deps;
    this.#discovery = new QueueDiscovery({ ...deps, found: (rows) => this.#offerFound(rows) });
  }

  /** Takes over shards just leased. Rejects, and opens none of them, if their queues cannot be read. */
  async takeOver(shards: HeldShard[]): Promise<void> {
    const { db, clock, log, nodeId, upstream, unknown, metrics, inFlight } = this.#deps;
    const ids = shards.map(({ shard }) => shard);
    this.close(ids);
    const startedAtMs = clock.monotonicMs();
    const taken = new Map<number, OwnShard>();
    for (const { shard, quietMs } of shards) {
      const sentUntilMs = quietMs === null ? Number.NEGATIVE_INFINITY : startedAtMs - Math.max(quietMs, 0);
      taken.set(shard, { isReady: false, sentUntilMs });
    }
    for (const [shard, own] of taken) this.#shards.set(shard, own);
    const endAdoption = unknown.beginAdoption();
    try {
      const takeover = { owner: nodeId, shards, ...inFlight.journals() };
      const platformNowMs = upstream.platformClock.now();
      metrics.outcomes.unknown.inc(await takeOverHolds(patient(db), takeover, clock.now(), platformNowMs));
      await this.#read(taken, startedAtMs);
      log.info({ shards: shards.length }, 'queues taken over');
    } catch (error) {
      this.close(ids.filter((shard) => this.#shards.get(shard) === taken.get(shard)));
      throw error;
    } finally {
      endAdoption();
    }
  }

  /** Drops these shards' queues from memory; their rows stay in the table. */
  close(shards: readonly number[]): void {
    const closing = new Set(shards);
    for (const shard of shards) this.#shards.delete(shard);
    this.#discovery.end(shards);
    for (const numberId of [...this.#expected, ...this.#deps.book.ofShards(closing)]) {
      if (!closing.has(shardOf(numberId))) continue;
      this.#expected.delete(numberId);
      this.#deps.book.close(numberId);
    }
  }

  stop(): void {
    this.#stopped = true;
  }

  /** Opens an offer before this node stores rows. Returns the token to end it with. */
  beginOffer(): number {
    const offer = this.#deps.scheduler.beginOffer();
    this.#discovery.noteOffer(offer);
    return offer;
  }

  /** Takes in rows that this node has stored. */
  endOffer(offer: number, rows: SchedulerRow[]): void {
    if (rows.length > 0 && !this.#discovery.findsOwn) this.#offer(rows);
    else if (rows.length > 0) {
      // Only a look knows the order of these rows and of earlier ones that other nodes stored or whose commit is in doubt.
      this.#discovery.leave();
      if (rows.some((row) => this.#isReady(row.numberId))) this.#discoverSoon();
    }
    this.#discovery.forgetOffer(offer);
    this.#deps.scheduler.endOffer(offer);
  }

  /** True if rows that this node stored are found by looks instead of being handed over. */
  get findsOwn(): boolean {
    return this.#discovery.findsOwn;
  }

  /** Reports that rows of this offer may exist, or appear later, without being handed over. */
  doubt(offer: number): void {
    this.#discovery.doubt(offer);
  }

  /** Lowers the horizons: after a crash, or on a different database, transaction ids may be reused. */
  connectionBroke(): void {
    this.#discovery.rewind();
  }

  /** Finds every row committed before this call. */
  readonly discover = shareRuns(() => this.#discovery.look([...this.#shards.keys()]));

  /** Waits for a look if one is needed: rows found by a queue read may follow rows that only a look finds. */
  async catchUp(): Promise<void> {
    if (this.#discovery.findsOwn) await this.discover();
  }

  #discoverSoon(): void {
    this.discover().catch((error) =>
      this.#deps.log.warn({ err: error }, 'look for new messages failed; the next one covers the same range'),
    );
  }

  /** Hands rows to the scheduler. Unknown numbers are opened if this process owns their shard. */
  #offer(rows: SchedulerRow[]): void {
    const { clock, scheduler } = this.#deps;
    const unknown = scheduler.offer(clock.monotonicMs(), rows);
    const ours = unknown.filter((numberId) => this.#shards.has(shardOf(numberId)));
    if (ours.length === 0) return;
    for (const numberId of ours) {
      scheduler.expectNumber(numberId);
      this.#expected.add(numberId);
    }
    const wanted = new Set(ours);
    scheduler.offer(
      clock.monotonicMs(),
      rows.filter((row) => wanted.has(row.numberId)),
    );
    const openable = ours.filter((numberId) => this.#isReady(numberId));
    if (openable.length > 0) void this.#openEmpty(openable);
  }

  /**
   * Reads the queues and opens their numbers. The offer keeps messages that finish meanwhile from coming back, although the snapshot still
   * shows them.
   */
  async #read(shards: ReadonlyMap<number, OwnShard>, startedAtMs: number): Promise<void> {
    const { db, scheduler, unknown, wakeup } = this.#deps;
    const ids = [...shards.keys()];
    const offer = scheduler.beginOffer();
    try {
      // Shards read again keep their horizon: their open numbers take no rows from this read.
      await this.#discovery.begin(
        ids.filter((shard) => this.#shards.get(shard) === shards.get(shard) && !shards.get(shard)?.isReady),
      );
      const heads = await listFlowHeads(patient(db), ids, HEAD_ROWS);
      const held = await this.#holdOn(await listHeldRows(patient(db), ids), startedAtMs);
      const expected = [...this.#expected].filter((numberId) => shards.has(shardOf(numberId)));
      const numberIds = new Set([...[...heads, ...held].map((row) => row.numberId), ...expected]);
      const opened = await this.#open(shards, { numberIds: [...numberIds], heads, held });
      unknown.adopt(held.filter((row) => opened.has(row.numberId)));
      for (const own of shards.values()) own.isReady = true;
      // Numbers that first appeared during the openings could not be opened then. Later rows of them would not trigger an opening.
      const late = [...this.#expected].filter(
        (numberId) => shards.has(shardOf(numberId)) && this.#isReady(numberId) && !numberIds.has(numberId),
      );
      if (late.length > 0) void this.#openEmpty(late);
    } finally {
      scheduler.endOffer(offer);
    }
    wakeup.wake();
  }

  /**
   * Extends holds by the time the read took. A starting node receives no statuses before its takeover is complete, so that time is a gap.
   */
  async #holdOn(held: QueueRow[], startedAtMs: number): Promise<QueueRow[]> {
    const { db, clock, upstream } = this.#deps;
    const gapMs = clock.monotonicMs() - startedAtMs;
    if (gapMs < SLOW_READ_MS) return held;
    const lengthened = held.map((row) => {
      const outcome = unknownOutcomeOf(row);
      const ageMs = upstream.platformClock.now() - outcome.attemptedAtMs;
      const holdUntilMs = Math.max(outcome.holdUntilMs, holdAfterGap({ ...outcome, ageMs }, clock.now(), gapMs));
      return { ...row, holdUntilMs };
    });
    await lengthenHolds(patient(db), lengthened);
    return lengthened;
  }

  /** Opens numbers while their shards still belong to these takeovers. */
  async #open(shards: ReadonlyMap<number, OwnShard>, queues: Omit<QueuesRead, 'limit'>): Promise<Set<number>> {
    const opened = await this.#deps.book.open({ ...queues, limit: HEAD_ROWS }, (numberId) => {
      const own = this.#shards.get(shardOf(numberId));
      return own === shards.get(shardOf(numberId)) ? own?.sentUntilMs : undefined;
    });
    for (const numberId of opened) this.#expected.delete(numberId);
    return opened;
  }

  // A number without rows when its shard was read has only rows offered since.
  async #openEmpty(numberIds: number[]): Promise<void> {
    const { clock, log, wakeup } = this.#deps;
    try {
      await this.#open(new Map(this.#shards), { numberIds, heads: [], held: [] });
    } catch (error) {
      log.error({ err: error }, 'numbers not opened; their shards are read again');
      const shards = [...new Set(numberIds.map(shardOf))];
      clock.schedule(READ_AGAIN_MS, () => void this.#readAgain(shards));
    }
    wakeup.wake();
  }

  async #readAgain(shards: number[]): Promise<void> {
    const ours = new Map([...this.#shards].filter(([shard, { isReady }]) => isReady && shards.includes(shard)));
    if (this.#stopped || ours.size === 0) return;
    try {
      await this.#read(ours, this.#deps.clock.monotonicMs());
    } catch {
      this.#deps.clock.schedule(READ_AGAIN_MS, () => void this.#readAgain(shards));
    }
  }

  #offerFound(rows: QueueRow[]): void {
    const { clock, wakeup } = this.#deps;
    const nowMs = clock.monotonicMs();
    const offsetMs = nowMs - clock.now();
    // Includes shards still being read: their first numbers are open and sending while others are being opened.
    const waiting = rows.filter((row) => row.holdUntilMs === null && this.#shards.has(shardOf(row.numberId)));
    this.#offer(waiting.map((row) => toSchedulerRow(row, nowMs, offsetMs)));
    wakeup.wake();
  }

  #isReady(numberId: number): boolean {
    return this.#shards.get(shardOf(numberId))?.isReady === true;
  }
}
