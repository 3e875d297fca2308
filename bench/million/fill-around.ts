import type pg from 'pg';

/** Changes in the audit log; each has a row for the change and one for its result. */
const CHANGES = 10_000;
const OPT_OUTS = 20_000;

/** Fills the records beside the messages: usage, traffic, the audit log and opt-outs. */
export async function fillAround(client: pg.Client): Promise<void> {
  await addUsage(client);
  await addChanges(client);
  await client.query(
    `INSERT INTO opt_out (organization_id, phone_number_id, person, id, phone_number, source, opted_out_at)
     SELECT organization_id, phone_ids[1 + i % 25], 15550000000 + i, gen_random_uuid(), (15550000000 + i)::text, 'keyword', now()
     FROM owner, generate_series(0, $1::int - 1) i WHERE place = CASE WHEN i % 2 = 0 THEN 0 ELSE 1 + i / 2 % 19 END`,
    [OPT_OUTS],
  );
}

/** Adds the counters of the month, of each day, and of the last hours. */
async function addUsage(client: pg.Client): Promise<void> {
  const counters = `(VALUES ('accepted', 9000), ('sent', 8500), ('delivered', 8000), ('failed', 300), ('spent_micros', 90000000)) c (metric, value)`;
  const month = `date_trunc('month', now() AT TIME ZONE 'UTC')::date`;
  await client.query(`
    INSERT INTO usage_day (organization_id, day, metric, value)
    SELECT organization_id, ${month} + d, metric, value FROM owner, generate_series(0, 27) d, ${counters}`);
  await client.query(`
    INSERT INTO usage_day (organization_id, day, metric, value)
    SELECT organization_id, ${month} + d, kind || '|' || category || '|' || country, 300
    FROM owner, generate_series(0, 27) d, unnest(ARRAY['charged', 'charged_micros']) kind,
         unnest(ARRAY['marketing', 'utility', 'authentication']) category,
         unnest(ARRAY['US', 'DE', 'BR', 'IN', 'MX', 'FR', 'GB', 'ES', 'IT', 'ID']) country`);
  await client.query(`
    INSERT INTO usage_counter AS u (organization_id, month, metric, value)
    SELECT organization_id, ${month}, metric, value::bigint * 28 FROM owner, ${counters}`);
  await client.query(`
    INSERT INTO usage_counter AS u (organization_id, month, metric, value)
    SELECT organization_id, ${month}, concat_ws('|', kind, number, 'regular', category, country, key_id, template), 40
    FROM owner, unnest(ARRAY['charged', 'charged_micros']) kind, unnest(phone_ids) number,
         unnest(ARRAY['marketing', 'utility']) category, unnest(ARRAY['US', 'DE', 'BR', 'IN', 'MX']) country,
         unnest(ARRAY['notice_1', 'notice_2', 'notice_3', 'notice_4']) template`);
  await client.query(`
    INSERT INTO traffic (slot, metric, value)
    SELECT floor(extract(epoch FROM now()) / 30)::bigint - s, metric, 70
    FROM generate_series(2, 239) s, ${counters} WHERE metric <> 'spent_micros'
    ON CONFLICT DO NOTHING`);
}

