import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { accepted, onRequests, reply, send, startPeer, startRawPeer, token } from '../../test/support/upstream-peer.ts';

test('media object: size read from text and from numbers', async (t) => {
  let size: unknown = '303833';
  const { upstream } = await startPeer(t, (_request, response) => {
    reply(response, 200, {
      url: 'https://x.invalid/a',
      mime_type: 'image/jpeg',
      sha256: 'ab',
      file_size: size,
      id: '31',
    });
  });
  const value = { id: '31', url: 'https://x.invalid/a', mimeType: 'image/jpeg', sha256: 'ab', bytes: 303_833 };
  assert.deepEqual(await upstream.getMedia('31', token, '777'), { kind: 'ok', value });
  size = 303_833;
  assert.deepEqual(await upstream.getMedia('31', token, '777'), { kind: 'ok', value });
});

test('download: streams the file from the platform itself', async (t) => {
  const content = Buffer.alloc(300_000, 'x');
  const { upstream, origin, received } = await startPeer(t, (_request, response) => {
    response.writeHead(200, { 'content-type': 'image/jpeg', 'content-length': content.length }).end(content);
  });
  const result = await upstream.downloadMedia(`${origin}/file?mid=1`, token);
  assert.ok(result.kind === 'ok');
  assert.equal(result.value.mimeType, 'image/jpeg');
  assert.equal(result.value.bytes, content.length);
  assert.deepEqual(await buffer(result.value.stream), content);
  assert.equal(received[0]?.url, '/file?mid=1');
  assert.equal(received[0]?.headers.authorization, `Bearer ${token}`);
  assert.ok(received[0]?.headers['user-agent']);
});

for (const [encoding, compress] of [
  ['gzip', gzipSync],
  ['X-GZIP', gzipSync],
  ['br', brotliCompressSync],
  ['zstd', zstdCompressSync],
  ['identity', Buffer.from],
] as const) {
  test(`download: compressed without a request for it, ${encoding} → same file`, async (t) => {
    const content = Buffer.from('a text '.repeat(50_000));
    const { upstream, origin } = await startPeer(t, (_request, response) => {
      const body = compress(content);
      response.writeHead(200, { 'content-encoding': encoding, 'content-length': body.length }).end(body);
    });
    const result = await upstream.downloadMedia(`${origin}/x`, token);
    assert.ok(result.kind === 'ok');
    assert.ok((await buffer(result.value.stream)).equals(content));
    assert.equal(result.value.bytes, encoding === 'identity' ? content.length : null);
  });
}

test('download: compressed bytes cut off → stream fails', async (t) => {
  const { upstream, origin } = await startPeer(t, (_request, response) => {
    const body = gzipSync('a text '.repeat(50_000));
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(body.subarray(0, body.length - 20));
  });
  const result = await upstream.downloadMedia(`${origin}/x`, token);
  assert.ok(result.kind === 'ok');
  await assert.rejects(buffer(result.value.stream));
});

test('download: compressed, reader stops → connection released', async (t) => {
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  const { upstream, origin } = await startPeer(t, (_request, response) => {
    response.on('close', resolve);
    response.writeHead(200, { 'content-encoding': 'gzip' }).write(gzipSync('x').subarray(0, 5));
  });
  const result = await upstream.downloadMedia(`${origin}/x`, token);
  assert.ok(result.kind === 'ok');
  result.value.stream.destroy();
  await closed;
});

test('slow downloads: delay neither messages nor other downloads', async (t) => {
  const { upstream, origin } = await startPeer(
    t,
    (request, response) => {
      if (request.method === 'POST') reply(response, 200, accepted);
      else response.writeHead(200).write(Buffer.alloc(1024 * 1024));
    },
    { connectionsMax: 1 },
  );
  const opened = await Promise.all(
    Array.from({ length: 48 }, (_, index) => upstream.downloadMedia(`${origin}/${index}`, token)),
  );
  assert.ok(opened.every(({ kind }) => kind === 'ok'));
  assert.partialDeepStrictEqual(await send(upstream), { kind: 'accepted' });
});

test('download: never carries the token to another plain http origin', async (t) => {
  const { upstream, origin } = await startPeer(t, (_request, response) => response.end());
  const urls = [
    'http://files.invalid/x',
    'http://127.0.0.2/x',
    'http://10.0.0.1/x',
    origin.replace('http://', 'http://user:secret@'),
    origin.replace('http://', 'ftp://'),
    'file:///etc/passwd',
    'data:,x',
    'not a url',
    '',
  ];
  for (const url of urls) {
    assert.partialDeepStrictEqual(
      await upstream.downloadMedia(url, token),
      { kind: 'unavailable', reason: 'url_refused' },
      url,
    );
  }
});

test('download: local platform with files at another port → fetched', async (t) => {
  const files = createServer((_request, response) => response.end('file')).listen(0, '127.0.0.1');
  t.after(() => void files.close());
  await once(files, 'listening');
  const address = files.address();
  assert.ok(address !== null && typeof address === 'object');
  const { upstream } = await startPeer(t, (_request, response) => response.end());
  const result = await upstream.downloadMedia(`http://127.0.0.1:${address.port}/x`, token);
  assert.equal(result.kind, 'ok');
  if (result.kind === 'ok') assert.equal((await result.value.stream.toArray()).join(''), 'file');
});

test('download: https address elsewhere → tried, failure returned', async (t) => {
  const { upstream } = await startPeer(t, () => {});
  const expected = { kind: 'unavailable', reason: 'dns' };
  assert.partialDeepStrictEqual(await upstream.downloadMedia('https://files.invalid/x', token), expected);
});

const statuses: [number, object][] = [
  [302, { kind: 'unavailable' }],
  [401, { kind: 'credential' }],
  [403, { kind: 'credential' }],
  [404, { kind: 'rejected', httpStatus: 404 }],
  [410, { kind: 'rejected', httpStatus: 410 }],
  [429, { kind: 'throttled' }],
  [500, { kind: 'unavailable' }],
];
for (const [status, expected] of statuses) {
  test(`download: HTTP ${status} → matching failure`, async (t) => {
    const { upstream, origin, received } = await startPeer(t, (_request, response) => {
      response.writeHead(status, { location: '/elsewhere' }).end(`<html>${'x'.repeat(200_000)}</html>`);
    });
    assert.partialDeepStrictEqual(await upstream.downloadMedia(`${origin}/x`, token), expected);
    assert.equal(received.length, 1);
  });
}

test('download: falls silent → stream fails', async (t) => {
  const { upstream, origin } = await startRawPeer(
    t,
    (socket) => onRequests(socket, () => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc')),
    { silenceTimeoutMs: 100 },
  );
  const result = await upstream.downloadMedia(`${origin}/x`, token);
  assert.ok(result.kind === 'ok');
  await assert.rejects(buffer(result.value.stream));
});

test('download: broken connection → unavailable', async (t) => {
  const { upstream, origin } = await startRawPeer(t, (socket) => onRequests(socket, () => socket.resetAndDestroy()));
  const expected = { kind: 'unavailable', reason: 'connection_lost' };
  assert.partialDeepStrictEqual(await upstream.downloadMedia(`${origin}/x`, token), expected);
});
