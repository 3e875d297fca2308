import type { Logger } from 'pino';
import type { Accounts, SendingNumber } from '../accounts/index.ts';
import { Chores } from '../core/run/chores.ts';
import { shareRuns } from '../core/run/share-runs.ts';
import { waitAtMost } from '../core/run/waiting.ts';
import { Wakeup } from '../core/run/wakeup.ts';
import type { Clock } from '../core/time/clock.ts';
import type { Changes } from '../database/changes/change-feed.ts';
import type { Database } from '../database/database.ts';
import { type Heartbeat, isApiServed, Leases, SHARD_COUNT, shardOf } from '../leases/index.ts';
import type { OrganizationSettings } from '../organizations/index.ts';
import type { KeyMerge } from '../people/index.ts';
import type { Metrics, Tracing } from '../telemetry/index.ts';
import type { Templates } from '../templates/index.ts';
import type { Upstream } from '../upstream/index.ts';
import { describeNext } from './inspect/describe-next.ts';
import { NumberBook } from './numbers/number-book.ts';
import { PairDebts } from './numbers/pair-debts.ts';
import { ThrottleBroadcast } from './numbers/throttle-broadcast.ts';
import { createDispatchMetrics, type DispatchTotals, publishTotals } from './outcomes/dispatch-metrics.ts';
import type { SettledMessage } from './outcomes/dispatch-outcome.ts';
import { ResultRecorder } from './outcomes/result-recorder.ts';
import type { ReportedNext } from './queue/next-queries.ts';
import { ROUND_MS, Rounds } from './rounds.ts';
import { Scheduler } from './scheduler/index.ts';
import { abandonCancelled, abandonExpired, abandonReleased } from './sending/abandon-waiting.ts';
import type { AcceptanceJournal } from './sending/acceptance-journal-queries.ts';
import { Bodies } from './sending/bodies.ts';
import { createSending } from './sending/create-sending.ts';
import type { RecipientNames } from './sending/settle.ts';
import { AcceptanceClaims, acceptedJournal } from './shards/acceptance-claims.ts';
import { QueueReader } from './shards/queue-reader.ts';
import type { QueuedRow, QueueSink, UnstoredRow } from './shards/queue-sink.ts';
import { ShardHandover } from './shards/shard-handover.ts';
import { ShardQueues } from './shards/shard-queues.ts';
import { InFlight } from './unknown-outcomes/in-flight.ts';
import { StatusGaps } from './unknown-outcomes/status-gaps.ts';
import { UnknownOutcomes } from './unknown-outcomes/unknown-outcomes.ts';

export interface DispatcherDeps {
  db: Database;
  /** Leads past a pooler, for the leases. */
  directDb: Database;
  clock: Clock;
  log: Logger;
  random: () => number;
  nodeId: string;
  /** True if this is the only process on its database. */
  alone: boolean;
  heartbeat: Heartbeat;
  /** True if this node works on queues. If not, it only reports that it is alive, so that other nodes look for the rows it accepts. */
  dispatches: boolean;
  /** True if this node serves the API, including the platform's webhooks. */
  servesApi: boolean;
  metrics: Metrics;
  tracing: Tracing;
  changes: Changes;
  accounts: Accounts;
  settings: OrganizationSettings;
  templates: Pick<Templates, 'findStored'>;
  upstream: Upstream;
  /** Limit of messages in flight at the same time; more than the connections to the platform would only wait for one. */
  inFlightMax: number;
  /** Returns true if a caller waits for the end of this message. */
  isAwaited: (messageId: string) => boolean;
  /** Called for every message whose end this node recorded, after the commit. */
  onSettled: (message: SettledMessage) => void;
  /** Takes in several names of one recipient, from the platform's answer to a send; never fails. */
  learnNames: (names: RecipientNames) => void;
  /** Applies statuses that arrived before their wamid was recorded, by the digests of their wamids. */
  applyEarlyStatuses: (wamidDigests: string[]) => void;
}

/** One less than the platform's 45: messages sent in time may arrive closer together. */
const PAIR_BURST = 44;
/** `alone` while every row is handed over as it is stored; `doubtful` after a commit in doubt. */
const DISCOVERY_MS = { alone: 5_000, doubtful: 1_000, shared: 40 };
const TIDY_MS = 5_000;
/** Short, because a tenant waits for a reconnected number to send. */
const FORMER_LOOK_MS = 250;
const FORMER_IDLE_MS = 1_000;

