import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createManualClock } from '../../test/harness/manual-clock.ts';
import { by, startPeople } from '../../test/support/simulator/people.ts';
import { NUMBER, OTHER_WABA, template, text, USER, WABA } from '../../test/support/simulator/test-simulator.ts';
import { asObject, asObjects, type JsonObject } from './graph/json-object.ts';

const NEW_PHONE = '16505550000';

test('send by recipient: answered with the user id; statuses without the hidden phone', async (t) => {
  const { world, sendAndFollow, userIdOf } = await startPeople(t);
  world.updateWaba(WABA, { parentPortfolioId: 'holding' });
  await world.updatePerson(USER, { hidesPhone: true });
  const userId = await userIdOf();
  const { contact, statuses } = await sendAndFollow({ ...template('hello'), ...by(userId) });
  assert.deepEqual(contact, { input: userId, user_id: userId });
  assert.equal(statuses.length, 3);
  for (const shown of statuses) {
    assert.equal(shown.status.recipient_user_id, userId);
    assert.match(String(shown.status.recipient_parent_user_id), /^US\.ENT\.\d+$/);
    assert.equal('recipient_id' in shown.status, false);
    assert.deepEqual([shown.contact?.user_id, shown.contact?.wa_id], [userId, undefined]);
  }
});

test('send by to: statuses echo the hidden phone', async (t) => {
  const { world, sendAndFollow, userIdOf } = await startPeople(t);
  await world.updatePerson(USER, { hidesPhone: true });
  const { contact, statuses } = await sendAndFollow({ ...template('hello'), recipient: await userIdOf() });
  assert.deepEqual(contact, { input: `+${USER}`, wa_id: USER });
  assert.deepEqual(
    statuses.map((shown) => [shown.status.recipient_id, shown.contact?.wa_id]),
    [
      [USER, USER],
      [USER, USER],
      [USER, USER],
    ],
  );
});

test('failed status: no contacts; user ids only if a user id was addressed', async (t) => {
  const { sendAndFollow, userIdOf } = await startPeople(t);
  const byPhone = await sendAndFollow(text());
  assert.deepEqual(
    byPhone.statuses.map((shown) => [shown.contact, shown.status.recipient_id, shown.status.recipient_user_id]),
    [[undefined, USER, undefined]],
  );
  const userId = await userIdOf();
  const byUserId = await sendAndFollow({ ...text(), ...by(userId) });
  assert.deepEqual(
    byUserId.statuses.map((shown) => [shown.contact, shown.status.recipient_user_id]),
    [[undefined, userId]],
  );
});

test('user id in to: answered 200, nothing more comes', async (t) => {
  const { sendAndFollow, userIdOf } = await startPeople(t);
  const userId = await userIdOf();
  const { answer, contact, statuses } = await sendAndFollow({ ...template('hello'), to: userId });
  assert.equal(answer.status, 200);
  assert.deepEqual(contact, { input: userId, wa_id: userId.slice(3) });
  assert.deepEqual(statuses, []);
});

test('user id unknown, ended, or of another portfolio → 131009', async (t) => {
  const { world, send, userIdOf } = await startPeople(t);
  const [userId, foreign] = [await userIdOf(), await userIdOf(USER, OTHER_WABA)];
  await world.updatePerson(USER, { newUserId: true });
  for (const recipient of ['US.13491208655302741918', userId, foreign]) {
    assert.equal((await send({ ...template('hello'), ...by(recipient) })).error.code, 131009);
  }
  assert.equal((await send({ ...template('hello'), ...by(await userIdOf()) })).status, 200);
  world.updateWaba(OTHER_WABA, { portfolioId: WABA });
  assert.equal(await userIdOf(USER, OTHER_WABA), await userIdOf());
});

test('test number: user ids and phones outside of its list → 131030', async (t) => {
  const { control, send, userIdOf } = await startPeople(t);
  await control('PATCH', `/numbers/${NUMBER}`, { allowed_recipients: [`+${USER}`] });
  assert.equal((await send(template('hello'))).status, 200);
  assert.equal((await send({ ...template('hello'), to: '+16505559999' })).error.code, 131030);
  assert.equal((await send({ ...template('hello'), ...by(await userIdOf()) })).error.code, 131030);
});

