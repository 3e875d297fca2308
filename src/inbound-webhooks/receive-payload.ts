import type { Logger } from 'pino';
import { sha256Hex } from '../core/digest.ts';
import { unavailable } from '../core/errors.ts';
import type { Clock } from '../core/time/clock.ts';
import { MicroBatcher } from '../database/batching/micro-batcher.ts';
import type { ChangeFeed } from '../database/changes/change-feed.ts';
import type { Database, Queryable } from '../database/database.ts';
import type { Metrics } from '../telemetry/index.ts';
import {
  type ApplyDeps,
  applyPayloads,
  countInbound,
  listUnowned,
  type ResolvedPayloads,
  resolvePayloads,
} from './apply/apply-payload.ts';
import { createIntakeMetrics, type IntakeMetrics } from './intake-metrics.ts';
import { MissedPayloads } from './journal/missed-payloads.ts';
import { PendingPayloads } from './journal/pending-payloads.ts';
import { failureOf, tryReadPayload, type UpstreamPayload } from './payload/upstream-payload.ts';
import { type JournalItem, journalPayloads } from './queries.ts';

export interface ReceiveDeps extends ApplyDeps {
  /** Returns those of the wamids whose messages were sent to people who are erased. */
  listErased: (wamids: readonly string[]) => Promise<ReadonlySet<string>>;
  changes: Pick<ChangeFeed, 'catchUp'>;
  db: Database;
  clock: Clock;
  log: Logger;
  metrics: Metrics;
}

/**
 * Time in ms that a batch waits for more payloads. A transaction of few costs hardly less than one of many, and a delay of ten
 * milliseconds does no harm.
 */
const SPACING_MS = 10;
const ENOUGH = 16;
const NOBODY = { numbers: [], userIds: [], parentUserIds: [] };
/** Stored in place of a payload whose contents must not be kept; a replay finds nothing in it. */
const BLANK_PAYLOAD = Buffer.from('{"object":"whatsapp_business_account","entry":[]}');

interface Received extends Omit<JournalItem, 'failure'> {
  parsed: UpstreamPayload | undefined;
  unreadable: readonly string[];
}

/**
 * Takes in signed payloads. `submit` resolves once the payload is durable; a repeated payload, byte for byte, changes nothing. Payloads
 * that arrive together are journaled and applied in one transaction. If anything in a batch cannot be applied, the whole batch is
 * journaled as pending and applied from there. So a bad item blocks only itself.
 */
export class PayloadReceiver {
  readonly #deps: ReceiveDeps;
  readonly #batches: MicroBatcher<Received, undefined>;
  readonly #pending: PendingPayloads;
  readonly #missed: MissedPayloads;
  readonly #metrics: IntakeMetrics;