/**
 * Works on the queues of the shards that this process owns. Rows handed over at acceptance and rows of the table go through the scheduler,
 * and released messages through the journal and the sender to the platform.
 *
 * States of a shard: acquired → its journals become unknown outcomes, the heads of its flows are read → its numbers are open in the
 * scheduler → released or lost → its numbers are closed, attempts in flight end by themselves.
 */
export class Dispatcher implements QueueSink {
  readonly #deps: DispatcherDeps;
  readonly #chores: Chores;
  readonly #wakeup = new Wakeup(() => this.#rounds.start());
  readonly #inFlight = new InFlight();
  readonly #bodies = new Bodies();
  readonly #scheduler: Scheduler;
  readonly #book: NumberBook;
  readonly #recorder: ResultRecorder;
  readonly #unknown: UnknownOutcomes;
  readonly #queues: ShardQueues;
  readonly #handover: ShardHandover;
  readonly #leases: Leases;
  readonly #claims: AcceptanceClaims;
  readonly #rounds: Rounds;
  readonly #pairDebts: PairDebts;
  readonly #abandonCancelled: () => Promise<void>;
  readonly #abandonReleased: () => Promise<void>;
  readonly #abandonExpired: () => Promise<void>;

  /** Builds the parts in the order in which they depend on each other. `#wakeup` alone calls back, from any part to the last one. */
  constructor(deps: DispatcherDeps) {
    this.#deps = deps;
    const { db, clock, log, accounts, inFlightMax, servesApi } = deps;
    this.#chores = new Chores({ clock, log });
    this.#scheduler = new Scheduler({ pairBurst: PAIR_BURST, inFlightMax });
    const parts = {
      ...deps,
      wakeup: this.#wakeup,
      inFlight: this.#inFlight,
      bodies: this.#bodies,
      scheduler: this.#scheduler,
      metrics: createDispatchMetrics(deps.metrics),
      gaps: new StatusGaps({ clock, log, hasReceiver: servesApi ? async () => true : () => isApiServed(db) }),
    };
    const book = new NumberBook({ ...parts, numbers: accounts });
    const recorder = new ResultRecorder({
      ...deps,
      isAwaited: ({ messageId, seq }) => deps.isAwaited(messageId) || this.#scheduler.hasNext(seq),
      onEarlyStatuses: deps.applyEarlyStatuses,
    });
    const unknown = new UnknownOutcomes({ ...parts, recorder, book });
    const queues = new ShardQueues({ ...parts, book, unknown });
    const reader = new QueueReader({ ...parts, queues });
    const handover = new ShardHandover({ ...parts, queues, recorder });
    const leases = new Leases({
      ...deps,
      db: deps.directDb,
      work: deps.dispatches ? 'dispatch' : 'none',
      firstShard: 0,
      shardCount: SHARD_COUNT,
      listener: handover,
    });
    const throttles = new ThrottleBroadcast({ ...deps, book });
    const { journal, abandoner } = createSending({ ...parts, book, recorder, unknown, leases, throttles });
    this.#claims = new AcceptanceClaims({ ...parts, leases, queues });
    this.#rounds = new Rounds({ ...parts, leases, reader, unknown, journal });
    this.#pairDebts = new PairDebts(parts);
    this.#book = book;
    this.#recorder = recorder;
    this.#unknown = unknown;
    this.#queues = queues;
    this.#handover = handover;
    this.#leases = leases;
    this.#abandonCancelled = shareRuns(() => abandonCancelled({ db, clock, abandoner }, this.#numberIds()));
    this.#abandonReleased = shareRuns(() => abandonReleased({ db, abandoner }, this.#releasedIds()));
    this.#abandonExpired = () => abandonExpired({ db, clock, abandoner }, this.#numberIds());
    publishTotals(deps.metrics, () => this.totals());
    book.series.publish(deps.metrics, () => book.readings());
  }

