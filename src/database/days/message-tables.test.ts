import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newId } from '../../core/ids.ts';
import { groupByMessageTable, messageTableAt, messageTableOf } from './message-tables.ts';

const NOW_MS = Date.UTC(2026, 10, 22, 0, 0, 0, 500);
const DAY_MS = 24 * 60 * 60 * 1000;
const nameAt = (atMs: number) => messageTableAt(atMs, NOW_MS).name;

describe('message table', () => {
  it('message of the last 7 days → the partition of its UTC day; older → the whole table', () => {
    assert.equal(nameAt(NOW_MS), 'message_20261122');
    assert.equal(nameAt(NOW_MS - 501), 'message_20261121');
    assert.equal(nameAt(NOW_MS - 6 * DAY_MS), 'message_20261116');
    assert.equal(nameAt(NOW_MS - 7 * DAY_MS), 'message');
  });

  it('id from a clock ahead → tomorrow’s partition, and no later one', () => {
    assert.equal(nameAt(NOW_MS + DAY_MS), 'message_20261123');
    assert.equal(nameAt(NOW_MS + 2 * DAY_MS), 'message');
  });

  it('bounds of a partition → contain its ids and no others', () => {
    const startMs = NOW_MS - 500;
    const { fromId, toId } = messageTableAt(NOW_MS, NOW_MS);
    for (const [atMs, isThere] of [
      [startMs - 1, false],
      [startMs, true],
      [startMs + DAY_MS - 1, true],
      [startMs + DAY_MS, false],
    ] as const) {
      const id = newId(atMs);
      assert.equal(fromId <= id && id < toId, isThere, id);
    }
    const all = messageTableAt(0, NOW_MS);
    assert.ok(all.fromId <= newId(1) && newId(2 ** 48 - 1) < all.toId);
  });

  it('messages of several days → the whole table; grouped → one table per day', () => {
    const ids = [newId(NOW_MS), newId(NOW_MS - DAY_MS), newId(NOW_MS), newId(NOW_MS - 90 * DAY_MS)];
    assert.equal(messageTableOf([], NOW_MS).name, 'message');
    assert.equal(messageTableOf(['not an id'], NOW_MS).name, 'message');
    assert.equal(messageTableOf(ids.slice(0, 1), NOW_MS).name, 'message_20261122');
    assert.equal(messageTableOf(ids, NOW_MS).name, 'message');
    const groups = groupByMessageTable(ids, (id) => id, NOW_MS);
    assert.deepEqual(
      groups.map(({ table, items }) => [table.name, items]),
      [
        ['message_20261122', [ids[0], ids[2]]],
        ['message_20261121', [ids[1]]],
        ['message', [ids[3]]],
      ],
    );
  });
});
