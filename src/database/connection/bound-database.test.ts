import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError } from '../../core/errors.ts';
import type { Database, Queryable } from '../database.ts';
import { boundDatabase } from './bound-database.ts';

/** A database whose statements stay in progress until the test answers them. */
function openTable() {
  const underWay: { text: string; answer: () => void; fail: () => void }[] = [];
  const ask = (text: string) =>
    new Promise<never[]>((resolve, reject) => {
      underWay.push({ text, answer: () => resolve([]), fail: () => reject(new Error('failed')) });
    });
  const db: Database = {
    query: async ({ text }) => await ask(text),
    async transaction(work) {
      await ask('BEGIN');
      return await work({ query: async () => [] } satisfies Queryable);
    },
    waiting: () => 0,
    close: async () => {},
  };
  return { db, underWay };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('bound database: above the limit → the rest waits in order, after failures too', async () => {
  const { db, underWay } = openTable();
  const bound = boundDatabase(db, 2);
  const asked = [
    bound.query({ text: 'first' }).catch(() => {}),
    bound.transaction(async () => {}),
    bound.query({ text: 'second' }),
    bound.query({ text: 'third' }),
  ];
  await turn();
  assert.deepEqual([underWay.map(({ text }) => text), bound.waiting()], [['first', 'BEGIN'], 2]);
  underWay[0]?.fail();
  await turn();
  underWay[1]?.answer();
  await turn();
  assert.deepEqual(underWay.map(({ text }) => text).slice(2), ['second', 'third']);
  for (const { answer } of underWay) answer();
  await Promise.all(asked);
  const last = bound.query({ text: 'last' });
  await turn();
  assert.equal(underWay.at(-1)?.text, 'last', 'all slots are free again');
  underWay.at(-1)?.answer();
  await last;
});

test('bound database: 5 s of waiting → refused, and takes no slot later', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { db, underWay } = openTable();
  const bound = boundDatabase(db, 1);
  const first = bound.query({ text: 'first' });
  const early = assert.rejects(
    bound.query({ text: 'early' }),
    (error: unknown) => error instanceof AppError && error.code === 'UNAVAILABLE',
  );
  t.mock.timers.tick(4_000);
  const late = bound.query({ text: 'late' });
  t.mock.timers.tick(1_000);
  await early;
  assert.equal(bound.waiting(), 1);
  underWay[0]?.answer();
  await first;
  await turn();
  assert.deepEqual(
    underWay.map(({ text }) => text),
    ['first', 'late'],
  );
  underWay[1]?.answer();
  await late;
});

test('bound database: party that stopped waiting → does not block later ones', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { db, underWay } = openTable();
  let asking = 'first';
  const bound = boundDatabase(db, 1, () => asking);
  const ask = (party: string) => {
    asking = party;
    return bound.query({ text: party });
  };
  const first = ask('first');
  const early = assert.rejects(ask('early'));
  t.mock.timers.tick(4_000);
  const late = ask('late');
  t.mock.timers.tick(1_000);
  await early;
  underWay[0]?.answer();
  await first;
  await turn();
  assert.deepEqual(
    underWay.map(({ text }) => text),
    ['first', 'late'],
  );
  underWay[1]?.answer();
  await late;
});

test('bound database: several waiting parties → served in turns, however much each asks', async () => {
  const { db, underWay } = openTable();
  let asking: string | undefined;
  const bound = boundDatabase(db, 1, () => asking);
  const ask = (party: string | undefined, text: string) => {
    asking = party;
    return bound.query({ text });
  };
  const askFor = (party: string, text: string) => {
    asking = 'crowd';
    return bound.for(party).query({ text });
  };
  const asked = [
    ask('crowd', 'crowd 1'),
    ask('crowd', 'crowd 2'),
    ask('crowd', 'crowd 3'),
    ask('crowd', 'crowd 4'),
    ask('one', 'one 1'),
    ask(undefined, 'nobody 1'),
    askFor('one', 'one 2'),
  ];
  for (let answered = 0; answered < asked.length; answered += 1) {
    await turn();
    underWay[answered]?.answer();
  }
  await Promise.all(asked);
  assert.deepEqual(
    underWay.map(({ text }) => text),
    ['crowd 1', 'crowd 2', 'one 1', 'nobody 1', 'crowd 3', 'one 2', 'crowd 4'],
  );
  assert.equal(bound.waiting(), 0);
});

test('bound database: one busy party → leaves one slot to the others', async () => {
  const { db, underWay } = openTable();
  const bound = boundDatabase(db, 3);
  const asked = ['crowd 1', 'crowd 2', 'crowd 3', 'crowd 4', 'one 1', 'one 2', 'two 1'].map((text) =>
    bound.for(text.slice(0, -2)).query({ text }),
  );
  const begun = () => underWay.map(({ text }) => text);
  await turn();
  assert.deepEqual([begun(), bound.waiting()], [['crowd 1', 'crowd 2', 'one 1'], 4]);
  for (let answered = 0; answered < asked.length; answered += 1) {
    underWay[answered]?.answer();
    await turn();
  }
  await Promise.all(asked);
  assert.deepEqual(begun().slice(3), ['crowd 3', 'one 2', 'two 1', 'crowd 4']);
  const again = ['crowd 5', 'crowd 6', 'crowd 7'].map((text) => bound.for('crowd').query({ text }));
  const nobody = [bound.query({ text: 'nobody 1' })];
  await turn();
  assert.deepEqual([begun().slice(7), bound.waiting()], [['crowd 5', 'crowd 6', 'nobody 1'], 1]);
  underWay.at(-1)?.answer();
  await turn();
  assert.equal(bound.waiting(), 1, 'a free slot is not given to a party at its limit');
  for (let answered = 7; answered < underWay.length; answered += 1) {
    underWay[answered]?.answer();
    await turn();
  }
  await Promise.all([...again, ...nobody]);
});
