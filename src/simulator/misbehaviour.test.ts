import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { createManualClock } from '../../test/harness/manual-clock.ts';
import { statusesIn } from '../../test/support/simulator/callback-receiver.ts';
import {
  NUMBER,
  OTHER_NUMBER,
  OTHER_WABA,
  startTestSimulator,
  type TestSimulator,
  TOKEN,
  template,
  text,
  USER,
} from '../../test/support/simulator/test-simulator.ts';

const magic = (digits: string) => `+1555010${digits}`;
const sendTo = ({ send }: TestSimulator, to: string) => send({ ...template('hello'), to });
const statusNames = ({ receiver }: TestSimulator) =>
  receiver.received.flatMap(({ payload }) => statusesIn(payload)).map(({ status }) => status);

test('magic recipient: refused with the error its digits name', async (t) => {
  const sim = await startTestSimulator(t);
  for (const [digits, httpStatus, code] of [
    ['1429', 400, 130429],
    ['1056', 400, 131056],
    ['1807', 400, 80007],
    ['1004', 400, 4],
    ['1031', 403, 131031],
    ['1190', 401, 190],
    ['1016', 500, 131016],
    ['1002', 503, 2],
  ] as const) {
    const answer = await sendTo(sim, magic(digits));
    assert.deepEqual([answer.status, answer.error.code], [httpStatus, code], digits);
    assert.match(String(answer.error.fbtrace_id), /^A[\w-]{20,}$/);
  }
  assert.equal(sim.world.sends.list({ outcome: 'accepted' }).length, 0);
});

test('magic recipient: fails later, before or after sent', async (t) => {
  const sim = await startTestSimulator(t);
  for (const [digits, expected] of [
    ['2026', ['failed']],
    ['3049', ['sent', 'failed']],
    ['8008', ['sent', 'delivered', 'failed']],
  ] as const) {
    sim.receiver.received.length = 0;
    assert.equal((await sendTo(sim, magic(digits))).status, 200);
    await sim.world.whenQuiet();
    assert.deepEqual(new Set(statusNames(sim)), new Set(expected), digits);
  }
});

test('magic recipient: recovers after the number of refusals its digits name', async (t) => {
  const sim = await startTestSimulator(t);
  const codes = [];
  for (let attempt = 0; attempt < 4; attempt += 1) codes.push((await sendTo(sim, magic('4103'))).error.code);
  assert.deepEqual(codes, [130429, 130429, 130429, undefined]);
});

test('raw server answers: empty, HTML, not JSON', async (t) => {
  const sim = await startTestSimulator(t);
  const answerTo = async (digits: string) => {
    const { status, text: body, headers } = await sendTo(sim, magic(digits));
    return { status, body, type: headers.get('content-type') };
  };
  assert.deepEqual(await answerTo('5001'), { status: 500, body: '', type: 'text/plain' });
  const gateway = await answerTo('5002');
  assert.equal(gateway.status, 502);
  assert.match(gateway.body, /^<!DOCTYPE html>/);
  assert.deepEqual(await answerTo('5005'), { status: 200, body: 'not json', type: 'application/json; charset=utf-8' });
});

test('reset before the body: not accepted, recorded without a body', async (t) => {
  const sim = await startTestSimulator(t);
  sim.world.addFault({ fault: { kind: 'reset_before' }, scope: { endpoint: 'messages' }, times: 1 });
  const { port } = sim.simulator;
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  // Sends headers only: the answer must not wait for a body that never comes.
  socket.write(
    `POST /v24.0/${NUMBER}/messages HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${TOKEN}\r\n` +
      'content-type: application/json\r\ncontent-length: 1000\r\n\r\n',
  );
  const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException];
  assert.equal(error.code, 'ECONNRESET');
  const [record] = sim.world.sends.list();
  assert.deepEqual([record?.outcome.kind, record?.bodyBytes, record?.fault], ['dropped', 0, 'reset_before']);
  assert.equal((await sendTo(sim, `+${USER}`)).status, 200);
});

