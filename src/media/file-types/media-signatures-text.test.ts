import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contentsOf } from '../../../test/support/media-samples.ts';
import { SNIFF_BYTES_MAX, type SniffedMedia } from './file-contents.ts';
import { sniffMediaType } from './media-signatures.ts';

function sniff(file: Buffer): Promise<SniffedMedia | undefined> {
  return sniffMediaType(contentsOf(file));
}

async function likely(file: Buffer): Promise<string> {
  const sniffed = await sniff(file);
  return sniffed === undefined ? 'unknown' : (sniffed.likely ?? 'undecided');
}

test('sniff: valid UTF-8 or UTF-16 without control characters → text', async () => {
  for (const text of ['a', 'é✓😀\t\r\n\f', '\ufeffbom', 'about {\\rtf', '<html><svg/>']) {
    assert.equal(await likely(Buffer.from(text)), 'text/plain', text);
  }
  assert.equal(await likely(Buffer.from('\ufeffgrün\n', 'utf16le')), 'text/plain');
  assert.equal(await likely(Buffer.from('\ufeffgrün\n', 'utf16le').swap16()), 'text/plain');
  for (const hex of ['fffe00d8', '617f', '00', '0102030405060708ff00']) {
    assert.equal(await likely(Buffer.from(hex, 'hex')), 'unknown', hex);
  }
  for (const hex of ['6100', '611b5b', 'e9', 'c3', 'c080', 'eda080', 'fffe61']) {
    assert.equal(await likely(Buffer.from(hex, 'hex')), 'undecided', `${hex} may be text of a code page`);
  }
  // A character is cut at the end of the window.
  const long = Buffer.concat([Buffer.from('a'), Buffer.from('é'.repeat(SNIFF_BYTES_MAX))]);
  assert.equal(await likely(long), 'text/plain');
});

test('sniff: markup meant for programs → named, and text if declared so', async () => {
  const svg =
    '<?xml version="1.0"?>\n<!-- a\nb --> <!-- c --><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "x">\n<svg width="1"/>';
  for (const [text, name] of [
    ['{\\rtf1\\ansi}', /rtf/],
    ['<svg/>', /svg/],
    [svg, /svg/],
    ['%!PS-Adobe-3.0 EPSF-3.0\n', /postscript/],
  ] as const) {
    const sniffed = await sniff(Buffer.from(text));
    assert.equal(sniffed?.likely, undefined);
    assert.match(sniffed?.name ?? '', name);
    assert.ok(sniffed?.possible.includes('text/plain'));
  }
});

test('sniff: text of nothing but comments → identified without delay', async () => {
  assert.equal(await likely(Buffer.from(`${'<!---->'.repeat(2000)}<p>`)), 'text/plain');
  assert.equal(await likely(Buffer.from('<!--'.repeat(2000))), 'text/plain');
});

test('sniff: some control characters → may be text; full of them → not', async () => {
  const line = '12:00 \u001b[31mfailed\u001b[0m\n';
  const log = Buffer.concat([Buffer.from(line.repeat(20)), Buffer.alloc(20), Buffer.from(line)]);
  assert.equal(await likely(log), 'undecided');
  assert.equal(await likely(Buffer.concat([log, Buffer.alloc(600)])), 'unknown');
  const unmarked = Buffer.from('Grüße aus Köln\r\n', 'utf16le');
  assert.equal(await likely(unmarked), 'undecided', 'UTF-16 without a byte order mark');
  assert.equal(await likely(Buffer.from(unmarked).swap16()), 'undecided');
});

test('sniff: text begins with the letters of a signature → can be text', async () => {
  const canBeText = async (file: Buffer) => (await sniff(file))?.possible.includes('text/plain');
  for (const words of ['ADIF export', 'ID3 tags', 'The ftyp box', 'GIF89a', 'fLaC', '#!AMR', 'OggS']) {
    for (const encoding of ['utf8', 'latin1'] as const) {
      assert.ok(await canBeText(Buffer.from(`${words}, vues en été.\r\n`, encoding)), `${words} in ${encoding}`);
    }
    assert.ok(!(await canBeText(Buffer.from(`${words}, no text.\0`))), words);
  }
  assert.ok(!(await canBeText(Buffer.from('%PDF-1.4\n1 0 obj'))));
});
