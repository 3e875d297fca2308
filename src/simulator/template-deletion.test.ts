import assert from 'node:assert/strict';
import { test } from 'node:test';
import { valuesIn } from '../../test/support/simulator/callback-receiver.ts';
import { startTestSimulator, type TestSimulator, template, WABA } from '../../test/support/simulator/test-simulator.ts';

const path = `/${WABA}/message_templates`;

/** Creates one approved template in two languages. Returns their ids. */
function addLanguages({ world }: TestSimulator): string[] {
  return ['en_US', 'de'].map((language) => world.addTemplate(WABA, { name: 'order_update', language }).id);
}

test('delete: all languages or one, approved name stays locked', async (t) => {
  const sim = await startTestSimulator(t);
  const [, german] = addLanguages(sim);
  assert.deepEqual((await sim.call('DELETE', `${path}?name=order_update&hsm_id=${german}`)).body, { success: true });
  const again = {
    name: 'order_update',
    language: 'de',
    category: 'UTILITY',
    components: [{ type: 'BODY', text: 'Hi' }],
  };
  assert.equal((await sim.call('POST', path, again)).error.error_subcode, 2388023);
  assert.equal((await sim.send(template('order_update'))).status, 200);
  assert.deepEqual((await sim.call('DELETE', `${path}?name=order_update`)).body, { success: true });
  const gone = await sim.send(template('order_update'));
  assert.deepEqual([gone.status, gone.error.code], [404, 132001]);
  assert.equal((await sim.call('DELETE', `${path}?name=order_update`)).status, 400);
});

test('delete: needs a name, or only a list of ids', async (t) => {
  const sim = await startTestSimulator(t);
  const [id] = addLanguages(sim);
  for (const query of ['', `hsm_id=${id}`, `hsm_ids=[${id}]&name=order_update`, `hsm_ids=[${id}]&hsm_id=${id}`]) {
    assert.equal((await sim.call('DELETE', `${path}?${query}`)).status, 400, query);
  }
  assert.deepEqual((await sim.call('DELETE', `${path}?hsm_ids=[${id}]`)).body, { success: true });
});

test('delete: one webhook per language', async (t) => {
  const sim = await startTestSimulator(t);
  const ids = addLanguages(sim);
  await sim.call('DELETE', `${path}?name=order_update`);
  await sim.world.whenQuiet();
  const told = sim.receiver.received.map(({ payload }) => valuesIn(payload)[0]);
  assert.deepEqual(
    told.map((value) => value?.event),
    ['DELETED', 'DELETED'],
  );
  assert.deepEqual(new Set(told.map((value) => String(value?.message_template_id))), new Set(ids));
});
