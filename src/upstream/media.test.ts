import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { createManualClock } from '../../test/harness/manual-clock.ts';
import { reply, startPeer, startRawPeer, token } from '../../test/support/upstream-peer.ts';

function file(content: Buffer | string = 'GIF89a', extra: object = {}) {
  const bytes = Buffer.byteLength(content);
  return {
    stream: Readable.from([content], { objectMode: false }),
    bytes,
    mimeType: 'image/png',
    fileName: 'a.png',
    ...extra,
  };
}

test('upload: a form with the file and an exact length', async (t) => {
  const { upstream, received } = await startPeer(t, (_request, response) =>
    reply(response, 200, { id: '1037543291543636' }),
  );
  const content = Buffer.from([...Array(256).keys(), 13, 10, 45, 45]);
  const result = await upstream.uploadMedia('777', token, file(content, { fileName: 'gr\u00fc\u00df "1".png' }));
  assert.deepEqual(result, { kind: 'ok', value: '1037543291543636' });
  const [request] = received;
  assert.ok(request !== undefined);
  assert.equal(request.url, '/v24.0/777/media');
  assert.equal(request.headers['content-length'], String(request.body.length));
  assert.equal(request.headers['transfer-encoding'], undefined);
  const form = await new Response(new Uint8Array(request.body), {
    headers: { 'content-type': request.headers['content-type'] ?? '' },
  }).formData();
  assert.equal(form.get('messaging_product'), 'whatsapp');
  assert.equal(form.get('type'), 'image/png');
  const part = form.get('file');
  assert.ok(part instanceof File);
  assert.equal(part.type, 'image/png');
  assert.deepEqual(Buffer.from(await part.arrayBuffer()), content);
});

test('upload: many chunks → arrives whole', async (t) => {
  const { upstream, received } = await startPeer(t, (_request, response) => reply(response, 200, { id: '1' }));
  const chunk = Buffer.alloc(64 * 1024, 'x');
  const stream = Readable.from(
    Array.from({ length: 64 }, () => chunk),
    { objectMode: false },
  );
  const result = await upstream.uploadMedia('777', token, file('', { stream, bytes: 64 * chunk.length }));
  assert.equal(result.kind, 'ok');
  assert.equal(received[0]?.body.indexOf('x'.repeat(64 * chunk.length)) !== -1, true);
});

test('upload: refused MIME type → the platform’s own words', async (t) => {
  const { upstream } = await startPeer(t, (_request, response) => {
    reply(response, 400, { error: { code: 100, message: '(#100) Param file must be …' } });
  });
  assert.partialDeepStrictEqual(await upstream.uploadMedia('777', token, file()), {
    kind: 'rejected',
    code: '100',
    httpStatus: 400,
    message: '(#100) Param file must be …',
  });
});

