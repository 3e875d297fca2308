import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { createManualClock } from '../../../test/harness/manual-clock.ts';
import { NUMBER } from '../../../test/support/dispatch-number.ts';
import { bookOf, JOURNALED, openNumber, partsAround, ROW, WAITING } from '../../../test/support/sending-parts.ts';
import { wabaNotFound } from '../../accounts/index.ts';
import { systemClock } from '../../core/time/clock.ts';
import type { WriteGate } from '../numbers/write-gate.ts';
import type { DispatchOutcome } from '../outcomes/dispatch-outcome.ts';
import { Scheduler } from '../scheduler/index.ts';
import { createSending, type SendingParts } from './create-sending.ts';

test('expired message: found by the journal → the next one gets its slot at once', async () => {
  const scheduler = new Scheduler();
  openNumber(
    scheduler,
    0,
    { flows: [{ flowId: ROW.flowId, rows: [ROW, { ...ROW, seq: 8, messageId: 'next' }], more: false }], held: [] },
    1,
  );
  const { promise: goesOn, resolve } = Promise.withResolvers<number | undefined>();
  const { journal } = createSending(
    partsAround({
      ...{ clock: systemClock, scheduler },
      query: async () => [{ ...JOURNALED, expires_at: new Date(0), cancelled: false }],
      wakeup: { wake: () => resolve(scheduler.take(systemClock.monotonicMs() + 1_000, 1)[0]?.seq) },
    }),
  );
  await journal.dispatch(scheduler.take(0, 1));
  assert.equal(await goesOn, 8);
});

test('message: expires between the journal and the first byte → withheld, then EXPIRED', async () => {
  const clock = createManualClock();
  const scheduler = new Scheduler();
  openNumber(scheduler, clock.monotonicMs(), WAITING, 1);
  const expiresAt = new Date(clock.now() + 1_000);
  const mayWrite: (boolean | undefined)[] = [];
  const { promise: ended, resolve: end } = Promise.withResolvers<DispatchOutcome>();
  const again = Promise.withResolvers<void>();
  const parts = partsAround({
    ...{ clock, scheduler },
    query: async () => [{ ...JOURNALED, expires_at: expiresAt }],
    async post(request) {
      mayWrite.push(request.mayWrite?.());
      clock.advance(1_000);
      mayWrite.push(request.mayWrite?.());
      return { kind: 'unsent', reason: 'withheld' };
    },
    wakeup: { wake: again.resolve },
  });
  const { journal } = createSending({
    ...parts,
    recorder: { ...parts.recorder, complete: async (_, outcome) => end(outcome) },
  });
  await journal.dispatch(scheduler.take(clock.monotonicMs(), 1));
  await again.promise;
  assert.deepEqual(mayWrite, [true, false]);
  await journal.dispatch(scheduler.take(clock.monotonicMs(), 1));
  assert.partialDeepStrictEqual(await ended, { kind: 'failed', errorCode: 'EXPIRED' });
});

test('message: its number is parked after the journal → not sent', async () => {
  const scheduler = new Scheduler();
  openNumber(scheduler, 0, WAITING, 1);
  let number = NUMBER;
  const { promise: mayWrite, resolve: asked } = Promise.withResolvers<boolean | undefined>();
  const { journal } = createSending(
    partsAround({
      ...{ clock: systemClock, scheduler },
      async post(request) {
        number = { ...NUMBER, parked: { code: '190', reason: 'The token has expired.' } };
        asked(request.mayWrite?.());
        return { kind: 'unsent', reason: 'withheld' };
      },
      book: bookOf(() => number),
    }),
  );
  await journal.dispatch(scheduler.take(0, 1));
  assert.equal(await mayWrite, false);
});