/** Appends changes to the log of the largest organization and to that of the deployment, with valid digests. */
async function addChanges(client: pg.Client): Promise<void> {
  await client.query(`
    DO $$
    DECLARE
      owner_id uuid := (SELECT organization_id FROM owner WHERE place = 0);
      place audit_chain%ROWTYPE;
      row_id uuid; row_at timestamptz; facts text;
    BEGIN
      FOREACH owner_id IN ARRAY ARRAY[owner_id, '00000000-0000-0000-0000-000000000000'::uuid] LOOP
        SELECT * INTO place FROM audit_chain WHERE chain = owner_id FOR UPDATE;
        FOR i IN 1 .. ${CHANGES} LOOP
          row_at := date_trunc('milliseconds', now());
          row_id := uuidv7();
          FOR part IN 0 .. 1 LOOP
            IF part = 1 THEN row_id := uuidv7(); END IF;
            place.last_sequence := place.last_sequence + 1;
            facts := CASE part
              WHEN 0 THEN format('{"id":"%s","at":"%s","kind":"change","of_sequence":null,"actor":{"type":"admin_token","id":null,"name":"ADMIN_TOKEN","identity":null},"address":"127.0.0.1","request_id":"fill-%s","operation":"updateNumber","object":{"type":"number","id":"200000000"},"before":{"paused":%s},"parameters":{"paused":%s}}', row_id, to_char(row_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), i, (i % 2 = 0)::text, (i % 2 = 1)::text)
              ELSE format('{"id":"%s","at":"%s","kind":"result","of_sequence":%s,"http_status":200,"object":{"type":"number","id":"200000000"},"after":{"paused":%s},"answer":null}', row_id, to_char(row_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), place.last_sequence - 1, (i % 2 = 1)::text)
            END;
            place.last_digest := sha256(place.last_digest || convert_to(place.last_sequence::text || ' ' || facts, 'UTF8'));
            INSERT INTO audit_entry (chain, sequence, id, at, kind, of_sequence, facts, digest)
            VALUES (owner_id, place.last_sequence, row_id, row_at, CASE part WHEN 0 THEN 'change' ELSE 'result' END,
                    CASE part WHEN 1 THEN place.last_sequence - 1 END, facts, place.last_digest);
          END LOOP;
        END LOOP;
        UPDATE audit_chain SET last_sequence = place.last_sequence, last_digest = place.last_digest WHERE chain = owner_id;
      END LOOP;
    END $$`);
}

/**
 * Adds deliveries of the messages' events to the endpoints of the first organization: one of them takes all events, the other one refused
 * its last ones and has been disabled, so that events wait for it.
 */
export async function addDeliveries(client: pg.Client, waiting: number): Promise<void> {
  await client.query(`
    INSERT INTO webhook_delivery (organization_id, endpoint_number, event_at, subject_id, sequence, event_type, delivered, attempts, settled_at,
                                  http_status, failure, latency_ms)
    SELECT e.organization_id, w.endpoint_number, e.at, e.subject_id, e.sequence, e.type, delivered, CASE WHEN delivered THEN 1 ELSE 12 END,
           e.at + interval '1 s', CASE WHEN delivered THEN 200 ELSE 500 END, NULL, 42
    FROM webhook_endpoint w JOIN event e ON e.organization_id = w.organization_id
    CROSS JOIN LATERAL (SELECT w.disabled_at IS NULL AND hashint8(e.sequence + hashtext(e.subject_id::text)) & 63 > 0 AS delivered) d
    WHERE e.type BETWEEN 1 AND 4 AND (w.disabled_at IS NULL OR e.at > now() - interval '1 day')`);
  await client.query(`
    INSERT INTO webhook_attempt (organization_id, endpoint_number, subject_id, sequence, at, http_status, latency_ms, answer)
    SELECT organization_id, endpoint_number, subject_id, sequence, settled_at - a * interval '1 minute', 500, 40, 'The shop has moved.'
    FROM webhook_delivery, generate_series(1, 3) a WHERE NOT delivered AND settled_at > now() - interval '3 days'`);
  await client.query(
    `INSERT INTO webhook_queue (organization_id, endpoint_number, subject_id, sequence, event_type, event_at)
     SELECT w.organization_id, w.endpoint_number, e.subject_id, e.sequence, e.type, e.at
     FROM webhook_endpoint w CROSS JOIN LATERAL (
       SELECT * FROM event e WHERE e.organization_id = w.organization_id AND e.type = 0 ORDER BY e.xid DESC LIMIT $1
     ) e
     WHERE w.disabled_at IS NOT NULL
     ON CONFLICT DO NOTHING`,
    [waiting],
  );
}
