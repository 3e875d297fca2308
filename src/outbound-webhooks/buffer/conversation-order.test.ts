import assert from 'node:assert/strict';
import { test } from 'node:test';
import { QueueTable } from '../../../test/support/outbound-webhooks/queue-table.ts';
import { messageEvent } from '../../../test/support/outbound-webhooks/sample-events.ts';
import { ConversationOrder } from './conversation-order.ts';

const event = messageEvent({ type: 'message.sent' });

test('conversation order: first deliveries wait for a retry → forgotten at the next read', () => {
  const order = new ConversationOrder();
  const table = new QueueTable();
  const entryOf = (conversation: string) => ({ row: table.insert(conversation), event });
  const names = Array.from({ length: 1_000 }, (_, index) => `c${index}`);
  for (const name of names) {
    assert.equal(order.admit(name, entryOf(name)), 'goes');
    const second = entryOf(name);
    assert.equal(order.admit(name, second), 'waits');
    assert.deepEqual(order.hold(name), [second]);
    assert.equal(order.admit(name, second), 'stays');
  }
  assert.equal(names.filter((name) => order.has(name)).length, 1_000);
  assert.deepEqual(order.beginRead(), []);
  assert.equal(names.filter((name) => order.has(name)).length, 0);
});

test('conversation order: chain of eight is full → later deliveries stay in the table', () => {
  const order = new ConversationOrder();
  const table = new QueueTable();
  const entries = Array.from({ length: 11 }, () => ({ row: table.insert('c'), event }));
  const admitted = entries.slice(0, 10).map((entry) => order.admit('c', entry));
  assert.deepEqual(admitted, ['goes', ...Array.from({ length: 8 }, () => 'waits'), 'stays']);
  assert.equal(order.advance('c'), entries[1]);
  for (const last of entries.slice(10)) assert.equal(order.admit('c', last), 'stays');
  for (const next of entries.slice(2, 9)) assert.equal(order.advance('c'), next);
  assert.equal(order.advance('c'), undefined);
  assert.deepEqual(order.beginRead(), ['c']);
  assert.equal(order.endRead('c', entries.slice(9), false), entries[9]);
  assert.equal(order.advance('c'), entries[10]);
  assert.equal(order.advance('c'), undefined);
  assert.equal(order.has('c'), false);
});

test('conversation order: read failed → read again, and nothing overtakes its rows', () => {
  const order = new ConversationOrder();
  const table = new QueueTable();
  order.admit('c', { row: table.insert('c'), event });
  order.block('c');
  assert.equal(order.advance('c'), undefined);
  assert.deepEqual(order.beginRead(), ['c']);
  order.abandonRead(['c']);
  assert.equal(order.admit('c', { row: table.insert('c'), event }), 'stays');
  order.skip('d');
  assert.deepEqual(order.beginRead(), ['c', 'd']);
});

test('conversation order: reset after a failure → still held for its delivery in flight', () => {
  const order = new ConversationOrder();
  order.admit('c', { row: new QueueTable().insert('c'), event });
  order.hold('c');
  order.reset(['c']);
  order.beginRead();
  assert.equal(order.has('c'), true);
});
