import type pg from 'pg';
import { putLoad } from '../load.ts';
import { type BenchGateway, pause, pauseAll, takenBy, takenPerSecond, withGateway } from '../processes.ts';
import { cpuPerMessage, type Line, megabytes, perSecond } from '../report.ts';
import { sendRequest } from '../requests.ts';

const NUMBERS = 2;
const MANY_NUMBERS = 5_000;
const FILL_STEP = 100_000;

/**
 * Compares dispatch with `queued` waiting messages against dispatch with hardly any, and measures the memory that the backlog costs. Two
 * numbers run at the platform's highest pace, so that the pace is the bottleneck and not the machine.
 */
export function backlog(seconds: number, queued = 1_000_000): Promise<Line[]> {
  return withGateway(['upstream-sink.ts', String(NUMBERS)], async (gateway, sink) => {
    const feed = putLoad({
      port: gateway.port,
      connections: 32,
      seconds: seconds + 3,
      perSecond: NUMBERS * 1000 + 50,
      request: () => sendRequest(gateway),
    });
    await pause(2000);
    const few = await takenPerSecond(sink, seconds);
    await feed;
    await pauseAll(gateway, true);
    await gateway.inDatabase((client) => fillQueue(client, queued));
    await pause(5000);
    await pauseAll(gateway, false);
    await pause(2000);
    const many = await takenPerSecond(sink, seconds);
    const memory = await gateway.memory();
    return [
      { what: 'dispatch, few queued', value: perSecond(few), note: `${NUMBERS} numbers at 1,000/s` },
      {
        what: `dispatch, ${queued.toLocaleString('en')} queued`,
        value: perSecond(many),
        note: `${(many / few).toFixed(3)} of the rate with few`,
      },
      { what: `gateway memory, ${queued.toLocaleString('en')} queued`, value: megabytes(memory) },
    ];
  });
}

/** Queues as many messages as in one flow, over thousands of numbers: memory must not grow with the count of numbers. */
export function manyNumbers(seconds: number, queued = 1_000_000): Promise<Line[]> {
  return withGateway(['upstream-sink.ts', String(MANY_NUMBERS)], async (gateway, sink) => {
    await pauseAll(gateway, true);
    await gateway.inDatabase((client) => fillQueue(client, queued));
    await pause(5000);
    const memory = await gateway.memory();
    await pauseAll(gateway, false);
    const before = { cpu: await gateway.cpu(), taken: await takenBy(sink) };
    const rate = await takenPerSecond(sink, seconds);
    const after = { cpu: await gateway.cpu(), taken: await takenBy(sink) };
    return [
      {
        what: `gateway memory, ${queued.toLocaleString('en')} queued over ${MANY_NUMBERS.toLocaleString('en')} numbers`,
        value: megabytes(memory),
      },
      {
        what: 'dispatch of these, 0 ms upstream',
        value: perSecond(rate),
        ...cpuPerMessage(before.cpu, after.cpu, after.taken - before.taken),
      },
    ];
  });
}

/** Inserts marketing messages straight into the queue, as if another node had accepted them, in turn over the numbers. */
export async function fillQueue(client: pg.Client, count: number, keyNumber = 1): Promise<void> {
  for (let from = 0; from < count; from += FILL_STEP) {
    await client.query(
      `
      WITH numbers AS (
        SELECT array_agg(number_id ORDER BY number_id) AS ids, (array_agg(organization_id))[1] AS organization_id FROM sending_number
      ),
      moment AS (SELECT lpad(to_hex((extract(epoch FROM now()) * 1000)::bigint), 12, '0') AS hex),
      fresh AS (
        SELECT organization_id, ids[1 + i % cardinality(ids)] AS number_id, 15550000000 + i AS contact,
               (substr(hex, 1, 8) || '-' || substr(hex, 9, 4) || '-7' || substr(digest, 1, 3) || '-8' || substr(digest, 4, 3)
                || '-' || substr(digest, 7, 12))::uuid AS id
        FROM generate_series($1::bigint, $2::bigint) AS i, numbers, moment, LATERAL (SELECT md5(i::text) AS digest) d
      ),
      stored AS (
        INSERT INTO message (organization_id, id, number_id, direction, contact, type, template_name, category, body, status, accepted_at)
        SELECT organization_id, id, number_id, 0, contact, 'template', 'bench_marketing', 'marketing',
               '{"messaging_product":"whatsapp","to":"+' || contact || '","type":"template","template":{"name":"bench_marketing","language":{"code":"en_US"}}}',
               0, now()
        FROM fresh
      )
      INSERT INTO send_queue (shard, number_id, flow_id, contact, accepted_by, message_id, accepted_at, expires_at)
      SELECT number_id % 64, number_id, $3 * 4 + 3, contact, '00000000-0000-0000-0000-000000000000', id, now(), now() + interval '1 day'
      FROM fresh`,
      [from, Math.min(from + FILL_STEP, count) - 1, keyNumber],
    );
  }
}

/** Measures a light flow of authentication messages on one number, alone and beside a marketing backlog on the same number. */
export function lightFlow(seconds: number, queued = 1_000_000): Promise<Line[]> {
  return withGateway(['upstream-sink.ts', '1'], async (gateway) => {
    await gateway.admin('PATCH', `/numbers/${gateway.numbers[0]}`, { messages_per_second: 80 });
    const alone = await waitOfLightFlow(gateway, seconds);
    await pauseAll(gateway, true);
    await gateway.inDatabase((client) => fillQueue(client, queued, 2));
    await pause(5000);
    await pauseAll(gateway, false);
    await pause(2000);
    const beside = await waitOfLightFlow(gateway, seconds);
    const slotMs = 1000 / 80;
    return [
      {
        what: 'light flow alone, sync send',
        value: '10/s',
        p50Ms: alone.p50,
        p99Ms: alone.p99,
        note: 'one number at 80/s',
      },
      {
        what: `light flow beside ${queued.toLocaleString('en')} queued`,
        value: '10/s',
        p50Ms: beside.p50,
        p99Ms: beside.p99,
        note: `${((beside.p99 - alone.p99) / slotMs).toFixed(1)} slots of the pace more at p99`,
      },
    ];
  });
}

/** Measures the time from the request to the upstream's answer, as a caller of \`sync=true\` sees it. */
function waitOfLightFlow(gateway: BenchGateway, seconds: number) {
  return putLoad({
    port: gateway.port,
    connections: 16,
    seconds,
    perSecond: 10,
    request: () =>
      sendRequest(gateway, { category: 'authentication' }).replace('/messages HTTP', '/messages?sync=true HTTP'),
  });
}
