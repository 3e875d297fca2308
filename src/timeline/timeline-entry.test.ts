import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Event, MessageFacts } from '../events/index.ts';
import { eventEntry, inOrder } from './timeline-entry.ts';

const entry = (what: string, atMs: number) => ({ what, atMs, members: {} });

describe('a timeline', () => {
  it('inOrder: any clocks → events keep their sequence, other entries placed by time', () => {
    const events = [entry('queued', 10_100), entry('sent', 10_900), entry('delivered', 10_000), entry('read', 12_000)];
    const others = [entry('webhook', 11_000), entry('attempt', 10_500)];
    const order = inOrder(events, others).map(({ what }) => what);
    assert.deepEqual(order, ['queued', 'attempt', 'sent', 'delivered', 'webhook', 'read']);
  });

  it('eventEntry: source → answer, webhook, or none for Fairway itself', () => {
    const sourceOf = (event: Partial<Event>, errorCode: string | null = null) =>
      eventEntry({ upstreamField: null, message: { errorCode } as MessageFacts, ...event } as Event).members.source;
    assert.equal(sourceOf({ type: 'message.queued' }), undefined);
    assert.equal(sourceOf({ type: 'message.sent' }), 'answer');
    assert.equal(sourceOf({ type: 'message.failed' }, '131026'), 'answer');
    assert.equal(sourceOf({ type: 'message.failed' }, 'EXPIRED'), undefined);
    assert.equal(sourceOf({ type: 'message.failed', upstreamField: 'messages' }, '131026'), 'webhook');
    assert.equal(sourceOf({ type: 'message.received', upstreamField: 'messages', upstreamValue: null }), 'webhook');
  });
});
