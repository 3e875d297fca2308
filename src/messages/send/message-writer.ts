import { unavailable } from '../../core/errors.ts';
import type { Clock } from '../../core/time/clock.ts';
import { MicroBatcher } from '../../database/batching/micro-batcher.ts';
import type { Database, Queryable } from '../../database/database.ts';
import { leavesCommitInDoubt } from '../../database/failures.ts';
import type { QueuedRow, QueueSink } from '../../dispatch/index.ts';
import { lockUsage, type Plan } from '../../organizations/index.ts';
import { DURATION_BUCKETS, type Metrics } from '../../telemetry/index.ts';
import {
  type AcceptedMessage,
  type AcceptScope,
  findStored,
  insertAccepted,
  type QueuePlace,
} from './accept-queries.ts';
import { findTakenKeys, type IdempotencyKey } from './idempotency-queries.ts';
import { PlanAllowance, type PlanRefusal } from './plan-allowance.ts';
import type { RecentAcceptances } from './recent-acceptances.ts';

export interface AcceptItem {
  message: AcceptedMessage;
  plan: Plan;
}

export type AcceptResult =
  /** `place` is unknown after a commit in doubt; the queue's owner then finds the row by itself. */
  | { kind: 'stored'; place: QueuePlace | undefined }
  /** The idempotency key belongs to an earlier message. */
  | { kind: 'taken' }
  | { kind: 'refused'; code: PlanRefusal };

export interface MessageWriterDeps {
  db: Database;
  clock: Clock;
  nodeId: string;
  queue: QueueSink;
  metrics: Metrics;
  /** Takes in the messages that are stored, before their senders are answered. */
  recent: Pick<RecentAcceptances, 'note'>;
}

const BATCH_MAX = 256;
/** Milliseconds between statements: a statement of few messages costs almost as much as one of many. */
const SPACING_MS = 2;
const BESIDE_MIN = 24;
/**
 * Batch size that starts a statement before all requests of an event-loop turn have been read. Smaller batches cost more per message;
 * larger ones leave the database idle.
 */
const ENOUGH = 48;
const BATCH_BUCKETS = [1, 2, 4, 8, 16, 32, 64, 128, BATCH_MAX];
/** Usage of an organization without limits; it is never read. */
const NOTHING_USED = { accepted: 0, spentMicros: 0 };

export type MessageWriter = MicroBatcher<AcceptItem, AcceptResult>;

/**
 * Stores accepted messages in micro-batches. A submission resolves only after its commit, and the queue's owner learns of the rows
 * immediately. If more is pending than about one second of writing, further submissions are refused (UNAVAILABLE).
 */
export function createMessageWriter(deps: MessageWriterDeps): MessageWriter {
  const { metrics } = deps;
  const batchSizes = metrics.histogram('accept_batch_messages', 'Messages stored by one statement.', BATCH_BUCKETS);
  const durations = metrics.histogram(
    'accept_commit_seconds',
    'Time one batch of messages took to become durable.',
    DURATION_BUCKETS,
  );
  const writer = new MicroBatcher<AcceptItem, AcceptResult>({
    async flush(items) {
      const startedAtMs = performance.now();
      const results = await store(deps, items);
      batchSizes.observe(items.length);
      durations.observe((performance.now() - startedAtMs) / 1000);
      return results;
    },
    itemsMax: BATCH_MAX,
    lanes: 3,
    besideMin: BESIDE_MIN,
    enough: ENOUGH,
    spacing: { ms: SPACING_MS, clock: deps.clock },
    bound: {
      pendingMax: 20_000,
      overflow: () => unavailable('The gateway is at capacity. Try again.'),
    },
  });
  metrics.gauge('accept_pending', 'Messages accepted and not yet durable.', () => writer.pending);
  return writer;
}

async function store(deps: MessageWriterDeps, items: AcceptItem[]): Promise<AcceptResult[]> {
  const nowMs = deps.clock.now();
  const results = new Map<AcceptItem, AcceptResult>();
  const offering = deps.queue.beginOffer();
  const journal = deps.queue.claim(items.map(({ message }) => message));
  try {
    if (items.some((item) => PlanAllowance.limits(item.plan))) {
      await deps.db.transaction(async (tx) => {
        const fitting = await keepWithinPlans(tx, nowMs, items, results);
        await insert(deps, tx, { nowMs, journal }, fitting, results);
      });
    } else {
      await insert(deps, deps.db, { nowMs, journal }, items, results);
    }
  } catch (error) {
    if (!leavesCommitInDoubt(error)) throw error;
    await settleDoubt(deps, offering, items, results, error);
  } finally {
    // Must precede the answers. Without this, a later send of the same client could reach the queue before this one.
    deps.queue.endOffer(offering, queuedRows(items, results, nowMs), journal);
  }
  deps.recent.note(items.filter((item) => results.get(item)?.kind === 'stored').map(({ message }) => message));
  return items.map((item) => results.get(item) as AcceptResult);
}

