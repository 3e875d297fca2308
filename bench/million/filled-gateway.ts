import { type BenchGateway, callerOf, pause, startBenchGateway, startHelper } from '../processes.ts';
import type { Subjects } from './console-pages.ts';
import { addDeliveries } from './fill-around.ts';
import { fillDatabase, type Owner } from './fill-database.ts';

const ORGANIZATIONS = 20;
const NUMBERS = 25;
/** Numbers of each organization that are not paused, with a pace at which the queue hardly moves. */
const MOVING = 10;
const SLOW_PACE = 0.02;
const PENDING_DELIVERIES = 50_000;

/** Starts a gateway of twenty organizations and five hundred numbers, whose database holds `count` messages. */
export async function startFilledGateway(
  count: number,
): Promise<{ gateway: BenchGateway; subjects: Subjects; stop: () => Promise<void> }> {
  const upstream = await startHelper('upstream-sink.ts', String(NUMBERS));
  const gateway = await startBenchGateway(upstream.port);
  const stop = async () => {
    await gateway.stop();
    await upstream.stop();
  };
  try {
    return { gateway, subjects: await fill(gateway, count), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function fill(gateway: BenchGateway, count: number): Promise<Subjects> {
  const owners: Owner[] = [await ownerOf(gateway, gateway.organizationId)];
  for (let index = 1; index < ORGANIZATIONS; index += 1) {
    const { id } = (await gateway.admin('POST', '/organizations', { name: `Shop ${index}` })) as { id: string };
    await gateway.admin('POST', `/organizations/${id}/api-keys`, {});
    await gateway.admin('POST', `/organizations/${id}/wabas`, {
      waba_id: String(100 + index),
      access_token: 'EAAbench',
    });
    owners.push(await ownerOf(gateway, id));
  }
  await settleNumbers(gateway, owners);
  process.stderr.write(`filling in ${count.toLocaleString('en')} messages …\n`);
  const startedAt = performance.now();
  await gateway.inDatabase((client) => fillDatabase(client, owners, count));
  await pause(15_000);
  const endpoints = await createEndpoints(gateway);
  const subjects = await gateway.inDatabase(async (client) => {
    await addDeliveries(client, PENDING_DELIVERIES);
    await client.query('VACUUM ANALYZE');
    const one = async (condition: string) => {
      const { rows } = await client.query<{ id: string }>(
        `SELECT id FROM message WHERE organization_id = $1 AND ${condition} ORDER BY id DESC LIMIT 1`,
        [gateway.organizationId],
      );
      return rows[0]?.id ?? '';
    };
    return {
      org: gateway.organizationId,
      person: '15550000000',
      number: gateway.numbers[0] ?? '',
      delivered: await one('status = 3'),
      failed: await one('status = 4'),
      waiting: await one('status = 0'),
      ...endpoints,
      template: '400000001',
      callbackData: 'order-4',
    };
  });
  process.stderr.write(`filled after ${Math.round((performance.now() - startedAt) / 1000)} s\n`);
  return subjects;
}

async function ownerOf(gateway: BenchGateway, organizationId: string): Promise<Owner> {
  const keys = (await gateway.admin('GET', `/organizations/${organizationId}/api-keys`)) as { data: { id: string }[] };
  return { organizationId, keyId: keys.data[0]?.id ?? '' };
}

/** Slows some numbers down, and pauses the others. */
async function settleNumbers(gateway: BenchGateway, owners: readonly Owner[]): Promise<void> {
  for (const { organizationId } of owners) {
    const { data } = (await gateway.admin('GET', `/organizations/${organizationId}/wabas`)) as {
      data: { numbers: { phone_number_id: string }[] }[];
    };
    const numbers = data.flatMap((account) => account.numbers);
    const change = ({ phone_number_id }: { phone_number_id: string }, index: number) =>
      gateway.admin(
        'PATCH',
        `/numbers/${phone_number_id}`,
        index < MOVING ? { messages_per_second: SLOW_PACE } : { paused: true },
      );
    await Promise.all(numbers.map(change));
  }
}

/** Creates two endpoints and disables the second. They take no event of before. */
async function createEndpoints(gateway: BenchGateway): Promise<{ endpoint: string; disabledEndpoint: string }> {
  const call = callerOf(gateway.port, '/v1', gateway.apiKey);
  const create = async (description: string, more = {}) => {
    const body = { url: `https://hooks.example.com/${description}`, description, ...more };
    return (await call('POST', '/webhooks', body)) as { id: string };
  };
  // Without these events, the gateway would deliver the messages of the run to a host that does not exist.
  const endpoint = await create('shop', { events: ['template.status_updated'] });
  const disabled = await create('archive');
  await call('PATCH', `/webhooks/${disabled.id}`, { disabled: true });
  return { endpoint: endpoint.id, disabledEndpoint: disabled.id };
}
