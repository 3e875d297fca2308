import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import {
  type GraphAnswer,
  NUMBER,
  readAnswer,
  startTestSimulator,
  text,
  USER,
} from '../../test/support/simulator/test-simulator.ts';
import { asObject, asObjects, type JsonObject } from './graph/json-object.ts';

const GROUP = 'Y2FwaV9ncm91cDoxMjA';

async function startControlled(context: TestContext) {
  const sim = await startTestSimulator(context);
  const control = async (method: string, path: string, body?: unknown): Promise<GraphAnswer> =>
    readAnswer(
      await fetch(`${sim.simulator.origin}/_sim${path}`, {
        method,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    );
  const isOpen = async (user = USER) =>
    (await control('GET', `/windows?phone_number_id=${NUMBER}&user=${user}`)).body.open;
  /** Changes posted so far: field and value. */
  const changes = () =>
    sim.receiver.received.flatMap(({ payload }) =>
      asObjects(payload.entry).flatMap((entry) =>
        asObjects(entry.changes).map(({ field, value }) => ({ field, value: asObject(value) ?? {} })),
      ),
    );
  const words = () =>
    changes().flatMap(({ field, value }) => [
      ...asObjects(value.calls).map(({ event, status }) => [field, event, status]),
      ...asObjects(value.statuses).map(({ status }) => [field, status, undefined]),
    ]);
  const failures = () =>
    changes().flatMap(({ value }) =>
      asObjects(value.statuses).flatMap(({ errors }) => asObjects(errors).map(({ code }) => code)),
    );
  return { ...sim, control, isOpen, changes, words, failures };
}

const about = (members: JsonObject): JsonObject => ({ phone_number_id: NUMBER, user: `+${USER}`, ...members });

test('text without an open window: accepted, failed with 131047; after a call delivered', async (t) => {
  const { control, isOpen, send, failures } = await startControlled(t);
  await send(text());
  await control('GET', '/quiet');
  assert.deepEqual(failures(), [131047]);
  await control('POST', '/calls', about({}));
  assert.equal(await isOpen(), true);
  await send(text());
  await control('GET', '/quiet');
  assert.deepEqual(failures(), [131047]);
});

test('calls of both sides: webhooks in order; one not taken opens the caller’s window only', async (t) => {
  const { control, isOpen, words } = await startControlled(t);
  await control('POST', '/calls', about({ by: 'business' }));
  assert.equal(await isOpen(), false);
  await control('POST', '/calls', about({ by: 'business', answered: true }));
  assert.equal(await isOpen(), true);
  await control('POST', '/calls', about({ user: '+16505559999', answered: false }));
  assert.equal(await isOpen('16505559999'), true);
  assert.deepEqual(words(), [
    ['calls', 'connect', undefined],
    ['calls', 'RINGING', undefined],
    ['calls', 'REJECTED', undefined],
    ['calls', 'terminate', 'FAILED'],
    ['calls', 'connect', undefined],
    ['calls', 'RINGING', undefined],
    ['calls', 'ACCEPTED', undefined],
    ['calls', 'terminate', 'COMPLETED'],
    ['calls', 'connect', undefined],
    ['calls', 'terminate', 'FAILED'],
  ]);
  assert.equal((await control('POST', '/calls', about({ by: 'nobody' }))).status, 400);
});

test('message in a group: opens the window of the group, not of its writer', async (t) => {
  const { control, isOpen, changes } = await startControlled(t);
  await control('POST', '/inbound', { phone_number_id: NUMBER, from: USER, group_id: GROUP });
  assert.deepEqual([await isOpen(), await isOpen(GROUP)], [false, true]);
  assert.equal(asObjects(changes()[0]?.value.messages)[0]?.group_id, GROUP);
});

test('conversation held by an agent: comes in standby until a free-form message takes it back', async (t) => {
  const { control, changes, send } = await startControlled(t);
  const echo = { phone_number_id: NUMBER, to: USER, by: 'agent' };
  assert.match(String((await control('POST', '/echoes', echo)).body.error), /No agent/);
  await control('POST', '/handovers', about({ to: 'agent' }));
  assert.match(String((await control('POST', '/echoes', echo)).body.error), /window/);
  await control('POST', '/inbound', { phone_number_id: NUMBER, from: USER, text: 'Hi' });
  const { body } = await control('POST', '/echoes', echo);
  await control('GET', '/quiet');
  assert.deepEqual(
    changes().map(({ field, value }) => [field, Object.keys(asObject(value.standby) ?? {}).join()]),
    [
      ['messaging_handovers', ''],
      ['standby', 'contacts,messages'],
      ['standby', 'message_echoes'],
      ['standby', 'contacts,statuses'],
      ['standby', 'contacts,statuses'],
      ['standby', 'contacts,statuses'],
    ],
  );
  const [told] = asObjects(asObject(changes()[2]?.value.standby)?.message_echoes);
  assert.equal(told?.id, body.wamid);
  await send(text());
  await control('GET', '/quiet');
  await control('POST', '/inbound', { phone_number_id: NUMBER, from: USER, text: 'Thanks' });
  assert.equal(changes().at(-1)?.field, 'messages');
});

test('echo of the app: a field of its own, statuses in messages, no window', async (t) => {
  const { control, changes, isOpen } = await startControlled(t);
  const { body } = await control('POST', '/echoes', { phone_number_id: NUMBER, to: USER, by: 'app' });
  await control('GET', '/quiet');
  const [echo, ...statuses] = changes();
  assert.equal(echo?.field, 'smb_message_echoes');
  assert.partialDeepStrictEqual(asObjects(echo?.value.message_echoes)[0], { id: body.wamid, to: USER, type: 'text' });
  assert.deepEqual(
    statuses.map(({ field }) => field),
    ['messages', 'messages', 'messages'],
  );
  assert.equal(await isOpen(), false);
});
