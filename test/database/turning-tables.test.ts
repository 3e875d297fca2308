import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '../../src/core/ids.ts';
import { systemClock } from '../../src/core/time/clock.ts';
import {
  recordPostponements as noteOnQueueRows,
  recordCompletions,
} from '../../src/dispatch/outcomes/result-queries.ts';
import { journalDispatch } from '../../src/dispatch/sending/journal-queries.ts';
import { lengthenHolds, listGone } from '../../src/dispatch/unknown-outcomes/unknown-outcome-queries.ts';
import { preparePartitions } from '../../src/maintenance.ts';
import { deleteAppliedEarly } from '../../src/messages/statuses/early-status-queries.ts';
import { recordPostponements, recordSettlements } from '../../src/outbound-webhooks/queue/settlement-queries.ts';
import { openTestDatabase } from '../harness/database.ts';
import { planOf, statementsOf } from '../harness/query-plans.ts';

/** Tables with constant inserts and deletes: the condition that finds a row, and row number `n` of each. */
const TURNING_OVER: Record<string, { found: RegExp; columns: string; row: string }> = {
  send_queue: {
    found: /seq\) >= .* seq\) <= /,
    columns: 'shard, number_id, flow_id, contact, accepted_by, message_id, accepted_at, expires_at',
    row: 'n % 64, n % 64, 4, n, gen_random_uuid(), gen_random_uuid(), now(), now()',
  },
  dispatch_journal: {
    found: /batch\) >= .* batch\) <= /,
    columns: 'shard, owner, batch, number_ids, flow_ids, seqs',
    row: `n % 64, gen_random_uuid(), n, '{1}', '{4}', '{1}'`,
  },
  early_status: {
    found: /wamid_digest (?:=|>=.*wamid_digest <=) /,
    columns: 'wamid_digest, wamid, phone_number_id, received_at',
    row: `gen_random_uuid(), 'wamid.' || n, '1', now()`,
  },
  webhook_queue: {
    found: /seq\) >= .* seq\) <= /,
    columns: 'organization_id, endpoint_number, subject_id, sequence, event_type, event_at',
    row: `'00000000-0000-0000-0000-000000000000', 1, gen_random_uuid(), 1, 1, now()`,
  },
};

test('turning tables: rows are found by whole keys, whatever rows existed when planned', async (t) => {
  const db = await openTestDatabase(t);
  await preparePartitions({ db, clock: systemClock });
  const statements = await statementsOf(async (noted) => {
    await journalDispatch(noted, { owner: '0', batch: 1, epochs: new Map() }, [], Date.now(), 0);
    await recordCompletions(noted, '0', [], [], Date.now());
    await noteOnQueueRows(noted, newId(), []);
    await lengthenHolds(noted, [
      { messageId: newId(), numberId: 1, flowId: 4, seq: 1, unknownCount: 1, holdUntilMs: Date.now() },
    ]);
    await listGone(noted, []);
    await deleteAppliedEarly(noted, []);
    await recordSettlements(noted, []);
    await recordPostponements(noted, []);
  });
  const check = async (when: string) => {
    let lookups = 0;
    for (const { name, text } of statements) {
      for (const { 'Index Name': index = '', 'Index Cond': condition = 'no condition' } of await planOf(db, text)) {
        const [table, known] = Object.entries(TURNING_OVER).find(([table]) => index.startsWith(`${table}_`)) ?? [];
        if (known === undefined) continue;
        lookups += 1;
        const used = `${name}, ${when}: ${index} ${condition}`;
        assert.equal(index, `${table}_pkey`, used);
        assert.match(condition, known.found, used);
      }
    }
    assert.equal(lookups, 11, when);
  };

  await check('new');
  for (const more of [1, 30, 3_000]) {
    for (const [table, { columns, row }] of Object.entries(TURNING_OVER)) {
      await db.query({
        text: `INSERT INTO ${table} (${columns}) SELECT ${row} FROM generate_series(1, $1) n`,
        values: [more],
      });
      await db.query({ text: `ANALYZE ${table}` });
    }
    await check(`${more} more`);
  }
  for (const table of Object.keys(TURNING_OVER)) {
    await db.query({ text: `DELETE FROM ${table}` });
    await db.query({ text: `ANALYZE ${table}` });
  }
  await check('emptied');
});