  /** Takes over the free shards and starts dispatching. */
  async start(): Promise<void> {
    await this.#leases.start();
    const discoveryMs = () => {
      if (!this.#deps.alone) return DISCOVERY_MS.shared;
      return this.#queues.findsOwn ? DISCOVERY_MS.doubtful : DISCOVERY_MS.alone;
    };
    this.#chores.every(discoveryMs, () => this.#queues.discover());
    const formerMs = () => (this.#book.isAnyBehindFormer ? FORMER_LOOK_MS : FORMER_IDLE_MS);
    this.#chores.every(formerMs, async () => {
      if (await this.#book.releaseBehindFormer()) this.#wakeup.wake();
    });
    const unlessEmpty = (work: () => Promise<void>) => async () => {
      const { messages, numbersUnread } = this.#scheduler.totals();
      if (messages + numbersUnread > 0) await work();
    };
    this.#chores.every(TIDY_MS, unlessEmpty(this.#abandonCancelled));
    this.#chores.every(TIDY_MS, this.#abandonReleased);
    this.#chores.every(TIDY_MS, unlessEmpty(this.#abandonExpired));
    this.#chores.every(TIDY_MS, () => this.#pairDebts.save(this.#numberIds()));
    this.#wakeup.wake();
  }

  /**
   * Stops taking work. Gives each shard back once its messages in flight have ended and their results are written. After `graceMs` the
   * remaining shards are given back at once; their messages in flight are in the journal.
   */
  async stop(graceMs: number): Promise<void> {
    const { clock, log } = this.#deps;
    this.#handover.stop();
    void this.#chores.stop();
    this.#wakeup.stop();
    this.#rounds.stop();
    this.#queues.stop();
    const endsMs = clock.monotonicMs() + graceMs;
    await this.#pairDebts
      .save(this.#numberIds())
      .catch((error) => log.warn({ err: error }, 'pair limits not saved; the next owner may grant bursts again'));
    await waitAtMost(clock, endsMs - clock.monotonicMs(), this.#leave());
    this.#unknown.stop();
    await this.#leases.stop();
  }

  beginOffer(): number {
    return this.#queues.beginOffer();
  }

  claim(rows: readonly UnstoredRow[]): AcceptanceJournal | undefined {
    return this.#rounds.isStopped ? undefined : this.#claims.claim(rows);
  }

  endOffer(token: number, rows: QueuedRow[], claimed?: AcceptanceJournal): void {
    const nowMs = this.#deps.clock.monotonicMs();
    for (const row of rows)
      if (this.#leases.epochOf(shardOf(row.numberId)) !== undefined) this.#bodies.put(nowMs, row.messageId, row.body);
    this.#queues.endOffer(token, rows);
    if (claimed !== undefined) this.#rounds.noteAccepted(acceptedJournal(claimed, rows));
    if (rows.length > 0 || claimed !== undefined) this.#wakeup.wake();
  }

  doubt(token: number): void {
    this.#queues.doubt(token);
  }

  /** Handles a broken database connection: the database may have crashed, or a different one may answer from now on. */
  connectionBroke(): void {
    this.#queues.connectionBroke();
    this.#recorder.connectionBroke();
  }

  /** Records the last ends of messages again, because a failover may have lost them. */
  async failedOver(): Promise<void> {
    await this.#recorder.recordAgain();
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

  /** Applies a merge of two people's keys, a `KeyMerge` as JSON: the platform counts the messages of both as one pair's. */
  peopleMerged(json: string): void {
    const merge = JSON.parse(json) as KeyMerge;
    const nowMs = this.#deps.clock.monotonicMs();
    for (const { numberId } of this.#book.listAccount(merge)) this.#scheduler.mergePairs(nowMs, numberId, merge);
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
      this.#wakeup.wake();
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

  /** Returns the messages per second that a number has sent in the last seconds; undefined if this node does not work on it. */
  usedPaceOf(numberId: number): number | undefined {
    return this.#book.usedPaceOf(numberId);
  }

  /** Returns the numbers of this node that have sent in the last seconds. */
  listActive() {
    return this.#book.listActive();
  }

  /** Returns up to `max` messages that go next from this node, and as many that are kept back. Changes nothing. */
  listNext(max: number): Promise<ReportedNext> {
    const { db, clock } = this.#deps;
    const nowMs = clock.monotonicMs();
    const next = this.#scheduler.listNext(nowMs, { max, roundMs: ROUND_MS });
    return describeNext(db, next, (numberId) => this.#book.find(numberId)?.phoneNumberId, clock.now() - nowMs);
  }

  /** True if no other node was alive at the last renewal of the leases. */
  get isAlone(): boolean {
    return this.#handover.nodeCount === 1;
  }

  totals(): DispatchTotals {
    const numbers = this.#book.list();
    return {
      ...this.#scheduler.totals(),
      nodes: this.#handover.nodeCount,
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
    await this.#inFlight.emptied(new Set(Array(SHARD_COUNT).keys()));
    await this.#recorder.drain();
  }

  #numberIds(): number[] {
    return this.#book.list().map((number) => number.numberId);
  }

  #releasedIds(): number[] {
    return this.#book.list().flatMap((number) => (number.released ? [number.numberId] : []));
  }
}