test('reset after acceptance: answer lost, message accepted', async (t) => {
  const sim = await startTestSimulator(t);
  await assert.rejects(sendTo(sim, magic('7002')));
  const [record] = sim.world.sends.list();
  assert.deepEqual([record?.outcome.kind, record?.fault], ['accepted', 'reset_after']);
  await sim.world.whenQuiet();
  assert.deepEqual(new Set(statusNames(sim)), new Set(['sent', 'delivered', 'read']));
});

test('hanging send and lost reply: no answer, only the lost reply was accepted', async (t) => {
  const sim = await startTestSimulator(t);
  for (const [digits, outcome] of [
    ['7000', 'dropped'],
    ['7003', 'accepted'],
  ] as const) {
    const abandon = new AbortController();
    const answer = fetch(`${sim.simulator.baseUrl}/${NUMBER}/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}` },
      body: JSON.stringify({ messaging_product: 'whatsapp', to: magic(digits), ...template('hello') }),
      signal: abandon.signal,
    });
    const record = await sim.world.sends.waitFor(({ to }) => to === magic(digits));
    assert.equal(record.outcome.kind, outcome);
    abandon.abort();
    await assert.rejects(answer, { name: 'AbortError' });
  }
});

test('cut reply: ends in the middle of its body', async (t) => {
  const sim = await startTestSimulator(t);
  await assert.rejects(sendTo(sim, magic('7004')));
  assert.equal(sim.world.sends.list()[0]?.outcome.kind, 'accepted');
});

test('slow answer: accepted immediately, answered after its delay', async (t) => {
  const clock = createManualClock();
  const sim = await startTestSimulator(t, { clock });
  let isAnswered = false;
  const answer = sendTo(sim, magic('6250')).finally(() => {
    isAnswered = true;
  });
  await clock.whenScheduled(2500);
  assert.equal(sim.world.sends.list()[0]?.outcome.kind, 'accepted');
  clock.advance(2499);
  assert.equal(isAnswered, false);
  clock.advance(1);
  assert.equal((await answer).status, 200);
});

test('log: a send is listed on acceptance, even if its status overtakes the answer', async (t) => {
  const clock = createManualClock();
  const sim = await startTestSimulator(t, { clock, webhooks: { retryPausesMs: [600] } });
  sim.receiver.answers.push(503);
  const unanswered = sendTo(sim, magic('8003'));
  await sim.receiver.waitFor(() => true);
  assert.equal((await sendTo(sim, `+${USER}`)).status, 200);
  assert.deepEqual(
    sim.world.sends.list({ outcome: 'accepted' }).map(({ to }) => to),
    [magic('8003'), `+${USER}`],
  );
  await clock.whenScheduled(600);
  clock.advance(600);
  assert.equal((await unanswered).status, 200);
});

test('first status: can overtake the answer of its send', async (t) => {
  const sim = await startTestSimulator(t);
  const answer = await sendTo(sim, magic('8003'));
  const wamid = (answer.body.messages as { id: string }[])[0]?.id;
  const [first] = sim.receiver.received.flatMap(({ payload }) => statusesIn(payload));
  assert.deepEqual([first?.id, first?.status], [wamid, 'sent']);
});

test('webhooks: lost, duplicated or badly signed', async (t) => {
  const sim = await startTestSimulator(t);
  await sendTo(sim, magic('8000'));
  await sim.world.whenQuiet();
  assert.deepEqual(statusNames(sim), []);
  await sendTo(sim, magic('8001'));
  await sim.world.whenQuiet();
  assert.equal(statusNames(sim).filter((status) => status === 'sent').length, 3);
  sim.receiver.received.length = 0;
  await sendTo(sim, magic('8007'));
  await sim.world.whenQuiet();
  assert.deepEqual(
    sim.receiver.received.map(({ isSigned }) => isSigned),
    [false, false, false],
  );
});

