import { wasTooMany } from './late-arrivals.ts';
import type { ClientRecord } from './load-plan.ts';
import type { QueuedMessage, StoredMessage } from './queries.ts';
import type { UpstreamSend, UpstreamViolation } from './simulated-upstream.ts';

/** A span of wall-clock time, milliseconds. */
export interface Span {
  fromMs: number;
  toMs: number;
}

/** The records of a run. */
export interface Evidence {
  records: readonly ClientRecord[];
  /** In the order of arrival. */
  sends: readonly UpstreamSend[];
  violations: readonly UpstreamViolation[];
  messages: readonly StoredMessage[];
  queue: readonly QueuedMessage[];
  endedAtMs: number;
  /** True if the upstream had delivered every status by then. */
  isQuiet: boolean;
  /** Ids of messages that a gateway logged as sent once more after an unknown outcome. */
  resentIds: ReadonlySet<string>;
  /** Times in which the only disturbance was an orderly restart of the gateways. */
  rollingRestarts: readonly Span[];
  failovers: readonly Failover[];
}

/** The standstill of a number after one of two gateways ended. */
export interface Failover {
  how: 'SIGKILL' | 'SIGTERM';
  /** Longest standstill of any number, ms. */
  gapMs: number;
}

/** The violations found, by kind. Each list names the messages and what was observed. */
export interface Findings {
  /** Accepted, but neither ended nor waiting for a known reason; or stored as sent although the upstream never accepted it. */
  lost: string[];
  /** Accepted by the upstream more than once. */
  duplicated: string[];
  /** Sent before a message that was accepted earlier for the same number and person. */
  misordered: string[];
  /** Refused by the upstream because a limit was exceeded. */
  overspeed: string[];
  /** Still queued, or held beyond its time. */
  stuck: string[];
  /** One key with several messages or several answers. */
  keyBroken: string[];
  /** A status that differs from the upstream's report. */
  wrongStatus: string[];
  /** An error that a client received during an orderly restart of the gateways. */
  clientErrors: string[];
  /** A number that stood still for too long. */
  slowFailover: string[];
}

const FAILOVER_MS_MAX = { SIGKILL: 8_000, SIGTERM: 4_000 } as const;

const STATUS = { queued: 0, sent: 1, read: 3, failed: 4 } as const;
const HOLD_SLACK_MS = 5_000;

/** Judges a run from its evidence alone. */
export function findViolations(evidence: Evidence): Findings {
  const messageOf = new Map(evidence.messages.map((message) => [message.id, message]));
  const taken = evidence.sends.filter((send) => send.wamid !== null);
  const copiesOf = Map.groupBy(taken, (send) => send.tag ?? '');
  return {
    lost: findLost(evidence, messageOf, taken),
    duplicated: [...copiesOf]
      .filter(([tag, copies]) => tag !== '' && copies.length > 1)
      .map(
        ([tag, copies]) =>
          `${tag}: ${copies.length} copies at ${copies.map((copy) => isoTime(copy.arrivedAtMs)).join(', ')}`,
      ),
    misordered: findMisordered(evidence.records, taken),
    overspeed: findOverspeed(evidence.violations, taken),
    stuck: findStuck(evidence),
    keyBroken: findBrokenKeys(evidence.records, evidence.messages),
    wrongStatus: evidence.isQuiet ? findWrongStatuses(evidence) : [],
    clientErrors: findClientErrors(evidence.records, evidence.rollingRestarts),
    slowFailover: evidence.failovers
      .filter(({ how, gapMs }) => gapMs > FAILOVER_MS_MAX[how])
      .map(({ how, gapMs }) => `${how}: ${Math.round(gapMs)} ms`),
  };
}

function findLost(
  { records, queue }: Evidence,
  messageOf: ReadonlyMap<string, StoredMessage>,
  taken: readonly UpstreamSend[],
): string[] {
  const wamids = new Set(taken.map((send) => send.wamid));
  const queued = new Set(queue.map((row) => row.id));
  return records.flatMap(({ tag, outcome, ids }) => {
    if (outcome !== 'accepted') return [];
    return ids.flatMap((id) => {
      const message = messageOf.get(id);
      if (message === undefined) return [`${tag}: answered as ${id}, not stored`];
      if (message.status === STATUS.queued && !queued.has(id)) return [`${tag}: queued, but not in the queue`];
      const isSent = message.status >= STATUS.sent && message.status <= STATUS.read;
      return isSent && !wamids.has(message.wamid)
        ? [`${tag}: said to be sent as ${message.wamid}, which nobody took`]
        : [];
    });
  });
}

