import type { Logger } from 'pino';
import type { Accounts, SendingNumber } from '../accounts/index.ts';
import { Chores } from '../core/run/chores.ts';
import { shareRuns } from '../core/run/share-runs.ts';
import { waitAtMost } from '../core/run/waiting.ts';
import type { Clock } from '../core/time/clock.ts';
import type { Changes } from '../database/changes/change-feed.ts';
import type { Database } from '../database/database.ts';
import { isApiServed, Leases, SHARD_COUNT, shardOf } from '../leases/index.ts';
import type { OrganizationSettings } from '../organizations/index.ts';
import type { Metrics, Tracing } from '../telemetry/index.ts';
import type { Upstream } from '../upstream/index.ts';
import { NumberBook } from './numbers/number-book.ts';
import { savePairDebts } from './numbers/save-pair-debts.ts';
import { ThrottleNews } from './numbers/throttle-news.ts';
import { createDispatchMetrics, type DispatchTotals } from './outcomes/dispatch-metrics.ts';
import type { SettledMessage } from './outcomes/dispatch-outcome.ts';
import { ResultRecorder } from './outcomes/result-recorder.ts';
import { Rounds } from './rounds.ts';
import { Scheduler } from './scheduler/index.ts';
import { abandonCancelled, abandonExpired, abandonReleased } from './sending/abandon-waiting.ts';
import { BodyCache } from './sending/body-cache.ts';
import { Outbox } from './sending/outbox.ts';
import { QueueReader } from './shards/queue-reader.ts';
import type { QueuedRow, QueueSink } from './shards/queue-sink.ts';
import { ShardQueues } from './shards/shard-queues.ts';
import { StatusGaps } from './unknown-outcomes/status-gaps.ts';
import { UnknownOutcomes } from './unknown-outcomes/unknown-outcomes.ts';

export interface DispatcherDeps {
  db: Database;
  clock: Clock;
  log: Logger;
  random: () => number;
  nodeId: string;
  /** True if this is the only process on its database. */
  alone: boolean;
  /** True if this node works on queues. If not, it only reports that it is alive, so that other nodes look for the rows it accepts. */
  dispatches: boolean;
  /** True if this node serves the API, including the platform's webhooks. */
  servesApi: boolean;
  metrics: Metrics;
  tracing: Tracing;
  changes: Changes;
  accounts: Accounts;
  settings: OrganizationSettings;
  upstream: Upstream;
  /** Limit of messages in flight at the same time; more than the connections to the platform would only wait for one. */
  inFlightMax: number;
  /** Called for every message whose end this node recorded, after the commit. */
  onSettled: (message: SettledMessage) => void;
  /** Applies statuses that arrived before their wamid was recorded, by the digests of their wamids. */
  applyEarlyStatuses: (wamidDigests: string[]) => void;
}

const BODY_CHARACTERS_MAX = 32 * 1024 * 1024;
/** One less than the platform's 45: messages sent in time may arrive closer together. */
const PAIR_BURST = 44;
/** Time for messages in flight to end when their shard moves to another node. */
const HANDOVER_MS = 3_000;
const DISCOVERY_MS = { alone: 1_000, shared: 40 };
const TIDY_MS = 5_000;
/** Short, because a tenant waits for a reconnected number to send. */
const FORMER_LOOK_MS = 250;

/**
 * Works on the queues of the shards that this process owns. Rows handed over at acceptance and rows of the table go through the scheduler,
 * and released messages through the outbox to the platform.
 *
 * States of a shard: acquired → its journals become unknown outcomes, the heads of its flows are read → its numbers are open in the
 * scheduler → released or lost → its numbers are closed, attempts in flight end by themselves.
 */
export class Dispatcher implements QueueSink {
  readonly #deps: DispatcherDeps;
  readonly #scheduler: Scheduler;
  readonly #book: NumberBook;
  readonly #reader: QueueReader;
  readonly #recorder: ResultRecorder;
  readonly #outbox: Outbox;
  readonly #rounds: Rounds;
  readonly #unknown: UnknownOutcomes;
  readonly #leases: Leases;
  readonly #queues: ShardQueues;
  readonly #chores: Chores;
  readonly #abandonCancelled: () => Promise<void>;
  readonly #abandonReleased: () => Promise<void>;
  readonly #bodies = new BodyCache(BODY_CHARACTERS_MAX);
  #nodeCount = 1;
  #stopping = false;

