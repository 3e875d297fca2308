import type { Logger } from 'pino';
import { Alarm } from '../../core/run/alarm.ts';
import { waitAtMost } from '../../core/run/waiting.ts';
import { Wakeup } from '../../core/run/wakeup.ts';
import type { Clock } from '../../core/time/clock.ts';
import { writeUntilDone } from '../../database/connection/write-until-done.ts';
import type { Database } from '../../database/database.ts';
import type { Egress, WebhookOutcome } from '../../egress/index.ts';
import type { Metrics } from '../../telemetry/index.ts';
import { judgeAttempt, recordOf, showsLife, type Verdict } from '../attempt/attempt-verdict.ts';
import { hasFailedTooLong } from '../attempt/circuit-breaker.ts';
import { buildWebhookRequest, type Signer } from '../attempt/webhook-request.ts';
import { EndpointQueue } from '../buffer/endpoint-queue.ts';
import type { Entry } from '../buffer/entry.ts';
import { FlightBudget } from '../buffer/flight-budget.ts';
import { QueueReader } from '../buffer/queue-reader.ts';
import { Turns } from '../buffer/turns.ts';
import { WindowRoom } from '../buffer/window-room.ts';
import type { Endpoint } from '../endpoint.ts';
import { disableEndpoint } from '../endpoints/disable-endpoint.ts';
import type { EndpointVersion } from '../endpoints/endpoint-queries.ts';
import { pullRetriesForward, type QueueRow } from '../queue/queue-queries.ts';
import { AttemptRecorder } from './attempt-recorder.ts';
import { createDeliveryMetrics, type DeliveryMetrics } from './delivery-metrics.ts';

export interface DeliveryEngineDeps {
  db: Database;
  clock: Clock;
  log: Logger;
  random: () => number;
  egress: Pick<Egress, 'postWebhook'>;
  metrics: Metrics;
}

/** Longest time one attempt may take. */
const ATTEMPT_TIMEOUT_MS = 15_000;
const ANSWER_BYTES_MAX = 64 * 1024;
const RESULTS_WAITING_MAX = 4_096;
const TICK_MS = 50;
/** Longest time between two ticks while a queue sleeps: timers cannot wait for days. */
const TICK_MS_MAX = 60 * 60_000;
const LOOK_AGAIN_MS = 500;

/**
 * Delivers from the queues of this node's endpoints. Organizations take turns with one attempt each, and within each its endpoints do. So
 * none waits for another's backlog. `FlightBudget` bounds the attempts in flight, so that slow endpoints delay no others.
 */
export class DeliveryEngine {
  readonly #deps: DeliveryEngineDeps;
  readonly #recorder: AttemptRecorder;
  readonly #reader: QueueReader;
  readonly #metrics: DeliveryMetrics;
  readonly #queues = new Map<number, EndpointQueue>();
  /** Queues that may have a delivery to attempt, in turn. */
  readonly #runnable = new Turns<EndpointQueue>((queue) => queue.endpoint.organizationId);
  /** Queues that sleep, with the time when each wakes. */
  readonly #sleeping = new Map<EndpointQueue, number>();
  readonly #flights = new FlightBudget<EndpointQueue>();
  readonly #room = new WindowRoom();
  readonly #wakeup = new Wakeup(() => this.#pump());
  readonly #alarm: Alarm;
  #stopping = false;
  #idleListeners: (() => void)[] = [];

