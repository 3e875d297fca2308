import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { createManualClock } from '../../test/harness/manual-clock.ts';
import {
  type GraphAnswer,
  NUMBER,
  OTHER_NUMBER,
  OTHER_TOKEN,
  readAnswer,
  startTestSimulator,
  type TestSimulator,
  TOKEN,
} from '../../test/support/simulator/test-simulator.ts';

interface Upload {
  bytes?: Uint8Array;
  type?: string;
  product?: string | null;
  number?: string;
  token?: string;
}

async function upload({ simulator }: TestSimulator, options: Upload = {}): Promise<GraphAnswer> {
  const {
    bytes = Buffer.from('file'),
    type = 'image/png',
    product = 'whatsapp',
    number = NUMBER,
    token = TOKEN,
  } = options;
  const form = new FormData();
  if (product !== null) form.append('messaging_product', product);
  form.append('type', type);
  form.append('file', new Blob([Buffer.from(bytes)], { type }), 'photo.png');
  const response = await fetch(`${simulator.baseUrl}/${number}/media`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: form,
  });
  return readAnswer(response);
}

test('upload: described, and downloaded byte for byte', async (t) => {
  const sim = await startTestSimulator(t);
  const bytes = Buffer.alloc(300_000, 'picture');
  const { body } = await upload(sim, { bytes });
  assert.match(String(body.id), /^\d{15}$/);
  assert.deepEqual(Object.keys(body), ['id']);
  const node = (await sim.call('GET', `/${String(body.id)}?phone_number_id=${NUMBER}`)).body;
  assert.deepEqual(
    { ...node, url: undefined },
    {
      messaging_product: 'whatsapp',
      url: undefined,
      mime_type: 'image/png',
      sha256: createHash('sha256').update(bytes).digest('hex'),
      file_size: 300_000,
      id: body.id,
    },
  );
  const download = await fetch(String(node.url), { headers: { authorization: `Bearer ${TOKEN}` } });
  assert.equal(download.headers.get('content-type'), 'image/png');
  assert.ok(Buffer.from(await download.arrayBuffer()).equals(bytes));
});

test('upload of an unsupported type → refused with the list of supported types', async (t) => {
  const sim = await startTestSimulator(t);
  for (const type of ['application/zip', 'image/gif', 'audio/ogg; codecs=opus', 'application/octet-stream']) {
    const answer = await upload(sim, { type });
    assert.equal(answer.status, 400, type);
    assert.match(
      String(answer.error.message),
      /^\(#100\) Param file must be a file with one of the following types/,
      type,
    );
  }
  assert.equal((await upload(sim, { type: 'audio/ogg' })).status, 200);
});

test('upload empty or too large for its type → refused', async (t) => {
  const sim = await startTestSimulator(t);
  const mib = 1024 * 1024;
  assert.equal((await upload(sim, { bytes: new Uint8Array(5 * mib) })).status, 200);
  const tooLarge = await upload(sim, { bytes: new Uint8Array(5 * mib + 1) });
  assert.deepEqual(
    [tooLarge.status, tooLarge.error.code, tooLarge.error.error_user_title],
    [400, 100, 'File Too Large'],
  );
  const empty = await upload(sim, { bytes: new Uint8Array(0) });
  assert.match(String(empty.error.message), /parameter file is required/);
});

test('upload without messaging_product, file or access → refused', async (t) => {
  const sim = await startTestSimulator(t);
  assert.match(String((await upload(sim, { product: null })).error.message), /messaging_product is required/);
  const noFile = await sim.call('POST', `/${NUMBER}/media`, { messaging_product: 'whatsapp' });
  assert.match(String(noFile.error.message), /parameter file is required/);
  assert.equal((await upload(sim, { token: OTHER_TOKEN })).error.error_subcode, 33);
  assert.equal((await upload(sim, { token: 'nobody' })).error.code, 190);
});

test('media: sent only by the number of its upload', async (t) => {
  const sim = await startTestSimulator(t);
  const { body } = await upload(sim);
  const image = { type: 'image', image: { id: String(body.id) } };
  assert.equal((await sim.send(image)).status, 200);
  const foreign = await sim.call(
    'POST',
    `/${OTHER_NUMBER}/messages`,
    { messaging_product: 'whatsapp', to: '+16505551234', ...image },
    { authorization: `Bearer ${OTHER_TOKEN}` },
  );
  assert.deepEqual([foreign.status, foreign.error.code, foreign.error.error_subcode], [400, 100, 33]);
  assert.equal((await sim.call('GET', `/${String(body.id)}?phone_number_id=${OTHER_NUMBER}`)).status, 400);
});

test('deleted media → not found', async (t) => {
  const sim = await startTestSimulator(t);
  const id = String((await upload(sim)).body.id);
  const ofAnother = await sim.call('DELETE', `/${id}?phone_number_id=${OTHER_NUMBER}`);
  assert.deepEqual([ofAnother.status, ofAnother.error.error_subcode], [400, 33]);
  assert.deepEqual((await sim.call('DELETE', `/${id}?phone_number_id=${NUMBER}`)).body, { success: true });
  assert.equal((await sim.call('GET', `/${id}`)).error.error_subcode, 33);
  assert.equal((await sim.send({ type: 'image', image: { id } })).status, 400);
});

test('lifetimes: download URL five minutes, uploaded id thirty days', async (t) => {
  const clock = createManualClock();
  const sim = await startTestSimulator(t, { clock });
  const id = String((await upload(sim)).body.id);
  const { url } = (await sim.call('GET', `/${id}`)).body;
  const download = async () => (await fetch(String(url), { headers: { authorization: `Bearer ${TOKEN}` } })).status;
  clock.advance(5 * 60_000 - 1);
  assert.equal(await download(), 200);
  clock.advance(1);
  assert.equal(await download(), 404);
  clock.advance(30 * 86_400_000 - 5 * 60_000 - 1);
  assert.equal((await sim.call('GET', `/${id}`)).status, 200);
  clock.advance(1);
  assert.equal((await sim.call('GET', `/${id}`)).status, 400);
});
