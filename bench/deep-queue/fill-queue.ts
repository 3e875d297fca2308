import type pg from 'pg';
import { partitionName } from '../../src/database/days/partitions.ts';
import type { BenchGateway } from '../processes.ts';
import { detachPartition, dropIndexes } from './bulk-tables.ts';
import type { Tenant } from './organizations.ts';
import { storeTenants } from './store-tenants.ts';

const STEP = 50_000;
const WRITERS = 2;
/** The messages were accepted during this time before now, as far as it lies within one day: they share a partition. */
const HOURS = 10;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/**
 * Fills the queue with `count` messages, as if another node had accepted them during the last hours, in the order of time. Each message is
 * of a random flow: large organizations have many times the messages of small ones; most messages are marketing, few authentication.
 */
export async function fillQueue(gateway: BenchGateway, tenants: readonly Tenant[], count: number): Promise<void> {
  const now = Date.now();
  const dayMs = Math.floor((now - (HOURS / 2) * HOUR_MS) / DAY_MS) * DAY_MS;
  const [fromMs, toMs] = [Math.max(dayMs, now - HOURS * HOUR_MS), Math.min(dayMs + DAY_MS, now)];
  const atMs = (index: number) => fromMs + (toMs - fromMs) * (index / count);
  const partition = partitionName('message', dayMs);
  await gateway.inDatabase(async (client) => {
    await storeTenants(client, tenants);
    const attach = await detachPartition(client, 'message', partition);
    const addIndexes = await dropIndexes(client, ['send_queue', partition]);
    let next = 0;
    await Promise.all(
      Array.from({ length: WRITERS }, () =>
        gateway.inDatabase(async (writer) => {
          await writer.query('SET synchronous_commit = off');
          while (next < count) {
            const from = next;
            const to = Math.min(from + STEP, count);
            next = to;
            await addWaiting(writer, partition, { from, to, fromMs: atMs(from), toMs: atMs(to) });
          }
        }),
      ),
    );
    await addIndexes();
    await attach();
    await client.query('DROP TABLE bench_tenant');
    // Autovacuum would have done it in the time that the queue took to grow.
    await client.query('VACUUM ANALYZE');
  });
}

/** Adds the messages of these indexes with their places in the queue, accepted between two moments (epoch ms). */
async function addWaiting(
  client: pg.Client,
  partition: string,
  { from, to, fromMs, toMs }: { from: number; to: number; fromMs: number; toMs: number },
): Promise<void> {
  await client.query(
    `
    WITH fresh AS MATERIALIZED (
      SELECT i, t.organization_id, t.number_ids[1 + h1 % cardinality(t.number_ids)] AS number_id, t.key_ids[nth] AS key_id,
             t.key_numbers[nth] * 4 + class AS flow_id, contact, at,
             CASE class WHEN 0 THEN 'authentication' WHEN 2 THEN 'utility' ELSE 'marketing' END AS category,
             (left(hex, 8) || '-' || substr(hex, 9, 4) || '-7' || left(digest, 3) || '-8' || substr(digest, 4, 3) || '-' ||
              substr(digest, 7, 12))::uuid AS id
      FROM generate_series($1::bigint, $2::bigint - 1) i
      CROSS JOIN LATERAL (
        SELECT md5(i::text) AS digest, hashint8(i) & 1048575 AS h0, hashint8(i + 1000000007) & 1048575 AS h1,
               to_timestamp(($3::float8 + ($4::float8 - $3) * (i - $1) / ($2 - $1)) / 1000) AS at
      ) a
      CROSS JOIN LATERAL (
        SELECT lpad(to_hex(floor(extract(epoch FROM at) * 1000)::bigint), 12, '0') AS hex,
               CASE WHEN h1 / 8 % 20 = 0 THEN 0 WHEN h1 / 8 % 20 < 4 THEN 2 ELSE 3 END AS class, 1 + (h1 / 1024 % 3 = 0)::int AS nth,
               15550000000 + (h0::bigint * 1048576 + h1) % 5000000 AS contact
      ) b
      JOIN bench_tenant t ON t.place = floor((SELECT count(*) FROM bench_tenant) * (h0 / 1048576::float8) ^ 2)::int
    ),
    stored AS (
      INSERT INTO ${partition} (organization_id, id, number_id, direction, contact, type, template_name, template_language, category, body,
                           api_key_id, status, accepted_at, country)
      SELECT organization_id, id, number_id, 0, contact, 'template', 'bench_' || category, 'en_US', category,
             '{"messaging_product":"whatsapp","recipient_type":"individual","to":"+' || contact || '","type":"template","template":{"name":"bench_' ||
             category || '","language":{"code":"en_US"},"components":[{"type":"body","parameters":[{"type":"text","text":"A-' || i ||
             '"},{"type":"text","text":"a parameter of a length that such parameters have"}]}]}}',
             key_id, 0, at, 'US'
      FROM fresh
    )
    INSERT INTO send_queue (shard, number_id, flow_id, contact, accepted_by, message_id, accepted_at, expires_at)
    SELECT number_id % 64, number_id, flow_id, contact, '00000000-0000-0000-0000-000000000000', id, at, at + interval '1 day'
    FROM fresh ORDER BY i`,
    [from, to, fromMs, toMs],
  );
}
