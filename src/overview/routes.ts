import type { FastifyInstance } from 'fastify';
import type { Attention } from './attention.ts';
import type { ListedNode } from './queries.ts';
import { createOverviewReader, type OverviewDeps } from './read-overview.ts';
import { overviewSchema } from './schemas.ts';

/** Registers `GET /admin/v1/overview`. */
export function overviewRoutes(app: FastifyInstance, deps: OverviewDeps): void {
  const read = createOverviewReader(deps);
  app.get('/admin/v1/overview', { schema: overviewSchema }, async () => {
    const { at, minutes, queue, webhooks, nodes, attention } = await read();
    return {
      at: at.toISOString(),
      minutes: minutes.map(({ atMs, ...counts }) => ({ at: new Date(atMs).toISOString(), ...counts })),
      queue: queue
        ? { waiting: queue.queued, held: queue.held, oldest_wait_seconds: Math.max(0, queue.oldestWaitSeconds) }
        : null,
      webhooks: {
        oldest_wait_seconds: Math.max(0, webhooks.oldestWaitSeconds),
        endpoints_waiting: webhooks.endpoints,
      },
      nodes: nodes.map(renderNode),
      attention: attention.map(renderAttention),
    };
  });
}

function renderNode({ id, isAlive, startedAt, seenAt, servesApi, dispatches, delivers, shards, report }: ListedNode) {
  return {
    id,
    alive: isAlive,
    started_at: startedAt.toISOString(),
    seen_at: seenAt.toISOString(),
    roles: [...(servesApi ? ['api'] : []), ...(dispatches ? ['dispatch'] : []), ...(delivers ? ['deliver'] : [])],
    shards,
    report: report && {
      sent_per_second: Math.round(report.sentPerSecond * 10) / 10,
      in_flight: report.inFlight,
      numbers: report.numbers,
      event_loop_delay_seconds: report.eventLoopDelaySeconds,
      memory_bytes: report.memoryBytes,
    },
  };
}

function renderAttention({ kind, subject, organizationId, since, reason, repair }: Attention) {
  return { kind, subject, organization_id: organizationId, since: since?.toISOString() ?? null, reason, repair };
}
