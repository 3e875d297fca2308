import type pg from 'pg';
import { firstIdAt } from '../../src/core/ids.ts';
import type { Tenant } from '../deep-queue/organizations.ts';
import { storeTenants } from '../deep-queue/store-tenants.ts';
import type { BenchGateway } from '../processes.ts';

const DAY_MS = 24 * 3_600_000;
const STEP = 50_000;
const WRITERS = 2;
/** Days for which a gateway keeps each table by default. The messages have all days. */
const KEPT_DAYS = { event: 30, send_attempt: 30, upstream_journal: 14 };

/** One day, its start in epoch ms. */
interface Day {
  startMs: number;
  /** Index of its first message. */
  from: number;
  tables: string[];
}

/**
 * Fills `days` past days with `perDay` messages each, all of which have ended, with the rows that a gateway keeps beside them: the references of
 * their wamids, and for the last weeks their events and webhooks.
 */
export async function fillDays(
  gateway: BenchGateway,
  tenants: readonly Tenant[],
  { days, perDay }: { days: number; perDay: number },
): Promise<void> {
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  const waiting = Array.from({ length: days }, (_, index): Day => {
    const age = days - index;
    const kept = Object.entries(KEPT_DAYS).flatMap(([table, daysKept]) => (age <= daysKept ? [table] : []));
    return { startMs: today - age * DAY_MS, from: index * perDay, tables: ['message', ...kept] };
  });
  await gateway.inDatabase(async (client) => {
    await storeTenants(client, tenants);
    // An index of random keys is built much faster than it grows.
    await client.query('ALTER TABLE wamid_ref DROP CONSTRAINT wamid_ref_pkey');
  });
  const write = async (client: pg.Client) => {
    await client.query('SET synchronous_commit = off');
    for (let day = waiting.shift(); day !== undefined; day = waiting.shift()) await addDay(client, day, perDay);
  };
  await Promise.all(Array.from({ length: WRITERS }, () => gateway.inDatabase(write)));
  await gateway.inDatabase(async (client) => {
    await client.query('DROP TABLE bench_tenant');
    await client.query("SET maintenance_work_mem = '512MB'");
    await client.query('ALTER TABLE wamid_ref ADD CONSTRAINT wamid_ref_pkey PRIMARY KEY (wamid_digest)');
    await client.query('VACUUM ANALYZE');
  });
}

/** Fills the day's tables before they become parts of the whole ones: their indexes are then built at once. */
async function addDay(client: pg.Client, { startMs, from, tables }: Day, count: number): Promise<void> {
  const suffix = new Date(startMs).toISOString().slice(0, 10).replaceAll('-', '');
  const kept = new Map<string, string>();
  const attach: string[] = [];
  for (const table of tables) {
    const name = `${table}_${suffix}`;
    const [first, end] = [startMs, startMs + DAY_MS].map((ms) =>
      table === 'message' ? firstIdAt(ms) : new Date(ms).toISOString(),
    );
    const { rows } = await client.query<{ oid: string | null }>('SELECT to_regclass($1) AS oid', [name]);
    if (rows[0]?.oid == null) {
      await client.query(`CREATE TABLE ${name} (LIKE ${table} INCLUDING DEFAULTS INCLUDING CONSTRAINTS)`);
      attach.push(`ALTER TABLE ${table} ATTACH PARTITION ${name} FOR VALUES FROM ('${first}') TO ('${end}')`);
    }
    kept.set(table, name);
  }
  for (let done = 0; done < count; done += STEP) {
    const to = Math.min(done + STEP, count);
    const at = (index: number) => startMs + (DAY_MS * index) / count;
    await addEnded(client, kept, { from: from + done, to: from + to, fromMs: at(done), toMs: at(to) });
  }
  await client.query("SET maintenance_work_mem = '128MB'");
  for (const statement of attach) await client.query(statement);
}

