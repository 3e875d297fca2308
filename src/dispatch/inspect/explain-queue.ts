import { invalid } from '../../core/errors.ts';
import { isUuid } from '../../core/ids.ts';
import type { Clock } from '../../core/time/clock.ts';
import type { Changes } from '../../database/changes/change-feed.ts';
import { patient } from '../../database/connection/patient-queries.ts';
import type { Database, Queryable } from '../../database/database.ts';
import { readLeasedShards, shardOf } from '../../leases/index.ts';
import type { Dispatcher } from '../dispatcher.ts';
import type { NumberSource } from '../numbers/number-book.ts';
import { countQueued, listReportedPaces, type QueuedNumber } from '../queue/queue-count-queries.ts';
import { trafficClassNameOf } from '../scheduler/index.ts';
import { SharedCounts } from './shared-counts.ts';

interface QueueFilter {
  organizationId: string | undefined;
  phoneNumberId: string | undefined;
}

interface QueueDeps {
  db: Database;
  dispatcher: Dispatcher;
  clock: Clock;
  changes: Pick<Changes, 'on'>;
}

/**
 * Creates the reader of the queue: waiting messages per number and flow, and the reasons why they wait, as known to this node, for at most
 * `limit` numbers. Counts of a long queue are reused for a while, unless a number changes. The reader raises VALIDATION_ERROR.
 */
export function createQueueReader(deps: QueueDeps) {
  const counts = new SharedCounts(deps.clock);
  deps.changes.on(
    ['number', 'waba'],
    () => counts.clear(),
    () => counts.clear(),
  );
  return async (filter: QueueFilter, limit: number) => {
    if (filter.organizationId !== undefined && !isUuid(filter.organizationId)) {
      throw invalid('"organization_id" must be a UUID.');
    }
    const key = JSON.stringify([filter.organizationId, filter.phoneNumberId]);
    const { numbers, countedAtMs } = await counts.read(key, () => countQueued(patient(deps.db), filter));
    const [leased, paces] = await Promise.all([readLeasedShards(deps.db), listReportedPaces(deps.db)]);
    return {
      counted_at: new Date(countedAtMs).toISOString(),
      numbers_waiting: numbers.length,
      numbers: longestQueues(numbers, limit).map((number) =>
        explainNumber(deps, number, leased, paces.get(number.numberId)),
      ),
    };
  };
}

/** Returns the numbers as given, or if there are more than `limit`, those with the most waiting messages. */
export function longestQueues<Counted extends Pick<QueuedNumber, 'flows'>>(
  numbers: readonly Counted[],
  limit: number,
): readonly Counted[] {
  if (numbers.length <= limit) return numbers;
  return numbers.toSorted((a, b) => queuedOf(b) - queuedOf(a)).slice(0, limit);
}

function queuedOf({ flows }: Pick<QueuedNumber, 'flows'>): number {
  return flows.reduce((sum, flow) => sum + flow.queued, 0);
}

function explainNumber(
  { dispatcher, clock }: Pick<QueueDeps, 'dispatcher' | 'clock'>,
  number: QueuedNumber,
  leased: ReadonlySet<number>,
  reported: { pace: number; used: number } | undefined,
) {
  const { numberId } = number;
  const known = dispatcher.explain(numberId);
  const used = dispatcher.usedPaceOf(numberId) ?? reported?.used ?? 0;
  return {
    organization_id: number.organizationId,
    phone_number_id: number.phoneNumberId,
    queued: queuedOf(number),
    oldest_wait_seconds: number.oldestWaitSeconds,
    messages_per_second: dispatcher.paceOf(numberId) ?? reported?.pace ?? number.ownPace ?? number.upstreamPace,
    used_per_second: Math.round(used * 10) / 10,
    waits_for: reasons(number, known, whereQueued(dispatcher, leased, numberId)),
    parked_until: parkedUntil(number, known, clock),
    flows: number.flows.map((flow) => ({
      api_key_id: flow.apiKeyId,
      traffic_class: trafficClassNameOf(flow.flowId),
      queued: flow.queued,
      oldest_wait_seconds: flow.oldestWaitSeconds,
    })),
  };
}

/** Returns the time at which the number's parking ends by itself; `someone acts` if it does not, `null` if it is not parked. */
function parkedUntil(number: QueuedNumber, known: ReturnType<Dispatcher['explain']>, clock: Clock): string | null {
  if (number.parkedReason !== null) return number.parkedUntil?.toISOString() ?? 'someone acts';
  const untilMs = known?.parked?.untilMs ?? Number.POSITIVE_INFINITY;
  return Number.isFinite(untilMs) ? new Date(clock.now() + untilMs - clock.monotonicMs()).toISOString() : null;
}

/** Returns the reasons why the first message to a contact of this number waits, as known to this node. */
export async function explainWaiting(
  deps: { db: Queryable; dispatcher: Pick<Dispatcher, 'explain' | 'hasQueueOf'>; numbers: NumberSource },
  numberId: number,
  contact: string,
): Promise<string[]> {
  const known = deps.dispatcher.explain(numberId, contact);
  if (known !== null && !known.paused) return reasons({ ...known, released: false, parkedReason: null }, known, '');
  const [leased, [number]] = await Promise.all([readLeasedShards(deps.db), deps.numbers.findByNumberIds([numberId])]);
  const { paused = false, released = false, parked = null } = number ?? {};
  return reasons(
    { paused, released, parkedReason: parked && `${parked.code}: ${parked.reason}` },
    known,
    whereQueued(deps.dispatcher, leased, numberId),
  );
}

/** Returns the reason why this node knows no more about a number. */
function whereQueued(
  dispatcher: Pick<Dispatcher, 'hasQueueOf'>,
  leased: ReadonlySet<number>,
  numberId: number,
): string {
  if (dispatcher.hasQueueOf(numberId)) return 'being taken over';
  return leased.has(shardOf(numberId)) ? 'another node' : 'no node';
}

function reasons(
  number: Pick<QueuedNumber, 'paused' | 'released' | 'parkedReason'>,
  known: ReturnType<Dispatcher['explain']>,
  elsewhere: string,
): string[] {
  const found: string[] = [];
  if (number.released) found.push('disconnected');
  if (number.paused) found.push('paused');
  if (number.parkedReason !== null) found.push(`parked: ${number.parkedReason}`);
  if (known === null) return found.length > 0 ? found : [elsewhere];
  if (known.parked !== null && number.parkedReason === null) found.push(`parked: ${known.parked.reason}`);
  if (known.pairLimitedRecipients > 0) found.push('pair limit');
  if (known.notDueRecipients > 0) found.push('retry');
  if (known.held > 0) found.push('unknown outcome');
  const stands = number.released || number.paused || number.parkedReason !== null || known.parked !== null;
  if (known.inFlight > 0 && !stands) found.push('on its way');
  // Messages that the pace allows, and those not in memory yet, go at any moment, unless the limit of messages in flight is reached.
  if (found.length === 0 || (known.readyRecipients > 0 && known.isPaced && !stands)) found.push('pacing');
  return found;
}
