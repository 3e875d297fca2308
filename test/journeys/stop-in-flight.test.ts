import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startFurtherNode, startGateway } from '../harness/gateway.ts';
import { createTenant, freshRecipient, readMessage, sendTemplate, until } from '../harness/tenant.ts';

test('a stopping node: records answers in flight, even if the database refuses its release', async (t) => {
  const first = await startGateway({ isOneOfSeveral: true, roles: ['api'] });
  t.after(() => first.stop());
  const second = await startFurtherNode(first, { roles: ['dispatch'] });
  const tenant = await createTenant(first);
  const { phoneNumberId } = tenant;
  first.simulator.world.addFault({ fault: { kind: 'slow', delayMs: 1_500 }, scope: { phoneNumberId } });
  await first.app.db.query({
    text: `
      CREATE FUNCTION refuse_to_let_go() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF NEW.id = '${second.app.nodeId}' AND NOT NEW.dispatches THEN RAISE EXCEPTION 'not now'; END IF;
        RETURN NEW;
      END $$;
      CREATE TRIGGER let_go BEFORE UPDATE ON node FOR EACH ROW EXECUTE FUNCTION refuse_to_let_go()`,
  });
  const readJournal = () => first.app.db.query({ text: 'SELECT shard FROM dispatch_journal' });
  const id = await sendTemplate(first, tenant, freshRecipient());
  await until('it is on its way', async () => (await readJournal())[0]);
  await second.stop();
  const { message_id: wamid } = await readMessage(first, tenant, id);
  assert.match(String(wamid), /^wamid/);
  assert.deepEqual(await readJournal(), []);
});
