import assert from 'node:assert/strict';
import { test } from 'node:test';
import { maskForSupport } from './support-mask.ts';

const masked = (value: unknown) => JSON.parse(maskForSupport(JSON.stringify(value)));

test('support mask: phone numbers → their last two digits', () => {
  assert.deepEqual(masked({ numbers: [{ phone_number: '15550783881', phone_number_id: '106', paused: false }] }), {
    numbers: [{ phone_number: '•••81', phone_number_id: '106', paused: false }],
  });
});

test('support mask: ids of the platform, which contain the number → their prefix', () => {
  const id = `wamid.${Buffer.from('\x1d\x18\x0b15550783881\x15\x02\x00').toString('base64')}`;
  const shown = masked({ data: [{ message_id: id, error_message: `${id} is unknown` }] });
  assert.deepEqual(shown, { data: [{ message_id: 'wamid.•••', error_message: 'wamid.••• is unknown' }] });
});

test('support mask: a webhook of the platform → kinds stay, everything about people goes', () => {
  const message = { from: '491701234567', id: 'wamid.X', timestamp: '1', type: 'text', text: { body: 'secret 4711' } };
  const value = { contacts: [{ profile: { name: 'Ada' }, wa_id: '491701234567' }], messages: [message] };
  const entry = { id: '102', changes: [{ field: 'messages', value }] };
  const shown = masked({
    data: [{ id: 7, failure: null, payload: { object: 'whatsapp_business_account', entry: [entry] } }],
  });
  assert.doesNotMatch(JSON.stringify(shown), /4711|49170|Ada|wamid/);
  const { payload, ...rest } = shown.data[0];
  assert.deepEqual(rest, { id: 7, failure: null });
  assert.equal(payload.object, 'whatsapp_business_account');
  assert.equal(payload.entry[0].changes[0].field, 'messages');
  assert.equal(payload.entry[0].changes[0].value.messages[0].type, 'text');
  assert.deepEqual(masked({ payload_base64: 'c2VjcmV0' }), { payload_base64: '•••' });
});

test('support mask: an object under the name of a kind → masked inside', () => {
  assert.deepEqual(masked({ payload: { status: { note: 'secret' }, errors: [{ title: 'secret', code: 5 }] } }), {
    payload: { status: { note: '•••' }, errors: [{ title: '•••', code: 5 }] },
  });
});