test('held template: reported in the answer, dropped later', async (t) => {
  const sim = await startTestSimulator(t);
  sim.world.addFault({ fault: { kind: 'held', outcome: 'dropped', delayMs: 5 } });
  const answer = await sendTo(sim, `+${USER}`);
  assert.equal(
    (answer.body.messages as { message_status: string }[])[0]?.message_status,
    'held_for_quality_assessment',
  );
  await sim.world.whenQuiet();
  assert.deepEqual(statusNames(sim), ['failed']);
});

test('held template: word of the fault → message_status of the answer, sent later', async (t) => {
  const sim = await startTestSimulator(t);
  sim.world.addFault({ fault: { kind: 'held', outcome: 'sent', delayMs: 5, word: 'paused' } });
  const answer = await sendTo(sim, `+${USER}`);
  assert.equal((answer.body.messages as { message_status: string }[])[0]?.message_status, 'paused');
  await sim.world.whenQuiet();
  assert.ok(statusNames(sim).includes('sent'));
});

test('throughput over the limit → 130429, listed as a violation', async (t) => {
  const sim = await startTestSimulator(t);
  sim.world.updateNumber(NUMBER, { messagesPerSecond: 3 });
  const codes = [];
  for (let index = 0; index < 5; index += 1) codes.push((await sendTo(sim, `+1650555100${index}`)).error.code);
  assert.deepEqual(codes, [undefined, undefined, undefined, 130429, 130429]);
  assert.deepEqual(sim.world.violations.counts(), { throughput: 2, pair: 0 });
  const [violation] = sim.world.violations.list();
  assert.deepEqual([violation?.phoneNumberId, violation?.limit], [NUMBER, 3]);
});

test('burst to one recipient: 131056 after 45', async (t) => {
  const sim = await startTestSimulator(t);
  for (let index = 0; index < 45; index += 1) assert.equal((await sendTo(sim, `+${USER}`)).status, 200);
  assert.equal((await sendTo(sim, `+${USER}`)).error.code, 131056);
  assert.equal((await sendTo(sim, '+16505559999')).status, 200);
  assert.deepEqual(sim.world.violations.counts(), { throughput: 0, pair: 1 });
});

test('limits off: nothing is counted', async (t) => {
  const sim = await startTestSimulator(t, { limits: 'off' });
  for (let index = 0; index < 100; index += 1) assert.equal((await sendTo(sim, `+${USER}`)).status, 200);
  assert.deepEqual(sim.world.violations.counts(), { throughput: 0, pair: 0 });
});

test('faults of other endpoints: sends unaffected', async (t) => {
  const sim = await startTestSimulator(t);
  sim.world.addFault({ fault: { kind: 'error', code: 2 }, scope: { endpoint: 'numbers' } });
  assert.equal((await sim.call('GET', `/${NUMBER}`)).error.code, 2);
  assert.equal((await sendTo(sim, `+${USER}`)).status, 200);
  sim.world.clearFaults();
  assert.equal((await sim.call('GET', `/${NUMBER}`)).status, 200);
});

test('reset: can be limited to one account', async (t) => {
  const sim = await startTestSimulator(t);
  sim.world.addFault({ fault: { kind: 'reset_before' }, scope: { wabaId: OTHER_WABA } });
  assert.equal((await sim.call('GET', `/${NUMBER}`)).status, 200);
  assert.equal((await sendTo(sim, `+${USER}`)).status, 200);
  await assert.rejects(sim.call('GET', `/${OTHER_WABA}`));
  await assert.rejects(sim.call('POST', `/${OTHER_NUMBER}/messages`, {}));
});

test('mark-as-read: has faults of its own', async (t) => {
  const sim = await startTestSimulator(t);
  const { wamid } = await sim.world.inbound({ phoneNumberId: NUMBER, from: USER });
  sim.world.addFault({ fault: { kind: 'error', code: 131000 }, scope: { endpoint: 'mark_read' } });
  const body = { messaging_product: 'whatsapp', status: 'read', message_id: wamid };
  assert.equal((await sim.call('POST', `/${NUMBER}/messages`, body)).error.code, 131000);
  assert.equal((await sim.send(text())).status, 200);
});
