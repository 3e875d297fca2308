import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeCompoundFile, makeOffice, makeWebp, makeZip, SAMPLES } from './media-signatures.samples.ts';
import { SNIFF_BYTES_MAX } from './media-signatures.ts';
import { decideMediaType, type MediaDecision } from './media-type.ts';
import { MEDIA_TYPES, type MediaType, type MimeType } from './media-type-table.ts';

const MIB = 1024 * 1024;
const GIF = Buffer.from('GIF89a\u0001\0\u0001\0\0\0\0;');

function decide(file: Buffer, claim: { declaredMime?: string; fileName?: string }, bytes = file.length): MediaDecision {
  return decideMediaType({
    ...claim,
    head: file.subarray(0, SNIFF_BYTES_MAX),
    tail: file.subarray(-SNIFF_BYTES_MAX),
    bytes,
  });
}

/** `video/mp4`, or the reason. */
function verdict(decision: MediaDecision): string {
  return decision.kind === 'ok' ? decision.mimeType : decision.reason;
}

const BYTES_MAX_BY_TYPE: Partial<Record<MimeType, number>> = { 'image/webp': 100 * 1024 };
const BYTES_MAX_BY_FAMILY = { image: 5 * MIB, sticker: 0, audio: 16 * MIB, video: 16 * MIB, document: 100 * MIB };

/** Another type's sample that is in no doubt something else. */
function foreignSample(mimeType: MimeType): Buffer {
  return SAMPLES[mimeType === 'image/png' ? 'application/pdf' : 'image/png'];
}

for (const type of MEDIA_TYPES) {
  const { mimeType, family }: MediaType = type;
  const extensions: readonly string[] = type.extensions;
  const sample = SAMPLES[mimeType];

  test(`${mimeType}: declared, by extension and behind generic types`, () => {
    const expected = { kind: 'ok', mimeType };
    assert.deepEqual(decide(sample, { declaredMime: mimeType }), expected);
    assert.deepEqual(decide(sample, { declaredMime: ` ${mimeType.toUpperCase()} ; codecs=opus` }), expected);
    for (const extension of extensions) {
      assert.deepEqual(decide(sample, { fileName: `a.b.${extension}` }), expected);
      const generic = { declaredMime: 'application/octet-stream', fileName: `A.${extension.toUpperCase()}` };
      assert.deepEqual(decide(sample, generic), expected);
    }
  });

  test(`${mimeType}: the declared type outranks a wrong extension`, () => {
    for (const fileName of ['x.png', 'x.exe', 'x.txt', 'x', '.']) {
      assert.equal(verdict(decide(sample, { declaredMime: mimeType, fileName })), mimeType);
    }
  });

  test(`${mimeType}: an empty file is refused`, () => {
    assert.deepEqual(decide(Buffer.alloc(0), { declaredMime: mimeType }), { kind: 'invalid', reason: 'empty' });
  });

  test(`${mimeType}: contents of another type are refused, declared or by extension`, () => {
    const expected = { kind: 'invalid', reason: 'contents_mismatch', mimeType };
    assert.deepEqual(decide(foreignSample(mimeType), { declaredMime: mimeType }), expected);
    assert.deepEqual(decide(foreignSample(mimeType), { fileName: `x.${extensions[0]}` }), expected);
    assert.deepEqual(decide(GIF, { declaredMime: mimeType }), expected);
  });

  test(`${mimeType}: unknown contents never contradict`, () => {
    for (const unknown of [Buffer.alloc(1000), Buffer.from('0102030405060708ff00', 'hex')]) {
      assert.equal(verdict(decide(unknown, { declaredMime: mimeType })), mimeType);
    }
  });

  test(`${mimeType}: the size limit holds to the byte`, () => {
    const bytesMax = BYTES_MAX_BY_TYPE[mimeType] ?? BYTES_MAX_BY_FAMILY[family];
    assert.equal(verdict(decide(sample, { declaredMime: mimeType }, bytesMax)), mimeType);
    assert.deepEqual(decide(sample, { declaredMime: mimeType }, bytesMax + 1), {
      kind: 'invalid',
      reason: 'too_large',
      mimeType,
      bytesMax,
    });
  });

  test(`${mimeType}: a truncated file is never taken for another binary type`, () => {
    for (let bytes = 1; bytes < sample.length; bytes += 1) {
      const decision = decide(sample.subarray(0, bytes), { declaredMime: mimeType });
      // The first bytes of some signatures are text.
      const isText = bytes < 8 && decision.kind === 'invalid' && decision.reason === 'contents_mismatch';
      assert.ok(isText || verdict(decision) === mimeType, `${bytes} bytes: ${verdict(decision)}`);
    }
  });
}

test('aliases are replaced before anything is decided', () => {
  const aliases: [string, MimeType][] = [
    ['image/jpg', 'image/jpeg'],
    ['IMAGE/JPG', 'image/jpeg'],
    ['audio/mp3', 'audio/mpeg'],
    ['audio/x-m4a', 'audio/mp4'],
    ['audio/x-aac', 'audio/aac'],
    ['video/3gp', 'video/3gpp'],
    ['application/x-pdf', 'application/pdf'],
    ['audio/ogg; codecs=opus', 'audio/ogg'],
    ['text/plain; charset=utf-8', 'text/plain'],
  ];
  for (const [declaredMime, mimeType] of aliases) {
    assert.equal(verdict(decide(SAMPLES[mimeType], { declaredMime })), mimeType, declaredMime);
  }
});

