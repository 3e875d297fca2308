import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createManualClock } from '../../test/harness/manual-clock.ts';
import { messagesIn } from '../../test/support/simulator/callback-receiver.ts';
import { by, startPeople } from '../../test/support/simulator/people.ts';
import { NUMBER, OTHER_NUMBER, template, text, USER, WABA } from '../../test/support/simulator/test-simulator.ts';
import { asObject, asObjects } from './graph/json-object.ts';

const DAY_MS = 86_400_000;
const NEW_PHONE = '16505550000';

test('person with a user name: phone visible for 30 days after the last exchange with it', async (t) => {
  const clock = createManualClock();
  const { world, inbound } = await startPeople(t, { clock });
  world.updateWaba(WABA, { hasContactBook: false });
  await inbound();
  await world.updatePerson(USER, { username: 'ada' });
  clock.advance(30 * DAY_MS - 1);
  const seen = await inbound();
  assert.deepEqual([seen.message.from, seen.contact.wa_id], [USER, USER]);
  assert.deepEqual(asObject(seen.contact.profile)?.username, 'ada');
  clock.advance(30 * DAY_MS);
  const hidden = await inbound();
  assert.deepEqual([hidden.message.from, hidden.contact.wa_id], [undefined, undefined]);
  assert.deepEqual([hidden.message.from_user_id, 'wa_id' in hidden.contact], [hidden.contact.user_id, false]);
});

test('message to the phone: shows it for 30 days more; one to the user id does not', async (t) => {
  const clock = createManualClock();
  const { world, inbound, send, userIdOf } = await startPeople(t, { clock });
  world.updateWaba(WABA, { hasContactBook: false });
  await world.updatePerson(USER, { hidesPhone: true });
  await send({ ...template('hello'), ...by(await userIdOf()) });
  assert.equal((await inbound()).message.from, undefined);
  await send(template('hello'));
  assert.equal((await inbound()).message.from, USER);
});

test('person without a user name: phone always visible', async (t) => {
  const clock = createManualClock();
  const { world, inbound } = await startPeople(t, { clock });
  world.updateWaba(WABA, { hasContactBook: false });
  clock.advance(90 * DAY_MS);
  assert.equal((await inbound()).message.from, USER);
  await world.updatePerson(USER, { hidesPhone: true });
  assert.equal((await inbound()).message.from, undefined);
  await world.updatePerson(USER, { hidesPhone: false });
  assert.equal((await inbound()).message.from, USER);
});

test('contact book: keeps the phone visible after 30 days, for its own account only', async (t) => {
  const clock = createManualClock();
  const { world, inbound, receiver } = await startPeople(t, { clock });
  await inbound();
  await world.updatePerson(USER, { username: 'ada' });
  clock.advance(60 * DAY_MS);
  assert.equal((await inbound()).message.from, USER);
  receiver.received.length = 0;
  await world.inbound({ phoneNumberId: OTHER_NUMBER, from: USER });
  assert.equal(messagesIn(receiver.received[0]?.payload ?? {})[0]?.from, undefined);
  clock.advance(60 * DAY_MS);
  world.updateWaba(WABA, { hasContactBook: false });
  assert.equal((await inbound()).message.from, undefined);
});

test('answer to a contact request: the phone is visible from then on', async (t) => {
  const { world, inbound } = await startPeople(t);
  await world.updatePerson(USER, { hidesPhone: true });
  const content = [{ origin: 'contact_request', phones: [{ phone: `+${USER}`, wa_id: USER }] }];
  assert.equal((await inbound(USER, { type: 'contacts', content })).message.from, undefined);
  assert.equal((await inbound()).message.from, USER);
});

test('hidden phone: left out, or an empty string by the setting', async (t) => {
  const { world, inbound, control, sendAndFollow, userIdOf } = await startPeople(t);
  await world.updatePerson(USER, { hidesPhone: true });
  await control('PATCH', '/settings', { absent_phones: 'empty' });
  const { message, contact } = await inbound();
  assert.deepEqual([message.from, contact.wa_id], ['', '']);
  const { statuses } = await sendAndFollow({ ...text(), ...by(await userIdOf()) });
  assert.deepEqual(
    statuses.map(({ status }) => status.recipient_id),
    ['', '', ''],
  );
});

