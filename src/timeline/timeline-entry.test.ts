import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inOrder } from './timeline-entry.ts';

const entry = (what: string, atMs: number) => ({ what, atMs, members: {} });

describe('a timeline', () => {
  it('keeps events in the order they were told in, whatever the clocks said, and puts the rest between them by time', () => {
    const events = [entry('queued', 10_100), entry('sent', 10_900), entry('delivered', 10_000), entry('read', 12_000)];
    const others = [entry('webhook', 11_000), entry('attempt', 10_500)];
    const order = inOrder(events, others).map(({ what }) => what);
    assert.deepEqual(order, ['queued', 'attempt', 'sent', 'delivered', 'webhook', 'read']);
  });
});
