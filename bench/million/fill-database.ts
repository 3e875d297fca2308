import type pg from 'pg';
import { firstIdAt } from '../../src/core/ids.ts';
import { fillAround } from './fill-around.ts';

/** Days of messages before now. */
const DAYS = 5;
const DAY_MS = 24 * 60 * 60 * 1000;
const STEP = 50_000;
/** Share of the messages that wait, accepted in the last hours. */
const WAITING = 0.3;
const WAITING_HOURS = 10;

export interface Owner {
  organizationId: string;
  keyId: string;
}

/**
 * Fills a gateway's database with `count` messages of several days and the records around them, in the order of time. Half of them belong to
 * the first organization.
 */
export async function fillDatabase(client: pg.Client, owners: readonly Owner[], count: number): Promise<void> {
  await client.query('SET synchronous_commit = off');
  for (let day = DAYS; day > 1; day -= 1) await createDay(client, Date.now() - day * DAY_MS);
  await client.query(
    `CREATE TEMP TABLE owner AS
     SELECT (o.place - 1)::int AS place, o.organization_id, k.id AS key_id, k.key_number,
            array_agg(n.number_id ORDER BY n.number_id) AS number_ids, array_agg(n.phone_number_id ORDER BY n.number_id) AS phone_ids
     FROM unnest($1::uuid[], $2::uuid[]) WITH ORDINALITY AS o (organization_id, key_id, place)
     JOIN api_key k ON k.organization_id = o.organization_id AND k.id = o.key_id
     JOIN sending_number n ON n.organization_id = o.organization_id
     GROUP BY 1, 2, 3, 4`,
    [owners.map(({ organizationId }) => organizationId), owners.map(({ keyId }) => keyId)],
  );
  await addTemplates(client);
  const settled = Math.round(count * (1 - WAITING));
  const now = Date.now();
  const add = async (first: number, last: number, startMs: number, waiting: boolean) => {
    const at = (index: number) => startMs + ((now - startMs) * (index - first)) / (last - first);
    for (let from = first; from < last; from += STEP) {
      const to = Math.min(from + STEP, last);
      await addMessages(client, { from, to, fromMs: at(from), toMs: at(to), waiting });
    }
  };
  await add(0, settled, now - DAYS * DAY_MS, false);
  await add(settled, count, now - WAITING_HOURS * 3_600_000, true);
  await fillAround(client);
}

/** Creates the day of each daily table, as the gateway would have done at the time. */
async function createDay(client: pg.Client, atMs: number): Promise<void> {
  const startMs = Math.floor(atMs / DAY_MS) * DAY_MS;
  const day = new Date(startMs).toISOString().slice(0, 10).replaceAll('-', '');
  for (const table of ['message', 'event', 'send_attempt', 'upstream_journal', 'webhook_delivery', 'webhook_attempt']) {
    const [from, to] = [startMs, startMs + DAY_MS].map((ms) =>
      table === 'message' ? firstIdAt(ms) : new Date(ms).toISOString(),
    );
    await client.query(
      `CREATE TABLE IF NOT EXISTS ${table}_${day} PARTITION OF ${table} FOR VALUES FROM ('${from}') TO ('${to}')`,
    );
  }
}

/** Gives each organization seven templates besides the three that its account has. */
async function addTemplates(client: pg.Client): Promise<void> {
  await client.query(`
    INSERT INTO template (organization_id, id, waba_id, name, language, category, status, components, components_fingerprint, created_at, updated_at)
    SELECT o.organization_id, (400000000 + o.place * 100 + i)::text, n.waba_id, 'notice_' || i, 'en_US', 'UTILITY', 'APPROVED',
           '[{"type":"BODY","text":"Hello {{1}}, your parcel {{2}} is on its way."}]', md5(i::text)::uuid, now(), now()
    FROM owner o JOIN sending_number n ON n.number_id = o.number_ids[1], generate_series(1, 7) i`);
}

