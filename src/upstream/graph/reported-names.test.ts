import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reportedNames } from './reported-names.ts';

test('names in an answer: one name in two spellings, or half a contact → none', () => {
  const single = [
    { input: '+1 631 555 1234', wa_id: '16315551234' },
    { input: '+2250768504449', wa_id: '22568504449' },
    { input: 'US.13491208655302741918', user_id: 'US.13491208655302741918' },
    { input: '+16315551234' },
    { input: '+16315551234', wa_id: '' },
    {},
  ];
  for (const contact of single) assert.equal(reportedNames(contact), undefined, JSON.stringify(contact));
  assert.equal(reportedNames(null), undefined);
});

test('names in an answer: another number than dialled, or a number and a user id → all', () => {
  assert.deepEqual(reportedNames({ input: '+390612345678', wa_id: '39612345678' }), {
    numbers: ['390612345678', '39612345678'],
    userIds: [],
  });
  assert.deepEqual(reportedNames({ input: '+16315551234', wa_id: '16315551234', user_id: 'US.1' }), {
    numbers: ['16315551234', '16315551234'],
    userIds: ['US.1'],
  });
});
