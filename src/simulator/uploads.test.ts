import assert from 'node:assert/strict';
import { test } from 'node:test';
import { APP_ID, startTestSimulator, type TestSimulator, TOKEN } from '../../test/support/simulator/test-simulator.ts';

const oauth = { authorization: `OAuth ${TOKEN}`, 'content-type': 'application/octet-stream' };

async function startUpload({ call }: TestSimulator, length: number): Promise<string> {
  const answer = await call('POST', `/${APP_ID}/uploads?file_name=a.png&file_length=${length}&file_type=image/png`);
  assert.equal(answer.status, 200);
  return String(answer.body.id);
}

test('sample uploaded in one go → handle', async (t) => {
  const sim = await startTestSimulator(t);
  const id = await startUpload(sim, 5);
  assert.match(id, /^upload:[\w-]+\?sig=[\w-]+$/);
  const done = await sim.call('POST', `/${id}`, 'bytes', { ...oauth, file_offset: '0' });
  assert.match(String(done.body.h), /^4::[A-Za-z0-9+/=]+:[A-Za-z0-9+/=]+:AR[\w-]+:e:\d{10}:/);
});

test('interrupted upload: continues at its offset', async (t) => {
  const sim = await startTestSimulator(t);
  const id = await startUpload(sim, 10);
  await sim.call('POST', `/${id}`, 'bytes', { ...oauth, file_offset: '0' });
  assert.deepEqual((await sim.call('GET', `/${id}`, undefined, oauth)).body, { id, file_offset: 5 });
  assert.equal((await sim.call('POST', `/${id}`, 'again', { ...oauth, file_offset: '0' })).error.code, 100);
  assert.ok((await sim.call('POST', `/${id}`, 'again', { ...oauth, file_offset: '5' })).body.h);
});

test('upload: OAuth scheme only, and only the token that started it', async (t) => {
  const sim = await startTestSimulator(t);
  const id = await startUpload(sim, 5);
  const withHeader = async (authorization: string) =>
    (await sim.call('POST', `/${id}`, 'bytes', { ...oauth, authorization, file_offset: '0' })).error.code;
  assert.equal(await withHeader(`Bearer ${TOKEN}`), 190);
  assert.equal(await withHeader('OAuth token-of-the-second-account'), 100);
  assert.equal(await withHeader('OAuth nobody'), 190);
});

test('upload: needs the right app, a known type and a length', async (t) => {
  const { call } = await startTestSimulator(t);
  const code = async (path: string) => (await call('POST', path)).error.code;
  assert.equal(await code('/1/uploads?file_length=5&file_type=image/png'), 100);
  assert.equal(await code(`/${APP_ID}/uploads?file_length=5&file_type=image/gif`), 100);
  assert.equal(await code(`/${APP_ID}/uploads?file_type=image/png`), 100);
  assert.equal(await code(`/${APP_ID}/uploads?file_length=0&file_type=image/png`), 100);
});