  constructor(deps: DispatcherDeps) {
    this.#deps = deps;
    const { db, clock, log, nodeId, accounts, settings, inFlightMax } = deps;
    this.#chores = new Chores({ clock, log });
    this.#scheduler = new Scheduler({ pairBurst: PAIR_BURST, inFlightMax });
    const scheduler = this.#scheduler;
    const metrics = createDispatchMetrics(deps.metrics, () => this.totals());
    const kick = () => this.#rounds.kick();
    this.#book = new NumberBook({ db, clock, scheduler, numbers: accounts, settings });
    const catchUp = () => this.#queues.catchUp();
    this.#reader = new QueueReader({ db, clock, log, scheduler, catchUp, changed: kick });
    this.#recorder = new ResultRecorder({ ...deps, onEarlyStatuses: deps.applyEarlyStatuses });
    this.#leases = new Leases({
      db,
      clock,
      log,
      nodeId,
      servesApi: deps.servesApi,
      work: deps.dispatches ? 'dispatch' : 'none',
      firstShard: 0,
      shardCount: SHARD_COUNT,
      alone: deps.alone,
      listener: {
        acquired: (shards) => {
          metrics.leaseChanges.acquired.inc(shards.length);
          return this.#queues.takeOver(shards);
        },
        release: (shards) => {
          metrics.leaseChanges.released.inc(shards.length);
          return this.#giveBack(shards);
        },
        lost: (shards) => {
          metrics.leaseChanges.lost.inc(shards.length);
          this.#queues.close(shards);
        },
        isBusy: (shard) => this.#outbox.isBusy(shard),
        renewed: (nodes) => {
          this.#nodeCount = nodes;
          this.#rounds.kick();
        },
      },
    });
    const canBeTold = deps.servesApi ? async () => true : () => isApiServed(db);
    const gaps = new StatusGaps({ clock, log, canBeTold });
    this.#unknown = new UnknownOutcomes({
      ...deps,
      scheduler,
      recorder: this.#recorder,
      book: this.#book,
      isInFlight: (seq) => this.#outbox.isInFlight(seq),
      gaps,
      changed: kick,
    });
    this.#queues = new ShardQueues({
      ...deps,
      metrics,
      scheduler,
      book: this.#book,
      unknown: this.#unknown,
      ownJournals: () => this.#outbox.ownJournals(),
      changed: kick,
    });
    this.#outbox = new Outbox({
      ...deps,
      metrics,
      scheduler,
      recorder: this.#recorder,
      book: this.#book,
      throttles: new ThrottleNews({ ...deps, book: this.#book }),
      bodies: this.#bodies,
      leases: this.#leases,
      unknown: this.#unknown,
      gaps,
      changed: kick,
    });
    this.#rounds = new Rounds({
      ...{ clock, scheduler, inFlightMax, reader: this.#reader },
      ...{ outbox: this.#outbox, unknown: this.#unknown, leases: this.#leases },
    });
    this.#abandonCancelled = shareRuns(() => abandonCancelled({ db, clock, outbox: this.#outbox }, this.#numberIds()));
    this.#abandonReleased = shareRuns(() => abandonReleased({ db, outbox: this.#outbox }, this.#releasedIds()));
  }

  /** Takes over the free shards and starts dispatching. */
  async start(): Promise<void> {
    await this.#leases.start();
    this.#chores.every(this.#deps.alone ? DISCOVERY_MS.alone : DISCOVERY_MS.shared, () => this.#queues.discover());
    this.#chores.every(FORMER_LOOK_MS, async () => {
      if (await this.#book.releaseBehindFormer()) this.#rounds.kick();
    });
    this.#chores.every(TIDY_MS, this.#abandonCancelled);
    this.#chores.every(TIDY_MS, this.#abandonReleased);
    this.#chores.every(TIDY_MS, () => abandonExpired({ ...this.#deps, outbox: this.#outbox }, this.#numberIds()));
    this.#chores.every(TIDY_MS, () => savePairDebts({ ...this.#deps, scheduler: this.#scheduler }, this.#numberIds()));
    this.#rounds.kick();
  }

  /**
   * Stops taking work. Gives each shard back once its messages in flight have ended and their results are written. After `graceMs` the
   * remaining shards are given back at once; their messages in flight are in the journal.
   */
  async stop(graceMs: number): Promise<void> {
    const { clock, log } = this.#deps;
    this.#stopping = true;
    void this.#chores.stop();
    this.#rounds.stop();
    this.#queues.stop();
    const endsMs = clock.monotonicMs() + graceMs;
    await savePairDebts({ ...this.#deps, scheduler: this.#scheduler }, this.#numberIds()).catch((error) =>
      log.warn({ err: error }, 'pair limits not saved; the next owner may grant bursts again'),
    );
    await waitAtMost(clock, endsMs - clock.monotonicMs(), this.#leave());
    this.#unknown.stop();
    await this.#leases.stop();
  }

  beginOffer(): number {
    return this.#queues.beginOffer();
  }

  endOffer(token: number, rows: QueuedRow[]): void {
    const nowMs = this.#deps.clock.monotonicMs();
    for (const row of rows)
      if (this.#leases.epochOf(shardOf(row.numberId)) !== undefined) this.#bodies.put(nowMs, row.messageId, row.body);
    this.#queues.endOffer(token, rows);
    if (rows.length > 0) this.#rounds.kick();
  }

  doubt(token: number): void {
    this.#queues.doubt(token);
  }

  /** Handles a broken database connection: the database may have crashed, or a different one may answer from now on. */
  connectionBroke(): void {
    this.#queues.connectionBroke();
  }

  /**
   * Counts messages of a number that Fairway did not send against its throughput. Returns false if this node does not work on the number.
   */
  countInbound(numberId: number, count: number): boolean {
    return this.#book.chargeInbound(numberId, count);
  }

  /** Returns true if this node owns the number's queue; the queue may still be being read. */
  hasQueueOf(numberId: number): boolean {
    return this.#leases.epochOf(shardOf(numberId)) !== undefined;
  }

  /**
   * Applies a change of the number with this id (pace, pause, parking or release), or of the weight of the organization with this id.
   * Resolves when it is in force here.
   */
  numbersChanged(id: string): Promise<void> {
    return this.#refresh((number) => number.phoneNumberId === id || number.organizationId === id);
  }

  /** Ends cancelled messages that wait here, in the background. */
  messagesCancelled(): void {
    this.#abandonCancelled().catch((error) =>
      this.#deps.log.warn({ err: error }, 'cancelled messages not ended yet; the next run retries'),
    );
  }

  /** Applies changes of any number and any organization's weight. Resolves when the current state is in force here. */
  readonly allNumbersChanged = shareRuns(() => this.#refresh());

  #refresh(concerns?: (number: SendingNumber) => boolean): Promise<void> {
    return this.#book.refresh(concerns).then(() => {
      this.#rounds.kick();
      // Runs in the background, because there may be a million messages to end.
      if (this.#releasedIds().length > 0)
        this.#abandonReleased().catch((error) =>
          this.#deps.log.warn({ err: error }, 'messages of disconnected numbers not ended yet; the next run retries'),
        );
    });
  }

  /** Returns the reasons why messages of a number wait, or those to one contact; null if this node does not work on the number. */
  explain(numberId: number, contact?: string) {
    return this.#scheduler.explain(this.#deps.clock.monotonicMs(), numberId, contact);
  }

  /** Returns the messages per second that a number may send now; undefined if this node does not work on it. */
  paceOf(numberId: number): number | undefined {
    return this.#book.paceOf(numberId);
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

  /** Gives the shards back. If the database cannot take them now, messages in flight still end and their results are still written. */
  async #leave(): Promise<void> {
    await this.#leases.leave();
    await this.#outbox.drained(new Set(Array(SHARD_COUNT).keys()));
    await this.#recorder.drain();
  }

  /**
   * Ends the work on shards that another node gets. Messages in flight get a short time: one request without an answer must not keep its
   * whole shard waiting. A stopping node uses its own limit for the whole stop instead, because no process would hear later answers.
   */
  async #giveBack(shards: number[]): Promise<void> {
    this.#queues.close(shards);
    const drained = this.#outbox.drained(new Set(shards));
    if (this.#stopping) await drained;
    else await waitAtMost(this.#deps.clock, HANDOVER_MS, drained);
    // The next owner treats every message still in the journal as an unknown outcome.
    await this.#recorder.drain();
  }

  #numberIds(): number[] {
    return this.#book.list().map((number) => number.numberId);
  }

  #releasedIds(): number[] {
    return this.#book.list().flatMap((number) => (number.released ? [number.numberId] : []));
  }
}
