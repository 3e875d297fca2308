import type { Database, Queryable, Statement } from '../src/database/database.ts';

/** The organization of the run and one of its numbers. */
export interface Owner {
  organizationId: string;
  numberId: number;
  phoneNumberId: string;
}

/** An amount of rows, a share of them with a name of these people. */
interface Amount {
  count: number;
  people: readonly string[];
  /** Each person has one row of this many. */
  personEvery: number;
}

const ROWS_AT_ONCE = 20_000;
const PATIENT_MS = 300_000;

/** Returns the organization with one of its numbers. */
export async function findOwner(db: Queryable): Promise<Owner> {
  const [owner] = await db.query<Owner & Record<string, unknown>>({
    text: `
      SELECT organization_id AS "organizationId", number_id AS "numberId", phone_number_id AS "phoneNumberId"
      FROM sending_number ORDER BY number_id LIMIT 1`,
  });
  if (owner === undefined) throw new Error('no number is connected');
  return owner;
}

/** The person of row `i`, or else one of 50,000 strangers. `$3` are the people, `$4` is the share. */
const PERSON = `coalesce(($3::text[])[i % $4 + 1], (13130000000 + i % 50000)::text)`;

/** Stores messages of the last day, read by their recipients, with two events each. */
export async function fillMessages(db: Database, owner: Owner, { count, people, personEvery }: Amount): Promise<void> {
  for (let from = 0; from < count; from += ROWS_AT_ONCE) {
    await patiently(db, {
      text: `
        WITH item AS MATERIALIZED (
          SELECT uuidv7(-random() * interval '20 hours') AS id, ${PERSON} AS person
          FROM generate_series($5::int, $6::int) AS i
        ),
        events AS (
          INSERT INTO event (organization_id, subject_id, number_id, type, sequence, occurred_at, upstream_value)
          SELECT $1, id, $2, type, type, now(), '{"statuses":[{"status":"read","recipient_id":"' || person || '"}]}'
          FROM item, generate_series(1, 2) AS type
        )
        INSERT INTO message (organization_id, id, number_id, direction, contact, type, body, status, accepted_at, price_micros, told)
        SELECT $1, id, $2, 0, person::bigint, 'text',
          '{"messaging_product":"whatsapp","to":"+' || person || '","type":"text","text":{"body":"Your order for ' || person || ' has left."}}',
          3, now(), 5000, 7
        FROM item`,
      values: [
        owner.organizationId,
        owner.numberId,
        people,
        personEvery,
        from,
        Math.min(count, from + ROWS_AT_ONCE) - 1,
      ],
    });
  }
}

/** Stores payloads of the platform that were applied. They are dated in whole milliseconds, as the gateway dates them. */
export async function fillPayloads(db: Database, owner: Owner, { count, people, personEvery }: Amount): Promise<void> {
  await patiently(db, {
    text: `
      INSERT INTO upstream_journal (received_at, payload, pending)
      SELECT date_trunc('milliseconds', now()), convert_to(
        '{"object":"whatsapp_business_account","entry":[{"changes":[{"field":"messages","value":{"metadata":{"phone_number_id":"' || $2 ||
        '"},"statuses":[{"status":"read","recipient_id":"' || ${PERSON} || '"}]}}]}]}', 'UTF8'), false
      FROM generate_series(0, $1::int - 1) AS i`,
    values: [Math.floor(count), owner.phoneNumberId, people, personEvery],
  });
}

/** Returns the state of an erasure. */
export async function eraseState(
  db: Queryable,
  id: string,
): Promise<{ isDone: boolean; messages: number; events: number; payloads: number }> {
  const [state] = await db.query<{ isDone: boolean; messages: number; events: number; payloads: number }>({
    text: `SELECT phase = 'done' AS "isDone", messages::int, events::int, payloads::int FROM erasure WHERE id = $1`,
    values: [id],
  });
  if (state === undefined) throw new Error(`there is no erasure ${id}`);
  return state;
}

/** Returns the tables with a row that contains a name, as text or as bytes. */
export async function tablesWith(db: Database, name: string): Promise<string[]> {
  const tables = await db.query<{ name: string }>({
    text: `SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY relname`,
  });
  const found: string[] = [];
  for (const table of tables) {
    const rows = await patiently(db, {
      text: `
        SELECT FROM "${table.name}" t
        WHERE position($1 IN t::text) > 0 OR position(encode(convert_to($1, 'UTF8'), 'hex') IN t::text) > 0 LIMIT 1`,
      values: [name],
    });
    if (rows.length > 0) found.push(table.name);
  }
  return found;
}

/** Runs a statement that takes longer than the gateway's own may. */
function patiently(db: Database, statement: Statement): Promise<unknown[]> {
  return db.transaction(async (tx) => {
    await tx.query({ text: `SET LOCAL statement_timeout = ${PATIENT_MS}` });
    return await tx.query({ ...statement, timeoutMs: PATIENT_MS });
  });
}
