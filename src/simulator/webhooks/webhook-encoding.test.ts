import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { encodeWebhook, signWebhook } from './webhook-encoding.ts';

test('encoding: ASCII with escaped slashes, same meaning', () => {
  const bytes = encodeWebhook({ url: 'https://example.com/a', text: 'Grüße 👋\u007f' });
  assert.equal(
    bytes.toString('latin1'),
    String.raw`{"url":"https:\/\/example.com\/a","text":"Gr\u00fc\u00dfe \ud83d\udc4b\u007f"}`,
  );
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const encoded = encodeWebhook(value);
      assert.ok(encoded.every((byte) => byte < 0x7f));
      assert.deepEqual(JSON.parse(encoded.toString('latin1')), JSON.parse(JSON.stringify(value)));
    }),
  );
});

test('signature: covers exactly these bytes', () => {
  const bytes = encodeWebhook({ text: 'é/' });
  const digest = createHmac('sha256', 'secret').update(String.raw`{"text":"\u00e9\/"}`).digest('hex');
  assert.equal(signWebhook('secret', bytes), `sha256=${digest}`);
});