/** Finds messages out of order. Only messages accepted before the next was sent have an order. */
function findMisordered(records: readonly ClientRecord[], taken: readonly UpstreamSend[]): string[] {
  const positionOf = new Map<string, number>();
  for (const [position, { tag }] of taken.entries()) {
    if (tag !== null && !positionOf.has(tag)) positionOf.set(tag, position);
  }
  const misordered: string[] = [];
  for (const lane of Map.groupBy(records, (record) => record.lane).values()) {
    let latest = { tag: '', position: -1 };
    for (const { tag, outcome } of lane.toSorted((a, b) => a.index - b.index)) {
      const position = positionOf.get(tag);
      if (outcome !== 'accepted' || position === undefined) continue;
      if (position < latest.position) misordered.push(`${tag} was sent before ${latest.tag}`);
      else latest = { tag, position };
    }
  }
  return misordered;
}

function findOverspeed(violations: readonly UpstreamViolation[], taken: readonly UpstreamSend[]): string[] {
  const takenBy = Map.groupBy(taken, (send) => send.phoneNumberId);
  const takenAtMs = (phoneNumberId: string) => (takenBy.get(phoneNumberId) ?? []).map((send) => send.arrivedAtMs);
  const isTooMany = (violation: UpstreamViolation) =>
    violation.kind === 'pair' || wasTooMany(takenAtMs(violation.phoneNumberId), violation);
  return violations
    .filter(isTooMany)
    .map(
      ({ kind, phoneNumberId, recipient, atMs }) => `${kind} of ${phoneNumberId} to ${recipient} at ${isoTime(atMs)}`,
    );
}

function findStuck({ queue, endedAtMs, messages }: Evidence): string[] {
  const tagOf = new Map(messages.map(({ id, tag }) => [id, tag]));
  return queue.flatMap(({ id, holdUntilMs }) => {
    const name = tagOf.get(id) ?? id;
    if (holdUntilMs === null) return [`${name} (${id}): still queued`];
    return holdUntilMs + HOLD_SLACK_MS < endedAtMs ? [`${name} (${id}): held beyond ${isoTime(holdUntilMs)}`] : [];
  });
}

function findBrokenKeys(records: readonly ClientRecord[], messages: readonly StoredMessage[]): string[] {
  const storedOf = Map.groupBy(messages, (message) => message.tag);
  return records.flatMap(({ tag, keyed, ids }) => {
    const stored = storedOf.get(tag)?.length ?? 0;
    const answered = new Set(ids).size;
    return (keyed && stored > 1) || answered > 1 ? [`${tag}: ${stored} messages, ${answered} ids answered`] : [];
  });
}

/** Finds wrong statuses. Every webhook was delivered and every recipient of the load reads, so each sent message must end as read. */
function findWrongStatuses({ messages, queue }: Evidence): string[] {
  const queued = new Set(queue.map(({ id }) => id));
  return messages
    .filter(({ id }) => !queued.has(id))
    .filter(({ status }) => status !== STATUS.queued && status !== STATUS.read && status !== STATUS.failed)
    .map(({ tag, id, status }) => `${tag} (${id}): status ${status} instead of ${STATUS.read}`);
}

function findClientErrors(records: readonly ClientRecord[], spans: readonly Span[]): string[] {
  return records.flatMap(({ tag, attempts }) =>
    attempts
      .filter(({ status }) => status === null || status >= 500)
      .filter(({ atMs, untilMs }) => spans.some((span) => atMs >= span.fromMs && untilMs <= span.toMs))
      .map(({ status, code, atMs }) => `${tag}: ${status ?? 'no answer'} ${code ?? ''} at ${isoTime(atMs)}`),
  );
}

function isoTime(epochMs: number): string {
  return new Date(epochMs).toISOString().slice(11, 23);
}
