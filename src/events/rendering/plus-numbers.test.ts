import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withPlusNumbers } from './plus-numbers.ts';

const OURS = '15550001111';
const metadata = { display_phone_number: OURS, phone_number_id: '80' };

/** Returns the change's value as an endpoint with `"phone_numbers": "e164"` gets it. */
function plussed(value: object, field = 'messages') {
  const payload = { object: 'whatsapp_business_account', entry: [{ id: '70', changes: [{ value, field }] }] };
  return JSON.parse(withPlusNumbers(JSON.stringify(payload))).entry[0].changes[0].value;
}

test('numbers: shared contact → `+` where its phone is the number of its wa_id', () => {
  const phones = [
    { phone: '16505551234', wa_id: '16505551234' },
    { phone: '1 (650) 555-1234', wa_id: '16505551234', type: 'HOME' },
    { phone: '+1 650-555-1234', wa_id: '16505551234' },
    { phone: '050 123 45 67', wa_id: '972501234567' },
    { phone: '050 123 45 67' },
  ];
  const { messages } = plussed({
    metadata,
    messages: [{ from: '16505551111', type: 'contacts', contacts: [{ phones }] }],
  });
  assert.equal(messages[0].from, '+16505551111');
  assert.deepEqual(messages[0].contacts[0].phones, [
    { phone: '+16505551234', wa_id: '+16505551234' },
    { phone: '+1 (650) 555-1234', wa_id: '+16505551234', type: 'HOME' },
    { phone: '+1 650-555-1234', wa_id: '+16505551234' },
    { phone: '050 123 45 67', wa_id: '+972501234567' },
    { phone: '050 123 45 67' },
  ]);
});

test('numbers: quotes, system messages, participants → `+`; our number, ids and groups unchanged', () => {
  const value = {
    metadata,
    messages: [
      { from: '16505551111', context: { from: OURS, id: '123' }, text: { body: '16505551111' } },
      { from: '16505551111', context: { from: '16505551111', id: '124' } },
      { from: '16505551111', type: 'system', system: { wa_id: '16505552222', new_wa_id: '16505553333' } },
    ],
    statuses: [
      { id: '5', recipient_id: 'Y2FwaV9ncm91cDox', recipient_participant_id: '16505551111', timestamp: '179' },
    ],
  };
  const { messages, statuses } = plussed(value);
  assert.deepEqual(
    messages.map((message: { context?: unknown }) => message.context),
    [{ from: OURS, id: '123' }, { from: '+16505551111', id: '124' }, undefined],
  );
  assert.deepEqual(messages[0].text, { body: '16505551111' });
  assert.deepEqual(messages[2].system, { wa_id: '+16505552222', new_wa_id: '+16505553333' });
  assert.deepEqual(statuses, [{ ...value.statuses[0], recipient_participant_id: '+16505551111' }]);
});

test('numbers: standby, hand-overs, synced contacts and history → `+` at every depth', () => {
  const item = { wa_id: '16505551111' };
  const standby = {
    contacts: [item],
    messages: [{ from: '16505551111' }],
    message_echoes: [{ id: 'w', message: { to: '16505551111' } }],
    statuses: [{ recipient_id: '16505551111' }],
  };
  const plus = { wa_id: '+16505551111' };
  assert.deepEqual(plussed({ metadata, standby }, 'standby').standby, {
    contacts: [plus],
    messages: [{ from: '+16505551111' }],
    message_echoes: [{ id: 'w', message: { to: '+16505551111' } }],
    statuses: [{ recipient_id: '+16505551111' }],
  });
  assert.deepEqual(plussed({ sender: { phone_number: '16505551111' }, recipient: metadata }, 'messaging_handovers'), {
    sender: { phone_number: '+16505551111' },
    recipient: metadata,
  });
  const thread = { id: '16505551111', context: item, messages: [{ from: OURS, to: '16505551111', id: '9' }] };
  const contact = { full_name: 'Ada', phone_number: '16505551111' };
  const { history, state_sync } = plussed({ metadata, history: [{ threads: [thread] }], state_sync: [{ contact }] });
  assert.deepEqual(history[0].threads[0], {
    id: '+16505551111',
    context: plus,
    messages: [{ from: OURS, to: '+16505551111', id: '9' }],
  });
  assert.deepEqual(state_sync[0].contact, { full_name: 'Ada', phone_number: '+16505551111' });
});

test('numbers: account change → our own number unchanged, however a member is called', () => {
  const value = { event: 'VERIFIED_ACCOUNT', phone_number: '15550001111', toString: { constructor: '1' } };
  assert.deepEqual(plussed(value, 'account_update'), value);
});
