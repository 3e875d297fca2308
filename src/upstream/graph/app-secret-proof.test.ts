import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { accepted, send, startPeer, token } from '../../../test/support/upstream-peer.ts';

const SECRET = 'the-secret-of-the-app';
const PROOF = createHmac('sha256', SECRET).update(token).digest('hex');

test('app secret proof: required → sent with every call', async (t) => {
  const { upstream, received, logged } = await startPeer(
    t,
    (request, response) => {
      const isOpening = request.url.includes('/uploads');
      response.end(
        JSON.stringify(isOpening ? { id: 'upload:abc?sig=1', success: true } : { ...accepted, success: true }),
      );
    },
    { provenAppSecret: SECRET, appId: '42' },
  );
  const file = () => ({
    fileName: 'a.txt',
    mimeType: 'text/plain',
    bytes: 1,
    stream: Readable.from([Buffer.from('a')]),
  });
  await send(upstream);
  await upstream.markAsRead({ phoneNumberId: '777', token, body: '{}' });
  await upstream.listPhoneNumbers('1', token);
  await upstream.createTemplate('1', token, '{}');
  await upstream.uploadMedia('777', token, file());
  await upstream.getMedia('9', token, '777');
  await upstream.uploadSample(token, file());
  assert.equal(received.length, 8);
  for (const { url } of received) {
    const { searchParams } = new URL(url, 'http://platform');
    assert.deepEqual(searchParams.getAll('appsecret_proof'), [PROOF], url.split('?')[0]);
  }
  assert.ok(received.some(({ url }) => url.includes('upload:abc?sig=1&appsecret_proof=')));
  assert.ok(!logged.join().includes(PROOF));
});

test('app secret proof: not required → never sent, it would not fit tokens of other apps', async (t) => {
  const { upstream, received } = await startPeer(t, (_request, response) => response.end(JSON.stringify(accepted)));
  await send(upstream);
  assert.equal(received[0]?.url.includes('?'), false);
});
