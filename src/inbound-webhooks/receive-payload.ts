import type { Logger } from 'pino';
import type { Clock } from '../core/clock.ts';
import { AppError } from '../core/errors.ts';
import { type Database, isPassing, sqlStateOf } from '../database/database.ts';
import { MicroBatcher } from '../database/micro-batcher.ts';
import { type ApplyDeps, applyPayloads, resolvePayloads } from './apply-payload.ts';
import { finishPending, type JournalItem, journalPayloads, takePending } from './queries.ts';
import { readUpstreamPayload, type UpstreamPayload } from './upstream-payload.ts';

export interface ReceiveDeps extends ApplyDeps {
  db: Database;
  clock: Clock;
  log: Logger;
}

const PENDING_POLL_MS = 1_000;
const PENDING_BATCH = 50;

interface Received extends JournalItem {
  parsed: UpstreamPayload | undefined;
}

/**
 * Takes in signed payloads. `submit` resolves once the payload is durable. Payloads that arrive together are journaled and
 * applied in one transaction; when something in a set cannot be applied, the whole set is journaled as pending instead and
 * applied one payload at a time, so that a bad one stops nothing but itself.
 */
export class PayloadReceiver {
  readonly #deps: ReceiveDeps;
  readonly #batches: MicroBatcher<Buffer, undefined>;
  #cancelPoll: (() => void) | undefined;
  #working: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(deps: ReceiveDeps) {
    this.#deps = deps;
    this.#batches = new MicroBatcher({
      flush: (bodies) => this.#take(bodies),
      itemsMax: 200,
      lanes: 2,
      pendingMax: 10_000,
      overflow: () => new AppError('UNAVAILABLE', 'Too many webhooks are waiting.', { retryAfterSeconds: 1 }),
    });
  }

  /** Makes one payload durable. */
  submit(body: Buffer): Promise<undefined> {
    return this.#batches.submit(body);
  }

  /** Works off payloads left pending, by this process or one that died, from now on. */
  start(): void {
    if (this.#stopped) return;
    this.#cancelPoll = this.#deps.clock.schedule(PENDING_POLL_MS, () => {
      this.#working = this.#workOffPending().finally(() => this.start());
    });
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancelPoll?.();
    await this.#batches.idle();
    await this.#working;
  }

  async #take(bodies: Buffer[]): Promise<undefined[]> {
    const { db, clock, log } = this.#deps;
    const nowMs = clock.now();
    const received = bodies.map((payload) => read(payload, nowMs));
    const parsed = received.flatMap((item) => item.parsed ?? []);
    const results = bodies.map(() => undefined);
    try {
      const resolved = await resolvePayloads(this.#deps, parsed);
      await db.transaction(async (tx) => {
        await journalPayloads(tx, received, false);
        await applyPayloads(tx, this.#deps, resolved, nowMs);
      });
    } catch (error) {
      // If the database is gone, keeping them fails as well; then the upstream is told, and comes again.
      log.warn({ err: error, payloads: bodies.length }, 'webhook set not applied; kept for one by one');
      await journalPayloads(db, received, true);
    }
    return results;
  }

  async #workOffPending(): Promise<void> {
    const { db, log } = this.#deps;
    try {
      while (!this.#stopped && (await db.transaction((tx) => this.#applyOnePending(tx)))) {
        // Each turn is a transaction of its own: what was done stays done.
      }
    } catch (error) {
      log.warn({ err: error }, 'pending webhooks could not be worked off');
    }
  }

  async #applyOnePending(tx: Parameters<Parameters<Database['transaction']>[0]>[0]): Promise<boolean> {
    const rows = await takePending(tx, PENDING_BATCH);
    for (const row of rows) {
      const { parsed, failure } = read(row.payload, row.receivedAt.getTime());
      const trouble = failure ?? (parsed && (await this.#applyAlone(parsed, row.receivedAt.getTime())));
      await finishPending(tx, row, trouble);
    }
    return rows.length === PENDING_BATCH;
  }

  /** Applies a payload item by item, each in its own transaction; answers what could not be applied. */
  async #applyAlone(parsed: UpstreamPayload, nowMs: number): Promise<string | undefined> {
    const troubles: string[] = [];
    for (const item of singleItems(parsed)) {
      try {
        const resolved = await resolvePayloads(this.#deps, [item]);
        await this.#deps.db.transaction((tx) => applyPayloads(tx, this.#deps, resolved, nowMs));
      } catch (error) {
        if (sqlStateOf(error) !== undefined && isPassing(error)) throw error;
        this.#deps.log.error({ err: error }, 'webhook item not applied');
        troubles.push(error instanceof Error ? error.message : 'unknown');
      }
    }
    return troubles.length === 0 ? undefined : troubles.join('; ').slice(0, 1000);
  }
}

function read(payload: Buffer, receivedAtMs: number): Received {
  try {
    return { payload, receivedAtMs, failure: undefined, parsed: readUpstreamPayload(payload) };
  } catch (error) {
    return { payload, receivedAtMs, failure: error instanceof Error ? error.message : 'unreadable', parsed: undefined };
  }
}

function singleItems(payload: UpstreamPayload): UpstreamPayload[] {
  const empty: UpstreamPayload = { statuses: [], inbound: [], changes: [], unreadable: 0 };
  return [
    ...payload.statuses.map((status) => ({ ...empty, statuses: [status] })),
    ...payload.inbound.map((message) => ({ ...empty, inbound: [message] })),
    ...payload.changes.map((change) => ({ ...empty, changes: [change] })),
  ];
}
