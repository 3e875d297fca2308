import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '../../core/seeded-random.ts';
import { FaultBook, type FaultSeed } from './faults.ts';

const target = { endpoint: 'messages', wabaId: 'w', phoneNumberId: 'n', recipient: 'r' } as const;
const error: FaultSeed['fault'] = { kind: 'error', code: 131000 };

function bookOf(...seeds: FaultSeed[]): FaultBook {
  const book = new FaultBook(seededRandom(7));
  for (const seed of seeds) book.add(seed, 0);
  return book;
}

test('fault: hits only calls of its scope', () => {
  for (const scope of [
    { endpoint: 'media' },
    { wabaId: 'x' },
    { phoneNumberId: 'x' },
    { recipient: 'x' },
    { endpoint: 'messages', recipient: 'x' },
  ] as const) {
    assert.equal(bookOf({ fault: error, scope }).take(target, 0).request, null);
  }
  for (const scope of [{}, { endpoint: 'messages' }, { wabaId: 'w', recipient: 'r' }] as const) {
    assert.deepEqual(bookOf({ fault: error, scope }).take(target, 0).request, error);
  }
});

test('fault: ends after its times or its period', () => {
  const counted = bookOf({ fault: error, times: 2 });
  assert.deepEqual(
    [1, 2, 3].map(() => counted.take(target, 0).request !== null),
    [true, true, false],
  );
  const timed = bookOf({ fault: error, periodMs: 100 });
  assert.deepEqual(
    [0, 99, 100].map((nowMs) => timed.take(target, nowMs).request !== null),
    [true, true, false],
  );
});

test('fault with a probability: hits that share, the same calls for the same seed', () => {
  const hits = () => {
    const book = bookOf({ fault: error, probability: 0.3 });
    return Array.from({ length: 1000 }, () => book.take(target, 0).request !== null);
  };
  const first = hits();
  const share = first.filter(Boolean).length / first.length;
  assert.ok(share > 0.25 && share < 0.35, `share ${share} with seed 7`);
  assert.deepEqual(hits(), first);
});

test('several faults: delays add up, delivery faults combine, second request fault waits', () => {
  const book = bookOf(
    { fault: { kind: 'slow', delayMs: 10 } },
    { fault: { kind: 'slow', delayMs: 5 } },
    { fault: error, times: 1 },
    { fault: { kind: 'hang' }, times: 1 },
    { fault: { kind: 'webhook_reordered' } },
    { fault: { kind: 'webhook_duplicated', copies: 2 } },
  );
  const first = book.take(target, 0);
  assert.equal(first.delayMs, 15);
  assert.deepEqual(first.request, error);
  assert.equal(first.delivery.length, 2);
  assert.equal(book.take(target, 0).request?.kind, 'hang');
  assert.equal(book.take(target, 0).request, null);
});

test('reset before the body: decided by the headers unless limited to one recipient', () => {
  const early = bookOf({ fault: { kind: 'reset_before' }, times: 1 });
  assert.equal(early.takeEarlyReset({ endpoint: 'messages', phoneNumberId: 'n' }, 0), true);
  assert.equal(early.takeEarlyReset({ endpoint: 'messages', phoneNumberId: 'n' }, 0), false);
  const forMarkRead = bookOf({ fault: { kind: 'reset_before' }, scope: { endpoint: 'mark_read' } });
  assert.equal(forMarkRead.take({ ...target, endpoint: 'mark_read' }, 0).request?.kind, 'reset_before');
  const forRecipient = bookOf({ fault: { kind: 'reset_before' }, scope: { recipient: 'r' } });
  assert.equal(forRecipient.takeEarlyReset({ endpoint: 'messages', phoneNumberId: 'n' }, 0), false);
  assert.equal(forRecipient.take(target, 0).request?.kind, 'reset_before');
});
