import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import {
  accepted,
  acceptedBytes,
  onRequests,
  send,
  startPeer,
  startRawPeer,
  token,
  wamid,
} from '../../test/support/upstream-peer.ts';

const text = JSON.stringify(accepted);

const compressions: [string, string, (text: string) => Buffer][] = [
  ['gzip', 'gzip', gzipSync],
  ['x-gzip in capitals', 'X-GZIP', gzipSync],
  ['deflate', 'deflate', deflateSync],
  ['br', 'br', brotliCompressSync],
  ['zstd', 'zstd', zstdCompressSync],
  ['identity', 'identity', Buffer.from],
];
for (const [what, encoding, compress] of compressions) {
  test(`answer: compressed without a request for it, ${what} → read`, async (t) => {
    const { upstream } = await startPeer(t, (_request, response) =>
      response.writeHead(200, { 'content-encoding': encoding }).end(compress(text)),
    );
    assert.partialDeepStrictEqual(await send(upstream), { kind: 'accepted', wamid });
  });
}

test('compressed error of the platform → same outcome as uncompressed', async (t) => {
  const { upstream } = await startPeer(t, (_request, response) =>
    response
      .writeHead(400, { 'content-encoding': 'gzip' })
      .end(gzipSync(JSON.stringify({ error: { code: 131009, message: 'Bad value' } }))),
  );
  assert.partialDeepStrictEqual(await send(upstream), { kind: 'rejected', code: '131009' });
});

test('answer: too large after decompression → outcome unknown', async (t) => {
  const bomb = gzipSync(`{"x":"${'x'.repeat(2 * 1024 * 1024)}"}`);
  const { upstream } = await startPeer(t, (_request, response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
  );
  assert.deepEqual(await send(upstream), { kind: 'unknown', reason: 'oversize_answer' });
});

for (const [what, encoding, body] of [
  ['in a compression nobody knows', 'compress', Buffer.from([31, 157, 1])],
  ['compressed twice', 'gzip, br', brotliCompressSync(gzipSync(text))],
  ['cut off within its compression', 'gzip', gzipSync(text).subarray(0, 30)],
] as const) {
  test(`answer: ${what} → outcome unknown`, async (t) => {
    const { upstream } = await startPeer(t, (_request, response) =>
      response.writeHead(200, { 'content-encoding': encoding }).end(body),
    );
    assert.deepEqual(await send(upstream), { kind: 'unknown', reason: 'unreadable_answer' });
  });
}

test('answer: byte order mark before the JSON → ignored', async (t) => {
  const { upstream } = await startPeer(t, (_request, response) => response.writeHead(200).end(`\ufeff${text}`));
  assert.partialDeepStrictEqual(await send(upstream), { kind: 'accepted', wamid });
});

test('template: compressed, with a byte order mark → read as the platform wrote it', async (t) => {
  const template =
    '{"id":"1","name":"n","language":"en","category":"UTILITY","status":"APPROVED","components":[ 1.0 ]}';
  const { upstream } = await startPeer(t, (_request, response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(`\ufeff${template}`)),
  );
  assert.partialDeepStrictEqual(await upstream.getTemplate('1', token), {
    kind: 'ok',
    value: { id: '1', components: '[ 1.0 ]' },
  });
});

for (const [what, before] of [
  ['103 Early Hints', 'HTTP/1.1 103 Early Hints\r\nlink: </x>; rel=preload\r\n\r\n'],
  ['102 Processing', 'HTTP/1.1 102 Processing\r\n\r\n'],
] as const) {
  test(`answer: ${what} before it → no effect`, async (t) => {
    const { upstream } = await startRawPeer(t, (socket) =>
      onRequests(socket, () => socket.write(before + acceptedBytes)),
    );
    assert.partialDeepStrictEqual(await send(upstream), { kind: 'accepted', wamid });
    assert.partialDeepStrictEqual(await send(upstream), { kind: 'accepted', wamid });
  });
}

test('answer: unexpected 100 Continue → outcome unknown, the HTTP client disconnects', async (t) => {
  const { upstream } = await startRawPeer(t, (socket) =>
    onRequests(socket, () => socket.write(`HTTP/1.1 100 Continue\r\n\r\n${acceptedBytes}`)),
  );
  assert.deepEqual(await send(upstream), { kind: 'unknown', reason: 'connection_lost' });
});

test('answer: chunks with trailers → read', async (t) => {
  const size = Buffer.byteLength(text).toString(16);
  const head = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ntrailer: x-checksum\r\n\r\n';
  const { upstream } = await startRawPeer(t, (socket) =>
    onRequests(socket, () => socket.write(`${head}${size};a=b\r\n${text}\r\n0\r\nx-checksum: 1\r\n\r\n`)),
  );
  assert.partialDeepStrictEqual(await send(upstream), { kind: 'accepted', wamid });
  assert.partialDeepStrictEqual(await send(upstream), { kind: 'accepted', wamid });
});

test('answer: no length, ends with its connection → read', async (t) => {
  const { upstream } = await startRawPeer(t, (socket) =>
    onRequests(socket, () => socket.end(`HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n${text}`)),
  );
  assert.partialDeepStrictEqual(await send(upstream), { kind: 'accepted', wamid });
});
