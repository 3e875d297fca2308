import assert from 'node:assert/strict';
import { test } from 'node:test';
import { messageEvent, resourceEvent } from '../../../test/support/outbound-webhooks/sample-events.ts';
import type { Event } from '../../events/index.ts';
import { isWanted, type Subscription } from './endpoint-match.ts';

const all: Subscription = { id: 'e1', format: 'standard', eventTypes: null, phoneNumberIds: null, wabaIds: null };

function assertWanted(subscription: Partial<Subscription>, event: Event, expected: boolean): void {
  assert.equal(isWanted({ ...all, ...subscription }, event), expected);
}

test('match: no filters → every event is wanted', () => {
  assertWanted({}, messageEvent({ type: 'message.read' }), true);
  assertWanted({}, resourceEvent({ type: 'account.updated' }), true);
});

test('match: filter on types → only those types pass', () => {
  const only: Partial<Subscription> = { eventTypes: ['message.failed'] };
  assertWanted(only, messageEvent({ type: 'message.failed' }), true);
  assertWanted(only, messageEvent({ type: 'message.read' }), false);
});

test('match: filter on numbers or accounts → events of these, and of none, pass', () => {
  const event = messageEvent({ type: 'message.sent', phoneNumberId: '81', wabaId: '71' });
  assertWanted({ phoneNumberIds: ['81'] }, event, true);
  assertWanted({ phoneNumberIds: ['82'] }, event, false);
  assertWanted({ wabaIds: ['71'] }, event, true);
  assertWanted({ wabaIds: ['72'] }, event, false);
  assertWanted({ phoneNumberIds: ['82'] }, resourceEvent({ type: 'template.status_updated', wabaId: '71' }), true);
  assertWanted({ wabaIds: ['72'] }, resourceEvent({ type: 'template.status_updated', wabaId: '71' }), false);
  assertWanted({ wabaIds: ['72'] }, resourceEvent({ type: 'account.updated' }), true);
});

test('match: upstream format → only events with an upstream webhook pass', () => {
  assertWanted({ format: 'cloud_api' }, messageEvent({ type: 'message.queued' }), false);
  assertWanted({ format: 'cloud_api' }, messageEvent({ type: 'message.delivered' }), true);
  const told = resourceEvent({
    type: 'account.updated',
    wabaId: '71',
    upstream: { field: 'account_update', value: '{}' },
  });
  assertWanted({ format: 'cloud_api' }, told, true);
  assertWanted({ format: 'cloud_api' }, resourceEvent({ type: 'webhook.disabled' }), false);
});

test('match: test event → only for the endpoint it names, whatever its filters', () => {
  const event = resourceEvent({ type: 'webhook.test', detail: { webhook_id: 'e1' } });
  assertWanted({ eventTypes: ['message.failed'], phoneNumberIds: ['82'], format: 'cloud_api' }, event, true);
  assertWanted({ id: 'e2' }, event, false);
});

test('match: endpoint was disabled → only other endpoints get the event', () => {
  const event = resourceEvent({ type: 'webhook.disabled', detail: { webhook_id: 'e1' } });
  assertWanted({ id: 'e1' }, event, false);
  assertWanted({ id: 'e2', phoneNumberIds: ['82'] }, event, true);
  assertWanted({ id: 'e2', eventTypes: ['message.read'] }, event, false);
});
