import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSampleUrl, listSampleMedia, mergeKinds, spellPath } from './sample-media.ts';
import { sampleTypeOf } from './sample-type.ts';

test('isSampleUrl: scheme, leading slash or white space → URL', () => {
  const urls = [
    'https://x',
    'HTTP://x',
    'ftp:x',
    'data:,',
    'file:///etc',
    'a+b-c.1:x',
    '/x',
    '//x/y',
    'a b',
    'x\n',
    '\u00a0',
    '4::a\n4::b',
  ];
  const handles = ['4::aW1hZ2U=:x:ARb:e:1', '4:x', 'h', '', 'a/b', '1https://x', 'x.jpg', '-a:b', 'é:b'];
  for (const value of urls) assert.equal(isSampleUrl(value), true, JSON.stringify(value));
  for (const value of handles) assert.equal(isSampleUrl(value), false, JSON.stringify(value));
});

test('listSampleMedia: header format in any case → its file types and size', () => {
  const kindOf = (format?: unknown) => listSampleMedia([{ format, example: { header_handle: 'x' } }], [])[0]?.kind;
  const mib = 1024 * 1024;
  assert.deepEqual(kindOf('IMAGE'), { types: ['image/jpeg', 'image/png'], bytesMax: 5 * mib });
  assert.deepEqual(kindOf('video'), { types: ['video/mp4'], bytesMax: 16 * mib });
  assert.deepEqual(kindOf('GIF'), kindOf('VIDEO'));
  assert.deepEqual(kindOf('DOCUMENT'), { types: ['application/pdf'], bytesMax: 100 * mib });
  assert.equal(kindOf('HOLOGRAM')?.types.length, 4);
  assert.deepEqual(kindOf(undefined), kindOf(7));
  const both = [kindOf('IMAGE'), kindOf('VIDEO')].filter((kind) => kind !== undefined);
  assert.deepEqual(mergeKinds(both), { types: ['image/jpeg', 'image/png', 'video/mp4'], bytesMax: 16 * mib });
});

test('spellPath: path → dots and brackets', () => {
  const [media] = listSampleMedia([{ cards: [{ example: { header_handle: ['x'] } }] }], ['components']);
  assert.equal(spellPath(media?.path ?? []), 'components[0].cards[0].example.header_handle[0]');
});

test('sampleTypeOf: contents → type; similar formats → none', () => {
  const file = (hex: string, text = '') =>
    Buffer.concat([Buffer.from(hex, 'hex'), Buffer.from(text), Buffer.alloc(40)]);
  assert.equal(sampleTypeOf(file('ffd8ffe0')), 'image/jpeg');
  assert.equal(sampleTypeOf(file('89504e470d0a1a0a')), 'image/png');
  assert.equal(sampleTypeOf(file('00000018', 'ftypmp42')), 'video/mp4');
  assert.equal(sampleTypeOf(file('0a0a', '%PDF-1.4')), 'application/pdf');
  for (const other of [
    file('', '<html><body>'),
    file('', 'GIF89a'),
    file('', 'RIFF....WEBP'),
    file('00000018', 'ftypheic'),
    file('00000018', 'ftypM4A '),
    file('00000018', 'ftyp3gp4'),
    file('00000018', 'ftypqt  '),
    file('ffd8'),
    Buffer.alloc(0),
    Buffer.concat([Buffer.alloc(1024), Buffer.from('%PDF-1.4')]),
  ]) {
    assert.equal(sampleTypeOf(other), undefined, other.toString('latin1', 0, 16));
  }
});