test('new number: webhooks to every number that knew the person; window kept', async (t) => {
  const { world, inbound, receiver, changes, userIdOf, send } = await startPeople(t);
  await inbound();
  await send(template('hello'));
  await world.whenQuiet();
  const previous = await userIdOf();
  receiver.received.length = 0;
  await world.updatePerson(USER, { phone: `+${NEW_PHONE}` });
  const current = await userIdOf(NEW_PHONE);
  assert.notEqual(current, previous);
  const [numberChange, idChange, update] = changes();
  assert.equal(changes().length, 3);
  const [byNumber] = asObjects(numberChange?.value.messages);
  assert.deepEqual([byNumber?.from, byNumber?.type], [USER, 'system']);
  assert.partialDeepStrictEqual(byNumber?.system, { wa_id: NEW_PHONE, type: 'user_changed_number' });
  assert.partialDeepStrictEqual(asObjects(idChange?.value.messages)[0]?.system, {
    wa_id: NEW_PHONE,
    user_id: current,
    type: 'user_changed_user_id',
  });
  assert.equal('contacts' in (idChange?.value ?? {}), false);
  assert.equal(update?.field, 'user_id_update');
  assert.partialDeepStrictEqual(asObjects(update?.value.user_id_update)[0], {
    wa_id: NEW_PHONE,
    user_id: { previous, current },
  });
  assert.equal(world.isWindowOpen(NUMBER, NEW_PHONE), true);
});

test('new user id of a person with a hidden phone: webhooks name no phone', async (t) => {
  const { world, inbound, receiver, changes } = await startPeople(t);
  await world.updatePerson(USER, { hidesPhone: true });
  await inbound();
  receiver.received.length = 0;
  await world.updatePerson(USER, { newUserId: true });
  assert.deepEqual(
    changes().map(({ field }) => field),
    ['messages', 'user_id_update'],
  );
  assert.equal(JSON.stringify(changes()).includes('"wa_id"'), false);
  assert.equal(JSON.stringify(changes()).includes('"from"'), false);
});

test('new number with chosen notices: only these are posted', async (t) => {
  const { control, inbound, receiver, changes } = await startPeople(t);
  await inbound();
  receiver.received.length = 0;
  const { body } = await control('PATCH', `/people/${USER}`, { phone: NEW_PHONE, notices: ['user_id_update'] });
  assert.deepEqual([body.phone, asObjects(body.deliveries).length], [NEW_PHONE, 1]);
  assert.deepEqual(
    changes().map(({ field }) => field),
    ['user_id_update'],
  );
  assert.equal((await control('PATCH', `/people/${NEW_PHONE}`, { notices: ['gossip'] })).status, 400);
});

test('calls, echoes and handovers of a person with a hidden phone: by user id only', async (t) => {
  const { world, userIdOf, changes } = await startPeople(t);
  await world.updatePerson(USER, { hidesPhone: true });
  const userId = await userIdOf();
  await world.call({ phoneNumberId: NUMBER, user: userId });
  assert.equal(world.isWindowOpen(NUMBER, USER), true);
  await world.echo({ phoneNumberId: NUMBER, to: userId, by: 'app' });
  await world.handOver({ phoneNumberId: NUMBER, user: userId, to: 'agent' });
  await world.whenQuiet();
  assert.equal(JSON.stringify(changes()).includes(`"${USER}"`), false);
  const valueIn = (field: string) => changes().find((change) => change.field === field)?.value ?? {};
  assert.equal(asObjects(valueIn('calls').calls)[0]?.from_user_id, userId);
  assert.equal(asObjects(valueIn('smb_message_echoes').message_echoes)[0]?.to_user_id, userId);
  assert.equal(asObject(valueIn('messaging_handovers').sender)?.user_id, userId);
});

test('user name of a number: posted; left out once it is deleted', async (t) => {
  const { control, changes, call } = await startPeople(t);
  await control('POST', `/numbers/${NUMBER}/username`, { username: 'shop', status: 'approved' });
  assert.equal((await call('GET', `/${NUMBER}?fields=username`)).body.username, 'shop');
  await control('POST', `/numbers/${NUMBER}/username`, { username: 'shop', status: 'deleted' });
  assert.deepEqual(changes(), [
    {
      field: 'business_username_updates',
      value: { display_phone_number: '15550783881', username: 'shop', status: 'approved' },
    },
    { field: 'business_username_updates', value: { display_phone_number: '15550783881', status: 'deleted' } },
  ]);
});