  constructor(deps: ReceiveDeps) {
    this.#deps = deps;
    this.#metrics = createIntakeMetrics(deps.metrics);
    deps.metrics.gauge('webhook_intake_pending', 'Payloads received and not yet durable.', () => this.#batches.pending);
    this.#pending = new PendingPayloads(deps);
    this.#missed = new MissedPayloads(deps);
    this.#batches = new MicroBatcher({
      flush: (received) => this.#take(received),
      itemsMax: 200,
      // One batch is read and journaled while the other commits; more lanes would wait for their organization's counters.
      lanes: 2,
      enough: ENOUGH,
      spacing: { ms: SPACING_MS, clock: deps.clock },
      bound: {
        pendingMax: 10_000,
        overflow: () => unavailable('Too many webhooks are waiting.'),
      },
    });
  }

  /** Makes one payload durable. */
  submit(body: Buffer): Promise<undefined> {
    const receivedAtMs = this.#deps.clock.now();
    const read = tryReadPayload(body, receivedAtMs);
    return this.#batches.submit({
      payload: body,
      digest: sha256Hex(body).slice(0, 32),
      receivedAtMs,
      isReadable: read.parsed !== undefined,
      ...read,
    });
  }

  /** Counts a refused payload, which none of the app's secrets has signed. */
  refused(): void {
    this.#metrics.refused();
    this.#deps.log.warn('webhook refused: no secret of its app has signed it');
  }

  /** Applies payloads again that named a business account before its owner was known: see `MissedPayloads.applySoon`. */
  applyMissed(...missed: Parameters<MissedPayloads['applySoon']>): void {
    this.#missed.applySoon(...missed);
  }

  /** Starts to apply pending payloads, also those of a process that died. */
  start(): void {
    this.#pending.start();
  }

  async stop(): Promise<void> {
    await this.#batches.idle();
    await Promise.all([this.#pending.stop(), this.#missed.stop()]);
  }

  async #take(submitted: Received[]): Promise<undefined[]> {
    const { db, clock, log } = this.#deps;
    const nowMs = clock.now();
    const startedAtMs = performance.now();
    const arrived = distinct(submitted);
    try {
      const received = await this.#withoutErased(arrived);
      const resolved = await resolvePayloads(
        this.#deps,
        received.flatMap((item) => item.parsed ?? []),
      );
      const receivers = await db.transaction(async (tx) => {
        const fresh = await this.#journal(tx, received, resolved);
        const payloads = fresh.flatMap((item) => item.parsed ?? []);
        return applyPayloads(tx, this.#deps, { ...resolved, payloads }, nowMs);
      });
      countInbound(this.#deps, receivers);
      // Before the upstream gets its 200, this node must know the change: a template with a confirmed pause is not sent any more.
      if (received.some((item) => item.parsed?.changes.length)) await this.#deps.changes.catchUp();
      this.#metrics.applied(received, nowMs);
    } catch (error) {
      // With their contents, which are still to be applied. If the database is unreachable, this fails as well: the upstream then gets an
      // error and repeats the payloads.
      await db.transaction((tx) => this.#journal(tx, arrived, undefined));
      log.warn(
        { err: error, payloads: arrived.length },
        'webhook batch could not be applied; it is journaled as pending',
      );
      this.#metrics.deferred(arrived.length);
    }
    this.#metrics.took((performance.now() - startedAtMs) / 1000, submitted.length);
    return submitted.map(() => undefined);
  }

  /**
   * Returns the payloads without the names of erased people: those with a status of an erased person's message are stored without their
   * contents, and the status names nobody. Without this, each late status would bring the names back.
   */
  async #withoutErased(received: Received[]): Promise<Received[]> {
    const wamids = received.flatMap(({ parsed }) => parsed?.statuses.map(({ wamid }) => wamid) ?? []);
    const erased = await this.#deps.listErased([...new Set(wamids)]);
    if (erased.size === 0) return received;
    return received.map((item) => {
      if (item.parsed?.statuses.some(({ wamid }) => erased.has(wamid)) !== true) return item;
      const statuses = item.parsed.statuses.map((one) => (erased.has(one.wamid) ? { ...one, person: NOBODY } : one));
      return { ...item, payload: BLANK_PAYLOAD, parsed: { ...item.parsed, statuses } };
    });
  }

  /** Stores the payloads that have not arrived before, and returns them. Without `resolved`, they wait to be applied. */
  async #journal(
    tx: Queryable,
    received: readonly Received[],
    resolved: ResolvedPayloads | undefined,
  ): Promise<readonly Received[]> {
    const items = received.map((item) => {
      const { parsed, unreadable } = item;
      const unowned = parsed === undefined || resolved === undefined ? [] : listUnowned(parsed, resolved);
      return { ...item, failure: failureOf([...unreadable, ...unowned]) };
    });
    const known = await journalPayloads(tx, items, resolved === undefined);
    return known.size === 0 ? received : received.filter((item) => !known.has(item.digest));
  }
}

function distinct(received: Received[]): Received[] {
  return [...new Map(received.map((item) => [item.digest, item])).values()];
}