test('marketing template where the account forbids it → 131063', async (t) => {
  const { world, control, send } = await startPeople(t);
  world.addTemplate(WABA, { name: 'sale', language: 'en_US', category: 'MARKETING' });
  assert.equal((await send(template('sale'))).status, 200);
  await control('PATCH', `/wabas/${WABA}`, { disable_marketing_messages_on_cloud_api: true });
  assert.equal((await send(template('sale'))).error.code, 131063);
  assert.equal((await send(template('hello'))).status, 200);
});

test('window: the person’s, whichever name is used', async (t) => {
  const { world, inbound, sendAndFollow, userIdOf } = await startPeople(t);
  const codes = async (message: JsonObject) =>
    (await sendAndFollow(message)).statuses.flatMap(({ status }) => asObjects(status.errors).map(({ code }) => code));
  const userId = await userIdOf();
  assert.deepEqual([await codes(text()), await codes({ ...text(), ...by(userId) })], [[131047], [131047]]);
  await world.updatePerson(USER, { hidesPhone: true });
  await inbound();
  assert.deepEqual([await codes(text()), await codes({ ...text(), ...by(userId) })], [[], []]);
  assert.equal(world.isWindowOpen(NUMBER, userId), true);
});

test('pair limit: the person’s, whichever name is used', async (t) => {
  const { send, userIdOf } = await startPeople(t, { clock: createManualClock() });
  const names = [{}, by(await userIdOf())];
  for (let count = 0; count < 45; count += 1) {
    assert.equal((await send({ ...template('hello'), ...names[count % 2] })).status, 200);
  }
  for (const name of names) assert.equal((await send({ ...template('hello'), ...name })).error.code, 131056);
});

test('account under the older spelling: reported so for both; one window', async (t) => {
  const { world, control, inbound, sendAndFollow } = await startPeople(t);
  const [newer, older] = ['2250768123456', '22568123456'];
  await control('POST', '/people', { phone: `+${newer}`, wa_id: older });
  assert.equal((await inbound(newer)).message.from, older);
  for (const spelling of [newer, older]) {
    const { contact, statuses } = await sendAndFollow({ ...text(), to: `+${spelling}` });
    assert.deepEqual(contact, { input: `+${spelling}`, wa_id: older });
    assert.equal(statuses.at(-1)?.status.status, 'read');
    assert.equal(world.isWindowOpen(NUMBER, spelling), true);
  }
  assert.equal((await control('PATCH', `/people/${newer}`, { wa_id: USER })).status, 400);
});

test('freed number: 131026 until another person takes it, with a window of their own', async (t) => {
  const { world, control, inbound, sendAndFollow, userIdOf } = await startPeople(t);
  await inbound();
  await world.updatePerson(USER, { phone: NEW_PHONE });
  const { answer, statuses } = await sendAndFollow(template('hello'));
  assert.equal(answer.status, 200);
  assert.deepEqual(
    statuses.map(({ status }) => [status.recipient_id, asObjects(status.errors)[0]?.code]),
    [[USER, 131026]],
  );
  await assert.rejects(inbound(), /Nobody/);
  await control('POST', '/people', { phone: USER, name: 'Grace' });
  assert.notEqual(await userIdOf(USER), await userIdOf(NEW_PHONE));
  assert.equal(world.isWindowOpen(NUMBER, USER), false);
  assert.deepEqual(asObject((await inbound()).contact.profile)?.name, 'Grace');
  assert.equal((await control('POST', '/people', { phone: NEW_PHONE })).status, 400);
});

test('send log: names the person’s digits for a user id; found by either name', async (t) => {
  const { send, world, userIdOf } = await startPeople(t);
  const userId = await userIdOf();
  await send({ ...template('hello'), ...by(userId) });
  const [record] = world.sends.list({ to: userId });
  assert.deepEqual([record?.to, record?.waId], [userId, USER]);
  assert.equal(world.sends.list({ to: `+${USER}` }).length, 1);
});
