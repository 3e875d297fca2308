import { readFile } from 'node:fs/promises';
import { once } from 'node:events';
import pg from 'pg';
import { sendRequest, pauseAll } from './accept.ts';
import { putLoad } from './load.ts';
import { type BenchGateway, type BenchProcess, startBenchGateway, startHelper } from './processes.ts';

/** How many messages the sink has taken. */
export async function takenBy(sink: BenchProcess): Promise<number> {
  const answer = once(sink.child, 'message');
  sink.child.send('taken?');
  return ((await answer) as [{ taken: number }])[0].taken;
}

/** A connection to the gateway's embedded database. */
export async function connectDatabase(gateway: BenchGateway): Promise<pg.Client> {
  const password = (await readFile(`${gateway.dataDir}/postgres-password`, 'utf8')).trim();
  const port = (await readFile(`${gateway.dataDir}/postgres/postmaster.pid`, 'utf8')).split('\n')[3];
  const client = new pg.Client({ connectionString: `postgres://fairway:${password}@127.0.0.1:${port}/fairway` });
  await client.connect();
  return client;
}

/** Puts `count` marketing messages straight into the queue, as another node would have accepted them, evenly over the numbers. */
export async function fillQueue(client: pg.Client, count: number): Promise<void> {
  const step = 100_000;
  for (let from = 0; from < count; from += step) {
    await client.query(`
      WITH numbers AS (SELECT array_agg(number_id ORDER BY number_id) AS ids, min(organization_id::text)::uuid AS org FROM sending_number),
      fresh AS (
        SELECT numbers.org, numbers.ids[1 + i % cardinality(numbers.ids)] AS number_id, 15550000000 + i AS contact,
               (substr(base, 1, 13) || '-7' || substr(md5(i::text), 1, 3) || '-8' || substr(md5(i::text), 4, 3) || '-' || substr(md5(i::text || 'x'), 1, 12))::uuid AS id
        FROM generate_series($1::bigint, $2::bigint) AS i, numbers,
             (SELECT substr(lpad(to_hex((extract(epoch FROM now()) * 1000)::bigint), 12, '0'), 1, 8) || '-' || substr(lpad(to_hex((extract(epoch FROM now()) * 1000)::bigint), 12, '0'), 9, 4) AS base) AS b
      ),
      stored AS (
        INSERT INTO message (organization_id, id, number_id, direction, contact, type, template_name, category, body, status, accepted_at)
        SELECT org, id, number_id, 0, contact, 'template', 'bench_marketing', 'marketing',
               '{"messaging_product":"whatsapp","to":"+' || contact || '","type":"template","template":{"name":"bench_marketing","language":{"code":"en_US"}}}',
               0, now() FROM fresh
      )
      INSERT INTO send_queue (shard, number_id, flow_id, contact, accepted_by, message_id, accepted_at, expires_at)
      SELECT number_id % 64, number_id, 4 + 3, contact, '00000000-0000-0000-0000-000000000000', id, now(), now() + interval '1 day' FROM fresh`,
      [from, Math.min(from + step, count) - 1],
    );
  }
}

if (import.meta.main) {
  const queued = Number(process.argv[2] ?? 1_000_000);
  const seconds = Number(process.argv[3] ?? 10);
  const sink = await startHelper('upstream-sink.ts', '4');
  const gateway = await startBenchGateway(sink.port);
  const rate = async (what: string) => {
    const before = await takenBy(sink);
    const at = performance.now();
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    const rate = ((await takenBy(sink)) - before) / ((performance.now() - at) / 1000);
    console.log(what, rate.toFixed(1), '/s, gateway memory', Math.round((await gateway.memory()) / 1e6), 'MB');
    return rate;
  };
  const feed = putLoad({ port: gateway.port, connections: 64, seconds: seconds + 2, perSecond: 4200, request: () => sendRequest(gateway) });
  await new Promise((resolve) => setTimeout(resolve, 1000));
  const few = await rate('few queued');
  await feed;
  await pauseAll(gateway, true);
  const client = await connectDatabase(gateway);
  const t = performance.now();
  await fillQueue(client, queued);
  console.log('filled in', ((performance.now() - t) / 1000).toFixed(1), 's');
  await new Promise((resolve) => setTimeout(resolve, 4000));
  console.log('memory with backlog', Math.round((await gateway.memory()) / 1e6), 'MB');
  await pauseAll(gateway, false);
  await new Promise((resolve) => setTimeout(resolve, 2000));
  const many = await rate(`${queued} queued`);
  console.log('ratio', (many / few).toFixed(3));
  await client.end();
  await gateway.stop();
  await sink.stop();
}