test('upload: refused while the file is in transit → refusal returned, file released', async (t) => {
  const { upstream } = await startRawPeer(t, (socket) => {
    const body = '{"error":{"code":190}}';
    socket.once('data', () => {
      socket.write(`HTTP/1.1 401 Unauthorized\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
      socket.pause();
    });
  });
  const stream = new Readable({
    read() {
      this.push(Buffer.alloc(64 * 1024));
    },
  });
  const result = await upstream.uploadMedia('777', token, file('', { stream, bytes: 2 ** 40 }));
  assert.equal(result.kind, 'credential');
  if (!stream.closed) await once(stream, 'close');
});

const sources: [string, () => object][] = [
  [
    'fails',
    () => ({
      stream: new Readable({
        read() {
          this.destroy(new Error('client went away'));
        },
      }),
      bytes: 9,
    }),
  ],
  ['ends early', () => ({ stream: Readable.from(['abc'], { objectMode: false }), bytes: 9 })],
  ['is longer than declared', () => ({ stream: Readable.from(['x'.repeat(5_000)], { objectMode: false }), bytes: 9 })],
];
for (const [what, source] of sources) {
  test(`upload: source ${what} → body_failed`, async (t) => {
    const { upstream, received } = await startPeer(t, (_request, response) => reply(response, 200, { id: '1' }));
    const result = await upstream.uploadMedia('777', token, file('', source()));
    assert.partialDeepStrictEqual(result, { kind: 'unavailable', reason: 'body_failed' });
    assert.equal(received.length, 0);
    const sample = await upstream.uploadSample(token, file('', source()));
    assert.equal(sample.kind, 'unavailable');
  });
}

test('upload: unreachable platform → file released', async (t) => {
  const { upstream } = await startPeer(t, () => {}, { baseUrl: 'http://platform.invalid' });
  for (const upload of [
    (one: ReturnType<typeof file>) => upstream.uploadMedia('777', token, one),
    (one: ReturnType<typeof file>) => upstream.uploadSample(token, one),
  ]) {
    const one = file();
    assert.partialDeepStrictEqual(await upload(one), { kind: 'unavailable', reason: 'dns', mayHaveHappened: false });
    if (!one.stream.closed) await once(one.stream, 'close');
  }
});

test('upload: exceeds its time → timeout', async (t) => {
  const { upstream } = await startPeer(t, () => {}, { transferTimeoutMs: 200 });
  const expected = { kind: 'unavailable', reason: 'timeout', mayHaveHappened: true };
  assert.partialDeepStrictEqual(await upstream.uploadMedia('777', token, file()), expected);
});

test('upload: platform stops reading or never answers → timeout', async (t) => {
  const expected = { kind: 'unavailable', reason: 'timeout', mayHaveHappened: true };
  const { upstream } = await startPeer(t, () => {}, { silenceTimeoutMs: 100 });
  assert.partialDeepStrictEqual(await upstream.uploadMedia('777', token, file()), expected, 'no answer');
  const deaf = await startRawPeer(t, (socket) => socket.pause(), { silenceTimeoutMs: 100 });
  const large = file('x'.repeat(32 * 1024 * 1024));
  assert.partialDeepStrictEqual(await deaf.upstream.uploadMedia('777', token, large), expected, 'nothing taken');
});

test('upload: longer than the silence limit, with progress → completes', async (t) => {
  const clock = createManualClock();
  const { upstream } = await startPeer(t, (_request, response) => reply(response, 200, { id: '1' }), { clock });
  async function* slowly() {
    for (let piece = 0; piece < 6; piece += 1) {
      // The earlier chunks have been read by this time.
      await turn();
      clock.advance(20_000);
      yield Buffer.from('a piece ');
    }
  }
  const stream = Readable.from(slowly(), { objectMode: false });
  assert.deepEqual(await upstream.uploadMedia('777', token, file('', { stream, bytes: 48 })), {
    kind: 'ok',
    value: '1',
  });
});

test('sample: two calls, the second under OAuth at the id from the first', async (t) => {
  const { upstream, received, logged } = await startPeer(t, (request, response) => {
    const opens = request.url.startsWith('/v24.0/4242/uploads?');
    reply(response, 200, opens ? { id: 'upload:MTph+/=:x?sig=AR_q-9' } : { h: '4::aW1n:e:1' });
  });
  const result = await upstream.uploadSample(token, file('GIF89a', { fileName: 'a&b=c.png' }));
  assert.deepEqual(result, { kind: 'ok', value: '4::aW1n:e:1' });
  const [open, bytes] = received;
  assert.deepEqual(Object.fromEntries(new URL(open?.url ?? '', 'http://x').searchParams), {
    file_name: 'a&b=c.png',
    file_length: '6',
    file_type: 'image/png',
  });
  assert.equal(open?.headers.authorization, `Bearer ${token}`);
  assert.equal(bytes?.url, '/v24.0/upload:MTph+/=:x?sig=AR_q-9');
  assert.equal(bytes?.headers.authorization, `OAuth ${token}`);
  assert.equal(bytes?.headers.file_offset, '0');
  assert.equal(bytes?.headers['content-length'], '6');
  assert.equal(bytes?.body.toString(), 'GIF89a');
  assert.deepEqual(logged, []);
});

test('sample: no app configured → not attempted', async (t) => {
  const { upstream, received } = await startPeer(t, () => {}, { appId: null });
  const one = file();
  assert.partialDeepStrictEqual(await upstream.uploadSample(token, one), { reason: 'not_configured' });
  assert.equal(one.stream.destroyed, true);
  assert.equal(received.length, 0);
});

test('sample: upload id not of the platform’s form → not followed', async (t) => {
  for (const id of ['123/messages', 'upload:a#b', 'upload:a b', '']) {
    const { upstream, received } = await startPeer(t, (_request, response) => reply(response, 200, { id, h: 'x' }));
    const result = await upstream.uploadSample(token, file());
    assert.partialDeepStrictEqual(result, { kind: 'unavailable', reason: 'unreadable_answer' });
    assert.equal(received.length, 1);
  }
});
