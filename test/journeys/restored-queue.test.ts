import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { openDatabase } from '../../src/database/database.ts';
import { createTestDatabase } from '../harness/database.ts';
import { createRestartableGateway } from '../harness/restartable-gateway.ts';
import {
  createTenant,
  freshRecipient,
  pause,
  readMessage,
  resume,
  send,
  sendTemplate,
  type Tenant,
  templateTo,
  until,
  untilStatus,
} from '../harness/tenant.ts';
import { freshWamid, nowSeconds, postChange, statusOf } from '../harness/upstream-webhook.ts';

/** Returns the SQL that the operations guide runs on a restored database, with a shorter hold and one number left out. */
async function readProcedure({ phoneNumberId }: Tenant): Promise<string> {
  const guide = await readFile(join(import.meta.dirname, '../../docs/operations.md'), 'utf8');
  const sql = /```sql\n([^`]*UPDATE send_queue[^`]*);\s*```/.exec(guide)?.[1] ?? '';
  const leftOut = /`(WHERE number_id NOT IN [^`]*)`/.exec(guide)?.[1] ?? '';
  assert.ok(sql.includes(`'10 minutes'`) && leftOut.includes(`'…'`));
  return `${sql.replace(`'10 minutes'`, `'4 seconds'`)} ${leftOut.replace('…', phoneNumberId)}`;
}

test('a restored database: no waiting message is sent, each ends in a documented way', async (t) => {
  const { connectionString } = await createTestDatabase(t);
  const db = openDatabase({ connectionString, onIdleError: () => {} });
  t.after(() => db.close());
  const gateway = await createRestartableGateway({
    DATABASE_URL: connectionString,
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    ADMIN_TOKEN: 'operator',
  });
  t.after(() => gateway.close());
  const before = await gateway.start();
  const [tenant, untouched] = [await createTenant(before), await createTenant(before)];
  for (const sender of [tenant, untouched]) await pause(before, sender);
  const accept = (to: string) => sendTemplate(before, tenant, to);
  const unsent = await sendTemplate(before, untouched, freshRecipient());
  const [told, recipient] = [freshRecipient(), freshRecipient()];
  const ids = [await accept(told), await accept(recipient), await accept(recipient), await accept(told)] as const;
  before.kill('SIGTERM');
  await before.ended;

  // Pretends that the last lease ended an hour ago.
  await db.query({ text: `UPDATE shard_lease SET expires_at = now() - interval '1 hour'` });
  await db.query({ text: await readProcedure(untouched) });
  const after = await gateway.start();
  for (const sender of [tenant, untouched]) await resume(after, sender);
  await untilStatus(after, untouched, unsent, 'read');
  const read = statusOf(freshWamid(), 'read', nowSeconds(), { recipient_id: told.slice(1) });
  await postChange(after, tenant, { statuses: [read] });
  await untilStatus(after, tenant, ids[0], 'read');
  for (const id of ids.slice(1)) {
    await untilStatus(after, tenant, id, 'failed');
    assert.equal((await readMessage(after, tenant, id)).error_code, 'UNKNOWN_OUTCOME');
  }
  const later = await send(after, tenant, templateTo(recipient));
  const arrived = () => gateway.simulator.world.sends.list({ phoneNumberId: tenant.phoneNumberId });
  await until('what came later is sent', () => arrived().length > 0 || undefined);
  await untilStatus(after, tenant, later.json.messages[0].id, 'read');
  assert.equal(arrived().length, 1);
});