  constructor(deps: DeliveryEngineDeps) {
    this.#deps = deps;
    this.#alarm = new Alarm(deps.clock, { minMs: TICK_MS, maxMs: TICK_MS_MAX }, () => this.#tick());
    this.#recorder = new AttemptRecorder(deps);
    this.#metrics = createDeliveryMetrics(deps.metrics, () => ({
      endpoints: this.#queues.size,
      inFlight: this.#flights.count,
    }));
    this.#reader = new QueueReader({
      ...deps,
      expired: (rows) => this.#expire(rows),
      filled: (queue) => this.#touch(queue),
    });
  }

  /**
   * Starts no more attempts. Waits at most `graceMs` for attempts in flight to end, then at most `graceMs` for their results to be
   * written. A delivery whose result is not written is delivered once more.
   */
  async stop(graceMs: number): Promise<void> {
    this.#stopping = true;
    this.#wakeup.stop();
    this.#alarm.stop();
    this.#reader.stop();
    const landed = this.#idle(() => this.#flights.count === 0);
    await waitAtMost(this.#deps.clock, graceMs, landed);
    await waitAtMost(this.#deps.clock, graceMs, this.#recorder.drain());
  }

  /** Returns true if this engine works the endpoint's queue under these settings or later ones. */
  knows({ endpointNumber, updatedAtMs }: EndpointVersion): boolean {
    const queue = this.#queues.get(endpointNumber);
    return queue !== undefined && queue.endpoint.updatedAtMs >= updatedAtMs;
  }

  /** Starts to work an endpoint's queue, or applies its new settings. */
  put(endpoint: Endpoint, signer: Signer): void {
    let queue = this.#queues.get(endpoint.endpointNumber);
    if (queue === undefined) {
      queue = new EndpointQueue(endpoint, signer, this.#room.open(endpoint.organizationId), this.#deps.random);
      this.#queues.set(endpoint.endpointNumber, queue);
    } else if (endpoint.updatedAtMs >= queue.endpoint.updatedAtMs) {
      queue.change(endpoint, signer);
      // Health recorded under the earlier settings may have come too late to be written.
      if (queue.health.failuresInRow !== endpoint.failuresInRow) this.#noteHealth(queue);
    }
    this.#touch(queue);
  }

  /** Stops working queues; resolves when none of their attempts is in flight or unrecorded. */
  async remove(isMeant: (endpoint: Endpoint) => boolean): Promise<void> {
    const removed = [...this.#queues.values()].filter((queue) => isMeant(queue.endpoint));
    for (const queue of removed) {
      queue.close();
      this.#queues.delete(queue.endpoint.endpointNumber);
      this.#runnable.delete(queue);
      this.#sleeping.delete(queue);
    }
    await this.#idle(() => removed.every((queue) => queue.isIdle));
  }

  /** Takes deliveries that were just queued, in their order. */
  offer(entries: readonly Entry[]): void {
    for (const [endpointNumber, own] of Map.groupBy(entries, ({ row }) => row.endpointNumber)) {
      const queue = this.#queues.get(endpointNumber);
      if (queue === undefined) continue;
      queue.offer(own);
      this.#touch(queue);
    }
  }

  /** Makes queues look for deliveries that other nodes queued; all queues if no endpoint is named. */
  news(endpointNumbers?: Iterable<number>): void {
    this.#tell(endpointNumbers, (queue) => queue.news());
  }

  /** Makes queues read everything again, because other nodes changed it; all queues if no endpoint is named. */
  lookAnew(endpointNumbers?: Iterable<number>): void {
    this.#tell(endpointNumbers, (queue) => queue.unload());
  }

  #tell(endpointNumbers: Iterable<number> = this.#queues.keys(), tell: (queue: EndpointQueue) => void): void {
    for (const endpointNumber of endpointNumbers) {
      const queue = this.#queues.get(endpointNumber);
      if (queue === undefined) continue;
      tell(queue);
      this.#touch(queue);
    }
  }

  #works(queue: EndpointQueue): boolean {
    return this.#queues.get(queue.endpoint.endpointNumber) === queue;
  }

  #touch(queue: EndpointQueue): void {
    if (!this.#works(queue) || this.#stopping) return;
    this.#sleeping.delete(queue);
    this.#runnable.add(queue);
    this.#reader.check(queue);
    this.#wakeup.wake();
  }

  #pump(): void {
    const nowMs = this.#deps.clock.monotonicMs();
    const mayGo = () => !this.#stopping && !this.#flights.isFull && this.#recorder.pending < RESULTS_WAITING_MAX;
    while (mayGo() && this.#runnable.next((queue) => this.#attempt(queue, nowMs))) {
      // repeats until no queue has a delivery to attempt
    }
  }

  /** Starts the next attempt of a queue; a queue without one rests. */
  #attempt(queue: EndpointQueue, nowMs: number): boolean {
    const entry = queue.take(nowMs, this.#flights.maxOf(queue));
    if (entry === undefined) this.#rest(queue, nowMs);
    else void this.#deliver(queue, entry);
    return entry !== undefined;
  }

  #rest(queue: EndpointQueue, nowMs: number): void {
    const wakeAtMs = queue.wakeAtMs();
    if (wakeAtMs === undefined) return;
    // A queue that rests although its time has come waits for its own attempts, which wake it, or for budget that others free.
    const atMs = wakeAtMs > nowMs ? wakeAtMs : nowMs + LOOK_AGAIN_MS;
    this.#sleeping.set(queue, atMs);
    this.#alarm.by(atMs);
  }

  /** Wakes the queues whose time has come, and sets the next tick if anything waits for time to pass. */
  #tick(): void {
    const nowMs = this.#deps.clock.monotonicMs();
    for (const [queue, wakeAtMs] of this.#sleeping) if (wakeAtMs <= nowMs) this.#touch(queue);
    this.#flights.age(nowMs);
    if (!this.#runnable.isEmpty) this.#wakeup.wake();
    if (this.#flights.count > 0 || !this.#runnable.isEmpty) this.#alarm.by(nowMs);
    else for (const wakeAtMs of this.#sleeping.values()) this.#alarm.by(wakeAtMs);
  }

  async #deliver(queue: EndpointQueue, entry: Entry): Promise<void> {
    const { clock, egress, random, log } = this.#deps;
    const { endpoint } = queue;
    const request = buildWebhookRequest(endpoint, queue.signer, entry.event, clock.now());
    if (request === undefined) {
      await this.#drop(queue, entry);
      return;
    }
    this.#alarm.by(clock.monotonicMs());
    const flight = this.#flights.start(queue, clock.monotonicMs(), request.body.length);
    const options = {
      ...request,
      party: endpoint.id,
      timeoutMs: ATTEMPT_TIMEOUT_MS,
      responseBytesMax: ANSWER_BYTES_MAX,
    };
    const outcome = await egress.postWebhook(endpoint.url, options).catch((error: unknown): WebhookOutcome => {
      log.error(
        { err: error, webhookId: endpoint.id },
        'webhook attempt raised an internal error; it counts as a failed connection',
      );
      return { kind: 'failed', reason: 'connect', latencyMs: 0 };
    });
    this.#flights.end(flight, clock.monotonicMs());
    const judged = judgeAttempt(outcome, entry.row.attempts + 1, clock.now(), random());
    // A failure at an address that the endpoint has left says nothing about it. Neither does a 410 to an attempt from before its owner
    // changed it.
    const hasMoved = queue.endpoint.url !== endpoint.url;
    const isChanged = queue.endpoint.updatedAtMs > endpoint.updatedAtMs && queue.endpoint.disabled === null;
    const saysNothing = hasMoved || (isChanged && judged.kind === 'gone');
    const verdict: Verdict = saysNothing && judged.kind !== 'delivered' ? { kind: 'void' } : judged;
    this.#metrics.attempts[verdict.kind].inc();
    this.#metrics.attemptSeconds.observe(outcome.latencyMs / 1000);
    if (verdict.kind === 'delivered') {
      this.#metrics.lagSeconds.observe(Math.max(0, clock.now() - entry.event.occurredAtMs) / 1000);
    }
    await this.#conclude(queue, entry, verdict, outcome);
  }

  /** Lets the endpoint's next delivery go, and records the result of this attempt. */
  async #conclude(queue: EndpointQueue, entry: Entry, verdict: Verdict, outcome: WebhookOutcome): Promise<void> {
    const { clock } = this.#deps;
    const { endpoint } = queue;
    const [nowMs, wallMs] = [clock.monotonicMs(), clock.now()];
    const failedBefore = queue.health.failuresInRow;
    const { recovered } = queue.answered(verdict, nowMs, wallMs);
    this.#touch(queue);
    const attempt = recordOf(outcome, wallMs);
    const attempts = entry.row.attempts + 1;
    const waitMs = verdict.kind === 'retry' || verdict.kind === 'refused' ? verdict.afterMs : 0;
    if (verdict.kind !== 'void' && (!showsLife(verdict) || failedBefore > 0)) {
      this.#noteHealth(queue);
    }
    const isNews = isNewsToNext(entry.row, verdict);
    const isLeft = isNews && !this.#works(queue);
    if (verdict.kind === 'delivered' || verdict.kind === 'exhausted') {
      const delivered = verdict.kind === 'delivered';
      await this.#recorder.settle({ row: entry.row, delivered, attempts, attempt }, isLeft);
      this.#recorded(queue, entry, verdict, nowMs);
    } else if (verdict.kind !== 'void') {
      const isRefused = verdict.kind === 'refused';
      const postponement = { row: entry.row, attempts, attempt, dueAtMs: wallMs + waitMs, isRefused };
      const isGone = await this.#recorder.postpone(postponement, isLeft);
      this.#recorded(queue, entry, isGone ? { kind: 'exhausted', isRefused } : verdict, nowMs + waitMs);
    } else this.#recorded(queue, entry, verdict, nowMs);
    if (isNews && !isLeft && !this.#works(queue)) void this.#recorder.leave(endpoint.endpointNumber);
    if (recovered) await this.#resume(queue);
    if (verdict.kind === 'gone') await this.#disable(queue, endpoint, 'gone');
    else if (hasFailedTooLong(queue.health, wallMs)) await this.#disable(queue, endpoint, 'failing');
  }

  #noteHealth({ endpoint: { organizationId, id, updatedAtMs }, health }: EndpointQueue): void {
    void this.#recorder.noteHealth({ organizationId, id, updatedAtMs, ...health });
  }

  /** Makes retries due at once after an endpoint has recovered, so that they do not wait for their scheduled times. */
  async #resume(queue: EndpointQueue): Promise<void> {
    const { db, clock, log } = this.#deps;
    try {
      await pullRetriesForward(db, queue.endpoint, clock.now());
      queue.news();
      this.#touch(queue);
    } catch (error) {
      log.warn(
        { err: error, webhookId: queue.endpoint.id },
        'webhook retries could not be brought forward; they keep their scheduled times',
      );
    }
  }

  async #disable(queue: EndpointQueue, endpoint: Endpoint, reason: 'gone' | 'failing'): Promise<void> {
    const { organizationId, id } = endpoint;
    const disable = () => disableEndpoint(this.#deps, endpoint, reason);
    const disabled = await writeUntilDone(this.#deps, 'end of a webhook endpoint', disable);
    if (disabled === undefined) return;
    this.put(disabled, queue.signer);
    this.#deps.log.warn({ organizationId, webhookId: id, reason }, 'webhook endpoint disabled');
  }

  /** Ends a delivery without an attempt: its subject no longer exists, or the event has no form in the endpoint's current format. */
  async #drop(queue: EndpointQueue, entry: Entry): Promise<void> {
    queue.answered({ kind: 'void' }, this.#deps.clock.monotonicMs(), this.#deps.clock.now());
    await this.#expire([entry.row]);
    this.#recorded(queue, entry, { kind: 'exhausted', isRefused: false }, 0);
  }

  #recorded(queue: EndpointQueue, entry: Entry, verdict: Verdict, dueMs: number): void {
    queue.recorded(entry, verdict, dueMs);
    this.#touch(queue);
    for (const listener of this.#idleListeners.splice(0)) listener();
  }

  async #expire(rows: QueueRow[]): Promise<void> {
    const atMs = this.#deps.clock.now();
    const attempt = { atMs, httpStatus: null, failure: 'expired', latencyMs: 0, answer: null };
    await Promise.all(
      rows.map((row) => this.#recorder.settle({ row, delivered: false, attempts: row.attempts, attempt }, false)),
    );
    for (const row of rows) {
      const queue = this.#queues.get(row.endpointNumber);
      if (queue === undefined || row.dueAtMs === null) continue;
      queue.expired(row);
      this.#touch(queue);
    }
  }

  async #idle(isIdle: () => boolean): Promise<void> {
    while (!isIdle()) await new Promise<void>((resolve) => this.#idleListeners.push(resolve));
  }
}

/**
 * Returns true if another node that now works the queue must be notified, because it may have read the row in its earlier state. Without
 * this, it misses a retry that it does not know of, and the rows behind a delivery that has ended.
 */
function isNewsToNext({ conversation }: QueueRow, verdict: Verdict): boolean {
  const isPutOff = verdict.kind === 'retry' || verdict.kind === 'refused' || verdict.kind === 'gone';
  return isPutOff || (conversation !== null && verdict.kind !== 'void');
}