test('a declared type outside the list is refused, whatever extension and contents say', () => {
  for (const declaredMime of [
    'image/gif',
    'application/zip',
    'text/csv',
    'application/json',
    'video/quicktime',
    'a/b',
  ]) {
    const decision = decide(SAMPLES['image/png'], { declaredMime, fileName: 'x.png' });
    assert.deepEqual(decision, { kind: 'invalid', reason: 'unsupported_type', mimeType: declaredMime });
  }
});

test('text that is no MIME type declares nothing', () => {
  for (const declaredMime of [
    '',
    'jpeg',
    'image/',
    '/png',
    'image /png',
    'image/png/x',
    '"image/png"',
    'x'.repeat(9999),
  ]) {
    assert.equal(verdict(decide(SAMPLES['image/png'], { declaredMime })), 'image/png');
  }
});

test('without declaration and extension the contents decide', () => {
  const undecidable: string[] = ['audio/opus'];
  for (const { mimeType } of MEDIA_TYPES) {
    if (undecidable.includes(mimeType)) continue;
    assert.equal(verdict(decide(SAMPLES[mimeType], { fileName: 'upload.bin' })), mimeType);
  }
  assert.equal(verdict(decide(SAMPLES['audio/opus'], {})), 'audio/ogg');
  for (const file of [Buffer.alloc(100), GIF, makeZip([]), makeCompoundFile([])]) {
    assert.equal(verdict(decide(file, {})), 'unsupported_type');
  }
});

test('a sticker that may be animated gets the larger cap, a static one the smaller', () => {
  const claim = { declaredMime: 'image/webp' };
  const sizes: [Buffer, number][] = [
    [makeWebp('VP8X', Buffer.from('02000000ff0100ff0100', 'hex')), 500 * 1024],
    [makeWebp('VP8X', Buffer.from('10000000ff0100ff0100', 'hex')), 100 * 1024],
    [makeWebp('VP8 ', Buffer.alloc(10)), 100 * 1024],
    [Buffer.alloc(10), 500 * 1024],
  ];
  for (const [file, bytesMax] of sizes) {
    assert.equal(verdict(decide(file, claim, bytesMax)), 'image/webp');
    assert.equal(verdict(decide(file, claim, bytesMax + 1)), 'too_large');
  }
});

test('Office types are told from one another, from macros and from other archives', () => {
  const docx: MimeType = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
  const xlsx: MimeType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
  assert.equal(verdict(decide(SAMPLES[docx], { declaredMime: xlsx })), 'contents_mismatch');
  assert.equal(verdict(decide(SAMPLES['application/msword'], { declaredMime: docx })), 'contents_mismatch');
  assert.equal(verdict(decide(SAMPLES['application/msword'], { fileName: 'a.xls' })), 'contents_mismatch');
  const macros = makeOffice('word/document.xml', 'wordprocessingml.document', ['word/vbaProject.bin']);
  assert.equal(verdict(decide(macros, { declaredMime: docx })), 'contents_mismatch');
  const archive = makeZip([{ name: 'a.txt', contents: Buffer.from('a') }]);
  assert.equal(verdict(decide(archive, { declaredMime: docx })), 'contents_mismatch');
});

test('an Office file behind a password passes as the packaged type it is declared', () => {
  const locked = makeCompoundFile(['EncryptionInfo', 'EncryptedPackage']);
  const outOfSight = Buffer.concat([makeCompoundFile([], { gapBytes: 512 * 400 }), Buffer.alloc(200_000)]);
  for (const { mimeType } of MEDIA_TYPES.filter((row) => row.mimeType.includes('openxmlformats'))) {
    assert.equal(verdict(decide(locked, { declaredMime: mimeType })), mimeType);
    assert.equal(verdict(decide(outOfSight, { declaredMime: mimeType })), mimeType);
  }
  assert.equal(verdict(decide(locked, { declaredMime: 'application/pdf' })), 'contents_mismatch');
});

test('text forms of legacy Office files pass as what they are declared', () => {
  assert.equal(
    verdict(decide(Buffer.from('a;b\n1;2\n'), { declaredMime: 'application/vnd.ms-excel' })),
    'application/vnd.ms-excel',
  );
  assert.equal(
    verdict(decide(Buffer.from('{\\rtf1 x}'), { declaredMime: 'application/msword' })),
    'application/msword',
  );
  assert.equal(verdict(decide(Buffer.from('<html>'), { declaredMime: 'application/pdf' })), 'contents_mismatch');
});

test('a text about PDF passes as text, a PDF does not', () => {
  const aboutPdf = Buffer.from('Such a file begins with %PDF-1.7.');
  assert.equal(verdict(decide(aboutPdf, { declaredMime: 'text/plain' })), 'text/plain');
  assert.equal(verdict(decide(aboutPdf, { declaredMime: 'application/pdf' })), 'application/pdf');
  assert.equal(verdict(decide(Buffer.from('%PDF-1.7'), { declaredMime: 'text/plain' })), 'contents_mismatch');
});
