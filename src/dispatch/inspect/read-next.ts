import { shareRuns } from '../../core/run/share-runs.ts';
import type { Clock } from '../../core/time/clock.ts';
import type { Queryable } from '../../database/database.ts';
import type { Dispatcher } from '../dispatcher.ts';
import { listReportedNext, type NodeNext, type ReportedMessage, readFlowKeys } from '../queue/next-queries.ts';
import { trafficClassNameOf } from '../scheduler/index.ts';

interface NextDeps {
  db: Queryable;
  clock: Clock;
  nodeId: string;
  dispatcher: Pick<Dispatcher, 'listNext'>;
}

/** A reading of this node's order is reused for this many times its duration: however many pages poll it, it takes 1 % of a core. */
const PAUSE = 100;
const REUSE_MS_MAX = 2_000;

/**
 * Creates the reader of the next messages of every node that has some: this node's as they are now, another node's as it last reported
 * them. The order exists only in the memory of the node that owns the numbers.
 * @param max most messages of a node in each list
 */
export function createNextReader(deps: NextDeps, max: number) {
  const { db, clock, nodeId, dispatcher } = deps;
  let own: NodeNext | undefined;
  let reuseUntilMs = Number.NEGATIVE_INFINITY;
  const readOwn = shareRuns(async (): Promise<NodeNext> => {
    const startedAtMs = clock.monotonicMs();
    if (own !== undefined && startedAtMs < reuseUntilMs) return own;
    own = { nodeId, readAt: new Date(clock.now()), ...(await dispatcher.listNext(max)) };
    const endedAtMs = clock.monotonicMs();
    reuseUntilMs = endedAtMs + Math.min((endedAtMs - startedAtMs) * PAUSE, REUSE_MS_MAX);
    return own;
  });
  return async (limit: number) => {
    const [first, reported] = await Promise.all([readOwn(), listReportedNext(db, nodeId)]);
    const nodes = cut([first, ...reported], limit);
    const keyOf = await readFlowKeys(
      db,
      nodes.flatMap(({ turns, keptBack }) => [...turns, ...keptBack]),
    );
    return { nodes: nodes.map((node) => renderNode(node, keyOf)) };
  };
}

/** Leaves out messages beyond `limit`, and those of an earlier node: a number may have changed hands since the later node reported. */
function cut(nodes: readonly NodeNext[], limit: number): NodeNext[] {
  const seen = new Set<string>();
  const unseen = <Message extends ReportedMessage>(messages: Message[]) =>
    messages.filter(({ messageId }) => !seen.has(messageId) && seen.add(messageId)).slice(0, limit);
  return nodes
    .map((node) => ({ ...node, turns: unseen(node.turns), keptBack: unseen(node.keptBack) }))
    .filter(({ turns, keptBack }) => turns.length + keptBack.length > 0);
}

function renderNode({ nodeId, readAt, turns, keptBack }: NodeNext, keyOf: (flow: ReportedMessage) => string | null) {
  const render = (message: ReportedMessage) => ({
    organization_id: message.organizationId,
    phone_number_id: message.phoneNumberId,
    message_id: message.messageId,
    api_key_id: keyOf(message),
    traffic_class: trafficClassNameOf(message.flowId),
    accepted_at: timeOf(message.acceptedAtMs),
  });
  return {
    id: nodeId,
    read_at: readAt.toISOString(),
    turns: turns.map((turn) => ({ ...render(turn), expected_at: timeOf(turn.expectedAtMs) })),
    kept_back: keptBack.map((kept) => ({
      ...render(kept),
      waits_for: kept.reason,
      until: kept.untilMs === null ? null : timeOf(kept.untilMs),
    })),
  };
}

function timeOf(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