test('message: the journal finds its number paused → waits, and the number is read again', async () => {
  const scheduler = new Scheduler();
  openNumber(scheduler, 0, WAITING, 1);
  const read: boolean[] = [];
  const refresh: SendingParts['book']['refresh'] = async (concerns) =>
    void read.push(concerns?.(NUMBER) ?? false, concerns?.({ ...NUMBER, numberId: 2 }) ?? false);
  const { journal } = createSending(
    partsAround({
      ...{ clock: systemClock, scheduler },
      query: async () => [{ ...JOURNALED, paused: true }],
      book: { ...bookOf(() => NUMBER), refresh },
    }),
  );
  await journal.dispatch(scheduler.take(0, 1));
  assert.deepEqual(read, [true, false]);
  assert.equal(scheduler.take(systemClock.monotonicMs() + 10_000, 1)[0]?.seq, ROW.seq);
});

for (const [what, act, calls] of [
  ['written in full → counts for its number from then', ['mayWrite', 'wrote'], ['wrote', 'end']],
  ['lost during the write → counts for its number once that is known', ['mayWrite'], ['end', 'wrote']],
  ['never begun to be written → gives its turn to another', [], ['end', 'gaveUp']],
] as const) {
  test(`message: ${what}`, async () => {
    const scheduler = new Scheduler();
    openNumber(scheduler, 0, WAITING, 1);
    const seen: string[] = [];
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const gate = {
      ...{ enter: async () => {}, wrote: () => seen.push('wrote'), gaveUp: () => seen.push('gaveUp') },
    } as unknown as WriteGate;
    const { journal } = createSending(
      partsAround({
        ...{ clock: systemClock, scheduler },
        async post(request) {
          for (const step of act) request[step]?.();
          seen.push('end');
          return { kind: 'unsent', reason: 'withheld' };
        },
        book: { ...bookOf(() => NUMBER), findGate: () => gate },
        wakeup: { wake: end },
      }),
    );
    await journal.dispatch(scheduler.take(0, 1));
    await ended;
    assert.deepEqual(seen, calls);
  });
}

for (const [what, error, isLogged] of [
  ['disconnected a moment ago', wabaNotFound(), false],
  ['unreadable', new Error('the connection is dead'), true],
] as const) {
  test(`token: account ${what} → message waits, ${isLogged ? 'logged' : 'nothing logged'}`, async () => {
    const scheduler = new Scheduler();
    openNumber(scheduler, 0, WAITING, 1);
    const logged: string[] = [];
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const { journal } = createSending(
      partsAround({
        ...{ clock: systemClock, scheduler },
        log: pino({ level: 'warn' }, { write: (line) => logged.push(line) }),
        accounts: {
          tokenOf() {
            throw error;
          },
        },
        wakeup: { wake: end },
      }),
    );
    await journal.dispatch(scheduler.take(0, 1));
    await ended;
    assert.equal(logged.length, isLogged ? 1 : 0, logged[0]);
    assert.equal(scheduler.take(systemClock.monotonicMs() + 10_000, 1)[0]?.seq, ROW.seq);
  });
}

test('unknown outcome, then a setting changed → UNKNOWN_OUTCOME, nothing is sent', async () => {
  const scheduler = new Scheduler();
  openNumber(scheduler, 0, WAITING, 1);
  const { promise: ended, resolve: end } = Promise.withResolvers<DispatchOutcome>();
  const attemptedAt = new Date(Date.now() - 30_000);
  const template = { type: 'template', template: { name: 'sale', language: { code: 'en' } } };
  const facts = {
    ...{ setting: 'on', ready: true, account_changed_at: new Date() },
    ...{ category: 'MARKETING', refused: false, version_changed_at: null },
  };
  const parts = partsAround({
    ...{ clock: systemClock, scheduler },
    query: async ({ name }) =>
      name === 'road_read_facts' ? [facts] : [{ ...JOURNALED, attempted_at: attemptedAt, unknown_count: 1 }],
    bodies: {
      has: () => true,
      take: () => ({ body: JSON.stringify(template), [Symbol.dispose]() {} }),
      takesLarge: () => true,
    },
  });
  const { journal } = createSending({
    ...parts,
    recorder: { ...parts.recorder, complete: async (_, outcome) => end(outcome) },
  });
  await journal.dispatch(scheduler.take(0, 1));
  assert.partialDeepStrictEqual(await ended, { kind: 'failed', errorCode: 'UNKNOWN_OUTCOME' });
});
