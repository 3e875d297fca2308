import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readDataUri } from './data-uri.ts';

const OPTIONS = { bytesMax: 1000 };

function reasonOf(text: string, options = OPTIONS): string {
  const result = readDataUri(text, options);
  return result.kind === 'ok' ? 'ok' : result.reason;
}

test('any contents survive a data URI, form decoding and line breaks included', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 1000 }), fc.nat(80), (bytes, width) => {
      const base64 = Buffer.from(bytes).toString('base64');
      const forms = [
        base64,
        base64.replaceAll('+', ' '),
        base64.replace(/=+$/, ''),
        base64.replace(/[+/=]/g, encodeURIComponent),
        base64.replace(/[+/=]/g, (char) => encodeURIComponent(char).toLowerCase()),
        base64.replace(new RegExp(`(.{${width + 1}})`, 'g'), '$1\r\n'),
      ];
      for (const form of forms) {
        const result = readDataUri(`data:image/png;base64,${form}`, OPTIONS);
        assert.ok(result.kind === 'ok', form);
        assert.ok(result.contents.equals(bytes), form);
      }
    }),
  );
});

test('the declared type is told with its parameters', () => {
  for (const mime of ['image/png', 'text/plain;charset=utf-8', 'audio/ogg; codecs=opus', 'application/vnd.ms-excel']) {
    const result = readDataUri(`DATA:${mime};BASE64,QQ==`, OPTIONS);
    assert.deepEqual(result, { kind: 'ok', declaredMime: mime, contents: Buffer.from('A') });
  }
  assert.equal(reasonOf('data:image/png;base64,'), 'ok');
});

test('anything else is no data URI', () => {
  for (const text of [
    '',
    'QQ==',
    'data:',
    'data:,x',
    'data:;base64,QQ==',
    'data:image;base64,QQ==',
    'data:image/png,QQ==',
    'data:image/png;base64',
    'data:image/png;base64;x=y,QQ==',
    'data:image/png;base64x,QQ==',
    'data: image/png;base64,QQ==',
    'xdata:image/png;base64,QQ==',
    `data:image/png;${'x'.repeat(600)};base64,QQ==`,
    'data:image/png;base64,Q',
    'data:image/png;base64,QQQQQ',
    'data:image/png;base64,QQ=',
    'data:image/png;base64,QQ===',
    'data:image/png;base64,QQ==QQ==',
    'data:image/png;base64,Q-_Q',
    'data:image/png;base64,QQ\tQQ',
    'data:image/png;base64,QQ%00',
    'data:image/png;base64,é',
    'https://example.com/a.png',
  ]) {
    assert.equal(reasonOf(text), 'syntax', text.slice(0, 60));
  }
});

test('the size cap is judged from the text, to the byte', () => {
  for (const bytes of [998, 999, 1000]) assert.equal(reasonOf(`data:a/b;base64,${base64Of(bytes)}`), 'ok');
  for (const bytes of [1001, 1002, 1003]) assert.equal(reasonOf(`data:a/b;base64,${base64Of(bytes)}`), 'too_large');
});

test('a payload of many megabytes is read in one pass', () => {
  const bytesMax = 16 * 1024 * 1024;
  assert.equal(reasonOf(`data:video/mp4;base64,${base64Of(bytesMax)}`, { bytesMax }), 'ok');
  assert.equal(reasonOf(`data:video/mp4;base64,${base64Of(bytesMax)}!`, { bytesMax }), 'syntax');
});

function base64Of(bytes: number): string {
  return Buffer.alloc(bytes, 0xfb).toString('base64');
}
