import type { Queryable } from '../../database/database.ts';
import { keyNumberSql } from '../scheduler/index.ts';

/** A message ahead, with times in epoch ms, as a node reports it. */
export interface ReportedMessage {
  organizationId: string;
  phoneNumberId: string;
  flowId: number;
  messageId: string;
  acceptedAtMs: number;
}

/** The messages that go next from one node, as it knows them. */
export interface ReportedNext {
  turns: (ReportedMessage & { expectedAtMs: number })[];
  keptBack: (ReportedMessage & { reason: string; untilMs: number | null })[];
}

export interface NodeNext extends ReportedNext {
  nodeId: string;
  readAt: Date;
}

/** Returns the latest reports of the other nodes, the newest first. */
export async function listReportedNext(db: Queryable, nodeId: string): Promise<NodeNext[]> {
  return db.query<NodeNext & Record<string, unknown>>({
    name: 'queue_reported_next',
    text: `
      SELECT node_id AS "nodeId", reported_at AS "readAt", report->'next'->'turns' AS turns,
             report->'next'->'keptBack' AS "keptBack"
      FROM node_report
      WHERE node_id <> $1 AND reported_at > now() - interval '15 seconds' AND report ? 'next'
      ORDER BY reported_at DESC, node_id`,
    values: [nodeId],
  });
}

/** Returns the first message of each flow; none of a flow that is empty by now. */
export async function readFlowHeads(
  db: Queryable,
  flows: readonly { numberId: number; flowId: number }[],
): Promise<{ numberId: number; messageId: string; acceptedAt: Date }[]> {
  if (flows.length === 0) return [];
  return db.query<{ numberId: number; messageId: string; acceptedAt: Date }>({
    name: 'queue_flow_heads',
    text: `
      SELECT f.number_id AS "numberId", q.message_id AS "messageId", q.accepted_at AS "acceptedAt"
      FROM unnest($1::int[], $2::int[]) AS f (number_id, flow_id)
      CROSS JOIN LATERAL (
        SELECT message_id, accepted_at FROM send_queue
        WHERE number_id = f.number_id AND flow_id = f.flow_id ORDER BY seq LIMIT 1
      ) q`,
    values: [flows.map(({ numberId }) => numberId), flows.map(({ flowId }) => flowId)],
  });
}

type FlowKey = Pick<ReportedMessage, 'organizationId' | 'flowId'>;

/** Returns a lookup of the API key of a flow; null for sends of operators. */
export async function readFlowKeys(
  db: Queryable,
  flows: readonly FlowKey[],
): Promise<(flow: FlowKey) => string | null> {
  const nameOf = ({ organizationId, flowId }: FlowKey) => `${organizationId} ${flowId}`;
  const distinct = [...new Map(flows.map((flow) => [nameOf(flow), flow])).values()];
  if (distinct.length === 0) return () => null;
  const rows = await db.query<FlowKey & { id: string }>({
    name: 'queue_flow_keys',
    text: `
      SELECT f.organization_id AS "organizationId", f.flow_id AS "flowId", k.id
      FROM unnest($1::uuid[], $2::int[]) AS f (organization_id, flow_id)
      JOIN api_key k ON k.organization_id = f.organization_id AND k.key_number = ${keyNumberSql('f.flow_id')}`,
    values: [distinct.map(({ organizationId }) => organizationId), distinct.map(({ flowId }) => flowId)],
  });
  const ids = new Map(rows.map((row) => [nameOf(row), row.id]));
  return (flow) => ids.get(nameOf(flow)) ?? null;
}
