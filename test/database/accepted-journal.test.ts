import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { newId } from '../../src/core/ids.ts';
import { systemClock } from '../../src/core/time/clock.ts';
import { preparePartitions } from '../../src/maintenance.ts';
import { insertAccepted } from '../../src/messages/send/accept-queries.ts';
import { openTestDatabase } from '../harness/database.ts';

const db = await openTestDatabase({ after });

const OWNER = newId();
const ORGANIZATION = newId();
const PEOPLE = ['15551230001', '15551230002', '15551230003', '15551230004'] as const;
const [FREE, OPTED_OUT, OPTED_IN, OF_PAUSED] = PEOPLE;
const [NUMBER, PAUSED] = [12, 13];

await preparePartitions({ db, clock: systemClock });
await db.query({
  text: `
    WITH organization AS (
      INSERT INTO organization (id, name, created_at) VALUES ($1, 'O', now())
    ),
    waba AS (
      INSERT INTO waba (organization_id, waba_id, token_sealed, connected_at) VALUES ($1, '7', '', now())
    )
    INSERT INTO sending_number (organization_id, phone_number_id, account_id, number_id, waba_id, phone_number, registered, paused,
      created_at, updated_at) OVERRIDING SYSTEM VALUE
    SELECT $1, n::text, gen_random_uuid(), n, '7', n::text, true, n = $2, now(), now() FROM unnest(ARRAY[$2, $3]::int[]) n`,
  values: [ORGANIZATION, PAUSED, NUMBER],
});
await db.query({
  text: `
    INSERT INTO opt_out (organization_id, phone_number_id, person, id, source, opted_out_at, ended_at)
    SELECT $1, $2, person, gen_random_uuid(), 'api', now(), ended_at
    FROM unnest($3::bigint[], $4::timestamptz[]) AS o (person, ended_at)`,
  values: [ORGANIZATION, String(NUMBER), [OPTED_OUT, OPTED_IN], [null, new Date()]],
});
await db.query({
  text: "INSERT INTO shard_lease (shard, owner, epoch, expires_at) SELECT unnest($1::int[]), $2, 5, now() + interval '1 hour'",
  values: [[NUMBER, PAUSED], OWNER],
});

function messageTo(contact: string) {
  const numberId = contact === OF_PAUSED ? PAUSED : NUMBER;
  return {
    ...{ id: newId(), organizationId: ORGANIZATION, wabaId: '7', apiKeyId: newId(), userId: undefined },
    ...{ numberId, shard: numberId, flowId: 4, contact, recipient: contact, country: 'US', prices: undefined },
    ...{ type: 'template', templateName: 'offer', templateLanguage: 'en', category: 'marketing', priceMicros: 20_000 },
    ...{ body: '{}', callbackData: undefined, traceparent: undefined, idempotency: undefined },
    expiresAtMs: Date.now() + 60_000,
  };
}

/** Accepts a message to each person, journaled under this epoch. Returns those whose messages are journaled. */
async function accept(batch: number, epoch: number, owner = OWNER): Promise<string[]> {
  const messages = PEOPLE.map(messageTo);
  const nowMs = Date.now();
  const epochs = new Map([NUMBER, PAUSED].map((shard) => [shard, epoch]));
  const journal = { batch, epochs, atMs: nowMs, journaledAtMs: 0 };
  const places = await insertAccepted(db, { nodeId: owner, nowMs, journal }, messages);
  assert.equal(places.size, messages.length);
  const journaled = messages.filter(({ id }) => places.get(id)?.isJournaled);
  const rows = await db.query<{ seq: number }>({
    text: 'SELECT unnest(seqs) AS seq FROM dispatch_journal WHERE owner = $1 AND batch = $2 ORDER BY 1',
    values: [owner, batch],
  });
  assert.deepEqual(
    rows.map(({ seq }) => seq),
    journaled.map(({ id }) => places.get(id)?.seq),
  );
  return journaled.map(({ contact }) => contact);
}

test('journaled acceptance: without paused numbers and people who opted out', async () => {
  assert.deepEqual(await accept(1, 5), [FREE, OPTED_IN]);
});

test('journaled acceptance: a lease of another owner or epoch → nothing is journaled', async () => {
  assert.deepEqual(await accept(2, 4), []);
  assert.deepEqual(await accept(3, 5, newId()), []);
});

test('journaled acceptance: a locked lease → stored without waiting, nothing is journaled', async () => {
  await db.transaction(async (tx) => {
    await tx.query({ text: 'SELECT FROM shard_lease WHERE shard = $1 FOR UPDATE', values: [NUMBER] });
    assert.deepEqual(await accept(4, 5), []);
  });
  assert.deepEqual(await accept(5, 5), [FREE, OPTED_IN]);
});