/**
 * Grants messages, in order, as far as the month's plans allow. Finds replays first, because a replay uses nothing up. Of several sends
 * with one key, the first that fits gets the key.
 */
async function keepWithinPlans(
  tx: Queryable,
  nowMs: number,
  items: AcceptItem[],
  results: Map<AcceptItem, AcceptResult>,
): Promise<AcceptItem[]> {
  const limited = items.filter((item) => PlanAllowance.limits(item.plan));
  const used = await lockUsage(
    tx,
    limited.map((item) => item.message.organizationId),
    nowMs,
  );
  const keys = items.flatMap(({ message }) =>
    message.idempotency === undefined ? [] : [{ ...message, keyDigest: message.idempotency.keyDigest }],
  );
  const taken = new Set(keys.length > 0 ? (await findTakenKeys(tx, keys)).map(keyText) : []);
  const allowances = new Map<string, PlanAllowance>();
  return items.filter((item) => {
    const { organizationId, priceMicros } = item.message;
    const key = idempotencyKeyOf(item);
    if (key !== undefined && taken.has(key)) {
      results.set(item, { kind: 'taken' });
      return false;
    }
    const allowance = allowances.get(organizationId) ?? new PlanAllowance(used.get(organizationId) ?? NOTHING_USED);
    allowances.set(organizationId, allowance);
    const refusal = allowance.take(item.plan, priceMicros);
    if (refusal === undefined) {
      if (key !== undefined) taken.add(key);
      return true;
    }
    results.set(item, { kind: 'refused', code: refusal });
    return false;
  });
}

function idempotencyKeyOf({ message }: AcceptItem): string | undefined {
  const { organizationId, numberId, idempotency } = message;
  return idempotency && keyText({ organizationId, numberId, keyDigest: idempotency.keyDigest });
}

function keyText({ organizationId, numberId, keyDigest }: IdempotencyKey): string {
  return `${organizationId}/${numberId}/${keyDigest}`;
}

async function insert(
  deps: MessageWriterDeps,
  db: Queryable,
  scope: Omit<AcceptScope, 'nodeId'>,
  batch: AcceptItem[],
  results: Map<AcceptItem, AcceptResult>,
): Promise<void> {
  if (batch.length === 0) return;
  const places = await insertAccepted(
    db,
    { ...scope, nodeId: deps.nodeId },
    batch.map((item) => item.message),
  );
  for (const item of batch) {
    const place = places.get(item.message.id);
    results.set(item, place === undefined ? { kind: 'taken' } : { kind: 'stored', place });
  }
}

/**
 * Settles a batch whose connection broke before the answer to its commit, so that all of it is stored or nothing. A query for its ids shows
 * if it is stored by now.
 * If the ids are missing, or the query fails, no caller gets a success. The server may still execute the statement, so the queue's owner
 * keeps searching for rows.
 */
async function settleDoubt(
  deps: MessageWriterDeps,
  offering: number,
  items: AcceptItem[],
  results: Map<AcceptItem, AcceptResult>,
  cause: unknown,
): Promise<void> {
  deps.queue.doubt(offering);
  const stored = await findStored(
    deps.db,
    items.map((item) => item.message),
  ).catch(() => undefined);
  if (stored === undefined || stored.size === 0) throw cause;
  for (const item of items) {
    if (stored.has(item.message.id)) results.set(item, { kind: 'stored', place: undefined });
    else if (results.get(item)?.kind !== 'refused') results.set(item, { kind: 'taken' });
  }
}

function queuedRows(items: AcceptItem[], results: Map<AcceptItem, AcceptResult>, nowMs: number): QueuedRow[] {
  const rows: QueuedRow[] = [];
  for (const item of items) {
    const result = results.get(item);
    if (result?.kind !== 'stored' || result.place === undefined) continue;
    const { message } = item;
    rows.push({
      ...result.place,
      numberId: message.numberId,
      flowId: message.flowId,
      messageId: message.id,
      acceptedAtMs: nowMs,
      attempt: 0,
      dueAtMs: null,
      body: message.body,
      expiresAtMs: message.expiresAtMs,
      traceparent: message.traceparent,
      marketing: message.marketing === true,
    });
  }
  return rows;
}
