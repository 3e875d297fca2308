import { type CallTimes, timeCalls } from '../call-times.ts';
import { type BenchGateway, callerOf } from '../processes.ts';

/** Waiting messages whose pages are read. */
const MESSAGES = 20;

/**
 * Measures calls that show the queue, one at a time: the list of numbers, the same of one organization, the state of the whole gateway, and
 * waiting messages of the organization with the most of them.
 */
export async function timeQueueCalls(gateway: BenchGateway): Promise<CallTimes[]> {
  const operator = callerOf(gateway.port, '/admin/v1', gateway.adminToken);
  const tenant = callerOf(gateway.port, '/v1', gateway.apiKey);
  const { organizationId } = gateway;
  const ids = await gateway.inDatabase(async (client) => {
    const { rows } = await client.query<{ message_id: string }>(
      `SELECT message_id FROM send_queue WHERE number_id = ANY (SELECT number_id FROM sending_number WHERE organization_id = $1)
       ORDER BY number_id, flow_id DESC, seq DESC LIMIT $2`,
      [organizationId, MESSAGES],
    );
    return rows.map(({ message_id }) => message_id);
  });
  const message = (index: number) => ids[index % ids.length] ?? '';
  return [
    await timeCalls('GET /admin/v1/queue', () => operator('GET', '/queue')),
    await timeCalls('GET /admin/v1/queue?limit=5000', () => operator('GET', '/queue?limit=5000')),
    await timeCalls('GET /admin/v1/queue of an organization', () =>
      operator('GET', `/queue?organization_id=${organizationId}`),
    ),
    await timeCalls('GET /admin/v1/queue/next', () => operator('GET', '/queue/next')),
    await timeCalls('GET /admin/v1/overview', () => operator('GET', '/overview')),
    await timeCalls('GET /v1/messages/{id}', (index) => tenant('GET', `/messages/${message(index)}`)),
    await timeCalls('GET /v1/messages/{id}/timeline', (index) => tenant('GET', `/messages/${message(index)}/timeline`)),
  ];
}

/** Resolves with the ms until the overview knows the totals of the queue; undefined if that takes more than a minute. */
export async function timeTotals(gateway: BenchGateway): Promise<number | undefined> {
  const startedAt = performance.now();
  while (performance.now() - startedAt < 60_000) {
    const { queue } = (await gateway.admin('GET', '/overview')) as { queue: { waiting: number } | null };
    if (queue !== null) return performance.now() - startedAt;
  }
  return undefined;
}