/** Adds ended messages of these indexes, accepted between two moments (epoch ms), to the tables of a day. */
async function addEnded(
  client: pg.Client,
  tables: ReadonlyMap<string, string>,
  { from, to, fromMs, toMs }: { from: number; to: number; fromMs: number; toMs: number },
): Promise<void> {
  const withEvents = tables.get('event');
  const withJournal = tables.get('upstream_journal');
  await client.query(
    `
    WITH fresh AS MATERIALIZED (
      SELECT i, t.organization_id, t.number_ids[1 + dice % cardinality(t.number_ids)] AS number_id, t.key_ids[1] AS key_id, at, status,
             15550000000 + hashint8(i) & 1048575 AS contact, 'wamid.' || digest AS wamid,
             CASE dice % 4 WHEN 0 THEN 'utility' ELSE 'marketing' END AS category,
             (left(hex, 8) || '-' || substr(hex, 9, 4) || '-7' || left(digest, 3) || '-8' || substr(digest, 4, 3) || '-' ||
              substr(digest, 7, 12))::uuid AS id
      FROM generate_series($1::bigint, $2::bigint - 1) i
      CROSS JOIN LATERAL (
        SELECT md5(i::text) AS digest, hashint8(i + 1000000007) & 1048575 AS dice,
               to_timestamp(($3::float8 + ($4::float8 - $3) * (i - $1) / ($2 - $1)) / 1000) AS at
      ) a
      CROSS JOIN LATERAL (
        SELECT lpad(to_hex(floor(extract(epoch FROM at) * 1000)::bigint), 12, '0') AS hex,
               CASE WHEN dice / 8 % 100 < 5 THEN 4 WHEN dice / 8 % 100 < 15 THEN 1 WHEN dice / 8 % 100 < 50 THEN 2 ELSE 3 END AS status
      ) b
      JOIN bench_tenant t ON t.place = dice / 1024 % (SELECT count(*) FROM bench_tenant)
    ),
    referred AS (
      INSERT INTO wamid_ref (wamid_digest, organization_id, message_id)
      SELECT left(encode(sha256(convert_to(wamid, 'UTF8')), 'hex'), 32)::uuid, organization_id, id FROM fresh
    )
    ${
      withEvents === undefined
        ? ''
        : `, recorded AS (
      INSERT INTO ${withEvents} (organization_id, subject_id, at, number_id, type, sequence, occurred_at, category, error_code)
      SELECT organization_id, id, at, number_id, e.type, e.sequence, at, category, CASE WHEN e.type = 4 THEN '131026' END
      FROM fresh CROSS JOIN LATERAL (
        SELECT 0, 1 UNION ALL SELECT 4, 2 WHERE status = 4
        UNION ALL SELECT s, s + 1 FROM generate_series(1, status) s WHERE status < 4
      ) e (type, sequence)
    )`
    }
    ${
      withJournal === undefined
        ? ''
        : `, journaled AS (
      INSERT INTO ${withJournal} (id, received_at, payload, pending) OVERRIDING SYSTEM VALUE
      SELECT i, at, convert_to('{"object":"whatsapp_business_account","entry":[{"id":"100","changes":[{"field":"messages","value":{' ||
        '"messaging_product":"whatsapp","statuses":[{"id":"' || wamid || '","status":"delivered","recipient_id":"' || contact ||
        '"}]}}]}]}', 'UTF8'), false
      FROM fresh WHERE status < 4
    )`
    }
    INSERT INTO ${tables.get('message')} (organization_id, id, number_id, direction, contact, type, template_name, template_language, category,
                         pricing_type, price_micros, body, callback_data, api_key_id, status, wamid, accepted_at, sent_at, delivered_at,
                         read_at, failed_at, error_code, error_message, event_count, told, country)
    SELECT organization_id, id, number_id, 0, contact, 'template', 'bench_' || category, 'en_US', category,
           CASE WHEN status IN (2, 3) THEN 'regular' END, 4000,
           '{"messaging_product":"whatsapp","recipient_type":"individual","to":"+' || contact || '","type":"template","template":{"name":"bench_' ||
           category || '","language":{"code":"en_US"},"components":[{"type":"body","parameters":[{"type":"text","text":"A-' || i ||
           '"},{"type":"text","text":"a parameter of a length that such parameters have"}]}]}}',
           CASE WHEN i % 3 = 0 THEN 'order-' || i END, key_id, status, wamid, at, CASE WHEN status < 4 THEN at END,
           CASE WHEN status IN (2, 3) THEN at END, CASE WHEN status = 3 THEN at END, CASE WHEN status = 4 THEN at END,
           CASE WHEN status = 4 THEN '131026' END, CASE WHEN status = 4 THEN 'Message undeliverable' END,
           CASE WHEN status = 4 THEN 2 ELSE status + 1 END, CASE status WHEN 1 THEN 1 WHEN 2 THEN 3 WHEN 3 THEN 7 ELSE 8 END, 'US'
    FROM fresh`,
    [from, to, fromMs, toMs],
  );
}
