import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ModelStore } from '../../sim/store/model-store.ts';
import { statementModels } from '../../sim/store/statements/statement-models.ts';
import { seededRandom } from '../../src/core/seeded-random.ts';
import { systemClock } from '../../src/core/time/clock.ts';
import { openDatabase, type Queryable } from '../../src/database/database.ts';
import { preparePartitions } from '../../src/maintenance.ts';
import { createTestDatabase } from '../harness/database.ts';
import { TEST_SEED } from '../harness/seed.ts';
import { History } from '../support/model-store/history.ts';

const STEPS = 250;

/** Returns the model as a database in which each statement is a transaction. */
function modelDatabase(store: ModelStore): Queryable {
  return {
    query: <Row extends object>(statement: Parameters<Queryable['query']>[0]) =>
      new Promise<Row[]>((resolve, reject) => {
        const session = store.begin();
        store.execute(session, statement, (end) => {
          if ('error' in end) {
            session.abort();
            return reject(end.error);
          }
          session.commit();
          resolve(end.rows as Row[]);
        });
      }),
  };
}

test(`the database model: answers as PostgreSQL does (TEST_SEED=${TEST_SEED})`, async (t) => {
  const { connectionString } = await createTestDatabase(t);
  const real = openDatabase({ connectionString, connectionsMax: 1, onIdleError() {} });
  t.after(() => real.close());
  await preparePartitions({ db: real, clock: systemClock });
  const store = new ModelStore(statementModels, () => Date.now());
  const model = modelDatabase(store);
  const history = new History(seededRandom(TEST_SEED), model);
  await history.connectAll(real, store);
  for (let step = 1; step <= STEPS; step += 1) {
    const act = history.next();
    assert.deepEqual(await act(model), await act(real), `step ${step}`);
    const [modelled, found] = [await history.look(model), await history.look(real)];
    assert.deepEqual(modelled.seen, found.seen, `after step ${step}`);
    const isNear = found.timesMs.every((atMs, index) => Math.abs(atMs - (modelled.timesMs[index] ?? 0)) < 5_000);
    assert.ok(isNear, `after step ${step}: ${modelled.timesMs} instead of ${found.timesMs}`);
  }
});
