import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConversationOrder } from './conversation-order.ts';
import { QueueTable } from './testing/queue-table.ts';
import { messageEvent } from './testing/sample-events.ts';

const event = messageEvent({ type: 'message.sent' });

test('nothing is kept of conversations that wait for the next attempt of their first delivery, but what a read under way may not tell', () => {
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