/** Adds the messages of these indexes with their events and ids of the platform, accepted between two moments (epoch ms). */
async function addMessages(
  client: pg.Client,
  { from, to, fromMs, toMs, waiting }: { from: number; to: number; fromMs: number; toMs: number; waiting: boolean },
): Promise<void> {
  await client.query('BEGIN');
  await client.query('DROP TABLE IF EXISTS fresh');
  await client.query(
    `CREATE TEMP TABLE fresh AS
     SELECT i, o.organization_id, o.number_ids[nth] AS number_id, o.phone_ids[nth] AS phone_id, o.key_id, o.key_number, at, status,
            CASE WHEN i % 500 = 0 THEN 15550000000 ELSE 15550000001 + i * 7919 % 200000 END AS contact,
            (left(hex, 8) || '-' || substr(hex, 9, 4) || '-7' || left(digest, 3) || '-8' || substr(digest, 4, 3) || '-' ||
             substr(digest, 7, 12))::uuid AS id,
            CASE WHEN status NOT IN (0, 5) THEN 'wamid.' || digest END AS wamid,
            CASE i % 10 WHEN 0 THEN 'bench_authentication' WHEN 1 THEN 'bench_marketing' WHEN 2 THEN 'bench_marketing'
              ELSE 'notice_' || 1 + i % 7 END AS template,
            CASE i % 10 WHEN 0 THEN 'authentication' WHEN 1 THEN 'marketing' WHEN 2 THEN 'marketing' ELSE 'utility' END AS category,
            CASE i % 10 WHEN 0 THEN 0 WHEN 1 THEN 3 WHEN 2 THEN 3 ELSE 2 END AS class
     FROM generate_series($1::bigint, $2::bigint - 1) i
     CROSS JOIN LATERAL (SELECT md5(i::text) AS digest, to_timestamp(($3::float8 + ($4::float8 - $3) * (i - $1) / ($2 - $1)) / 1000) AS at) a
     CROSS JOIN LATERAL (SELECT lpad(to_hex(floor(extract(epoch FROM at) * 1000)::bigint), 12, '0') AS hex, hashint8(i) & 1023 AS dice,
                                1 + (i / 40 % 25)::int AS nth) b
     CROSS JOIN LATERAL (SELECT CASE WHEN $5 THEN 0 WHEN dice < 80 THEN 5 WHEN dice < 150 THEN 4 WHEN dice < 250 THEN 1 WHEN dice < 600 THEN 2
                                ELSE 3 END AS status) c
     JOIN owner o ON o.place = CASE WHEN i % 2 = 0 THEN 0 ELSE 1 + i / 2 % ((SELECT count(*) FROM owner) - 1) END`,
    [from, to, fromMs, toMs, waiting],
  );
  await client.query(`
    INSERT INTO message (organization_id, id, number_id, direction, contact, type, template_name, template_language, category, pricing_type,
                         price_micros, body, callback_data, api_key_id, status, wamid, accepted_at, sent_at, delivered_at, read_at, failed_at,
                         error_code, error_message, event_count, told, country)
    SELECT organization_id, id, number_id, (status = 5)::int, contact, CASE WHEN status = 5 THEN 'text' ELSE 'template' END,
           CASE WHEN status <> 5 THEN template END, CASE WHEN status <> 5 THEN 'en_US' END, CASE WHEN status <> 5 THEN category END,
           CASE WHEN status IN (2, 3) THEN 'regular' END, 4000,
           CASE WHEN status = 5 THEN '{"from":"' || contact || '","type":"text","text":{"body":"Where is my parcel ' || i || '?"}}'
             ELSE '{"messaging_product":"whatsapp","to":"+' || contact || '","type":"template","template":{"name":"' || template ||
               '","language":{"code":"en_US"},"components":[{"type":"body","parameters":[{"type":"text","text":"Grace"},{"type":"text",' ||
               '"text":"A-' || i || '"}]}]}}' END,
           CASE WHEN i % 3 = 0 AND status <> 5 THEN 'order-' || i / 3 % 50000 END, CASE WHEN status <> 5 THEN key_id END, status, wamid, at,
           CASE WHEN status BETWEEN 1 AND 3 THEN at + interval '1 s' END, CASE WHEN status IN (2, 3) THEN at + interval '3 s' END,
           CASE WHEN status = 3 THEN at + interval '90 s' END, CASE WHEN status = 4 THEN at + interval '2 s' END,
           CASE WHEN status = 4 THEN code END, CASE WHEN status = 4 THEN 'The platform refused it.' END,
           CASE WHEN status IN (0, 5) THEN 1 WHEN status IN (1, 4) THEN 2 ELSE status + 1 END,
           CASE status WHEN 1 THEN 1 WHEN 2 THEN 3 WHEN 3 THEN 7 WHEN 4 THEN 8 ELSE 0 END, 'US'
    FROM fresh CROSS JOIN LATERAL (
      SELECT CASE WHEN i % 40009 = 5 THEN '132068' ELSE (ARRAY['131026', '131049', '130472', '131042', 'EXPIRED'])[1 + i % 5] END AS code
    ) c`);
  await client.query(`
    INSERT INTO event (organization_id, subject_id, at, number_id, type, sequence, occurred_at, category, error_code)
    SELECT organization_id, id, e.occurred_at, number_id, e.type, e.sequence, e.occurred_at, category,
           CASE WHEN e.type = 4 THEN '131026' END
    FROM fresh CROSS JOIN LATERAL (
      SELECT CASE WHEN status = 5 THEN 5 ELSE 0 END, 0, at WHERE true
      UNION ALL SELECT status, 1, at + interval '1 s' WHERE status IN (1, 4)
      UNION ALL SELECT s, s, at + s * interval '1 s' FROM generate_series(1, status) s WHERE status IN (2, 3)
    ) e (type, sequence, occurred_at)
    WHERE e.occurred_at < now()`);
  await client.query(`
    INSERT INTO wamid_ref (wamid_digest, organization_id, message_id)
    SELECT left(encode(sha256(convert_to(wamid, 'UTF8')), 'hex'), 32)::uuid, organization_id, id FROM fresh WHERE wamid IS NOT NULL`);
  await client.query(`
    INSERT INTO send_queue (shard, number_id, flow_id, contact, accepted_by, message_id, accepted_at, expires_at)
    SELECT number_id % 64, number_id, key_number * 4 + class, contact, '00000000-0000-0000-0000-000000000000', id, at, at + interval '1 day'
    FROM fresh WHERE status = 0 ORDER BY i`);
  await client.query(`
    INSERT INTO send_attempt (organization_id, message_id, at, outcome, error_code, error_message, next_at)
    SELECT organization_id, id, at + interval '1 s', 'retry', '130429', 'Too many messages.', at + interval '2 s'
    FROM fresh WHERE status BETWEEN 1 AND 4 AND i % 20 = 0`);
  await client.query(`
    INSERT INTO upstream_journal (received_at, payload, pending)
    SELECT at + interval '3 s', convert_to('{"object":"whatsapp_business_account","entry":[{"id":"100","changes":[{"field":"messages","value":{' ||
      '"metadata":{"phone_number_id":"' || phone_id || '"},"statuses":[{"id":"' || wamid || '","status":"delivered","recipient_id":"' ||
      contact || '"}]}}]}]}', 'UTF8'), false
    FROM fresh WHERE status IN (1, 2, 3) AND at < now() - interval '1 minute'`);
  await client.query(`
    INSERT INTO conversation (organization_id, number_id, contact, last_inbound_at)
    SELECT DISTINCT ON (organization_id, number_id, contact) organization_id, number_id, contact, at FROM fresh WHERE status = 5
    ORDER BY organization_id, number_id, contact, at DESC
    ON CONFLICT (organization_id, number_id, contact) DO UPDATE SET last_inbound_at = excluded.last_inbound_at`);
  await client.query('COMMIT');
}
