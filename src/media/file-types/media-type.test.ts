import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  contentsOf,
  makeCompoundFile,
  makeOffice,
  makeWebp,
  makeZip,
  SAMPLES,
} from '../../../test/support/media-samples.ts';
import { sniffMediaType } from './media-signatures.ts';
import { decideMediaType, type MediaDecision } from './media-type.ts';
import { MEDIA_TYPES, type MediaType, type MimeType } from './media-type-table.ts';

const MIB = 1024 * 1024;
const GIF = Buffer.from('GIF89a\u0001\0\u0001\0\0\0\0;');

async function decide(
  file: Buffer,
  claim: { declaredMime?: string; fileName?: string },
  bytes = file.length,
): Promise<MediaDecision> {
  return decideMediaType({ ...claim, sniffed: await sniffMediaType(contentsOf(file, bytes)), bytes });
}

/** Returns the MIME type, or the reason of a refusal. */
function verdict(decision: MediaDecision): string {
  return decision.kind === 'ok' ? decision.mimeType : decision.reason;
}

const BYTES_MAX_BY_TYPE: Partial<Record<MimeType, number>> = { 'image/webp': 100 * 1024 };
const BYTES_MAX_BY_FAMILY = { image: 5 * MIB, sticker: 0, audio: 16 * MIB, video: 16 * MIB, document: 100 * MIB };

/** Bytes of the longest signature, including the part that distinguishes its type from others. */
const SIGNATURE_BYTES_MAX = 37;

/** Returns the bytes after a program read them as UTF-8 and wrote them again. */
function readAsText(bytes: Buffer): Buffer {
  return Buffer.from(bytes.toString('utf8'));
}

/** Returns another type's sample that is clearly something else. */
function foreignSample(mimeType: MimeType): Buffer {
  return SAMPLES[mimeType === 'image/png' ? 'application/pdf' : 'image/png'];
}

for (const type of MEDIA_TYPES) {
  const { mimeType, family }: MediaType = type;
  const extensions: readonly string[] = type.extensions;
  const sample = SAMPLES[mimeType];

  test(`${mimeType}: declared, by extension or behind a generic type → ok`, async () => {
    const expected = { kind: 'ok', mimeType };
    assert.deepEqual(await decide(sample, { declaredMime: mimeType }), expected);
    assert.deepEqual(await decide(sample, { declaredMime: ` ${mimeType.toUpperCase()} ; codecs=opus` }), expected);
    for (const extension of extensions) {
      assert.deepEqual(await decide(sample, { fileName: `a.b.${extension}` }), expected);
      const generic = { declaredMime: 'application/octet-stream', fileName: `A.${extension.toUpperCase()}` };
      assert.deepEqual(await decide(sample, generic), expected);
    }
  });

  test(`${mimeType}: wrong extension → the declared type counts`, async () => {
    for (const fileName of ['x.png', 'x.exe', 'x.txt', 'x', '.']) {
      assert.equal(verdict(await decide(sample, { declaredMime: mimeType, fileName })), mimeType);
    }
  });

  test(`${mimeType}: empty file → refused`, async () => {
    assert.deepEqual(await decide(Buffer.alloc(0), { declaredMime: mimeType }), { kind: 'invalid', reason: 'empty' });
  });

  test(`${mimeType}: contents of another type → refused`, async () => {
    const expected = { kind: 'invalid', reason: 'contents_mismatch', mimeType };
    assert.deepEqual(await decide(foreignSample(mimeType), { declaredMime: mimeType }), expected);
    assert.deepEqual(await decide(foreignSample(mimeType), { fileName: `x.${extensions[0]}` }), expected);
    assert.deepEqual(await decide(GIF, { declaredMime: mimeType }), expected);
  });

  test(`${mimeType}: contents of no known type → refused`, async () => {
    for (const unknown of [
      Buffer.alloc(1000),
      Buffer.from('0102030405060708ff00', 'hex'),
      readAsText(SAMPLES['image/jpeg']),
    ]) {
      const expected = { kind: 'invalid', reason: 'contents_mismatch', mimeType };
      assert.deepEqual(await decide(unknown, { declaredMime: mimeType }), expected);
      assert.deepEqual(await decide(unknown, { fileName: `x.${extensions[0]}` }), expected);
    }
  });

  test(`${mimeType}: one byte over the limit → refused`, async () => {
    const bytesMax = BYTES_MAX_BY_TYPE[mimeType] ?? BYTES_MAX_BY_FAMILY[family];
    assert.equal(verdict(await decide(sample, { declaredMime: mimeType }, bytesMax)), mimeType);
    assert.deepEqual(await decide(sample, { declaredMime: mimeType }, bytesMax + 1), {
      kind: 'invalid',
      reason: 'too_large',
      mimeType,
      bytesMax,
    });
  });

  test(`${mimeType}: truncated file → not another type`, async () => {
    for (let bytes = 1; bytes < sample.length; bytes += 1) {
      const decision = await decide(sample.subarray(0, bytes), { declaredMime: mimeType });
      // Part of a signature is no signature.
      const isTooShort =
        bytes < SIGNATURE_BYTES_MAX && decision.kind === 'invalid' && decision.reason === 'contents_mismatch';
      assert.ok(isTooShort || verdict(decision) === mimeType, `${bytes} bytes: ${verdict(decision)}`);
    }
  });
}

test('media type: binary file was read as text before upload → refused', async () => {
  const noise = Buffer.from(Array.from({ length: 2000 }, (_, index) => (index * 7919) % 256));
  for (const mimeType of [
    'image/png',
    'image/webp',
    'audio/ogg',
    'video/mp4',
    'application/pdf',
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  ] as const) {
    const file = Buffer.concat([SAMPLES[mimeType], noise]);
    for (const mangled of [readAsText(file), Buffer.from(file.toString('latin1'))]) {
      assert.equal(verdict(await decide(mangled, { declaredMime: mimeType })), 'contents_mismatch', mimeType);
    }
  }
});

test('media type: alias declared → replaced by its type', async () => {
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
    assert.equal(verdict(await decide(SAMPLES[mimeType], { declaredMime })), mimeType, declaredMime);
  }
});

test('media type: declared type not supported → refused, whatever the file is', async () => {
  for (const declaredMime of [
    'image/gif',
    'application/zip',
    'text/csv',
    'application/json',
    'video/quicktime',
    'a/b',
  ]) {
    const decision = await decide(SAMPLES['image/png'], { declaredMime, fileName: 'x.png' });
    assert.deepEqual(decision, { kind: 'invalid', reason: 'unsupported_type', mimeType: declaredMime });
  }
});

test('media type: declared text is no MIME type → ignored', async () => {
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
    assert.equal(verdict(await decide(SAMPLES['image/png'], { declaredMime })), 'image/png');
  }
});

test('media type: no declaration and no extension → contents decide', async () => {
  for (const { mimeType } of MEDIA_TYPES) {
    assert.equal(verdict(await decide(SAMPLES[mimeType], { fileName: 'upload.bin' })), mimeType);
  }
  for (const file of [Buffer.alloc(100), GIF, makeZip([]), makeCompoundFile([])]) {
    assert.equal(verdict(await decide(file, {})), 'unsupported_type');
  }
});

test('sticker: animated → 500 KiB allowed; static → 100 KiB', async () => {
  const claim = { declaredMime: 'image/webp' };
  const sizes: [Buffer, number][] = [
    [makeWebp('VP8X', Buffer.from('02000000ff0100ff0100', 'hex')), 500 * 1024],
    [makeWebp('VP8X', Buffer.from('10000000ff0100ff0100', 'hex')), 100 * 1024],
    [makeWebp('VP8 ', Buffer.alloc(10)), 100 * 1024],
  ];
  for (const [file, bytesMax] of sizes) {
    assert.equal(verdict(await decide(file, claim, bytesMax)), 'image/webp');
    assert.equal(verdict(await decide(file, claim, bytesMax + 1)), 'too_large');
  }
});

test('media type: other Office type, macros or plain archive → contents mismatch', async () => {
  const docx: MimeType = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
  const xlsx: MimeType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
  assert.equal(verdict(await decide(SAMPLES[docx], { declaredMime: xlsx })), 'contents_mismatch');
  assert.equal(verdict(await decide(SAMPLES['application/msword'], { declaredMime: docx })), 'contents_mismatch');
  assert.equal(verdict(await decide(SAMPLES['application/msword'], { fileName: 'a.xls' })), 'contents_mismatch');
  const macros = makeOffice('word/document.xml', 'wordprocessingml.document', ['word/vbaProject.bin']);
  assert.equal(verdict(await decide(macros, { declaredMime: docx })), 'contents_mismatch');
  const archive = makeZip([{ name: 'a.txt', contents: Buffer.from('a') }]);
  assert.equal(verdict(await decide(archive, { declaredMime: docx })), 'contents_mismatch');
});

test('Office file: behind a password → accepted as its declared type', async () => {
  const locked = makeCompoundFile(['EncryptionInfo', 'EncryptedPackage']);
  const outOfSight = Buffer.concat([makeCompoundFile([], { gapBytes: 512 * 400 }), Buffer.alloc(200_000)]);
  for (const { mimeType } of MEDIA_TYPES.filter((row) => row.mimeType.includes('openxmlformats'))) {
    assert.equal(verdict(await decide(locked, { declaredMime: mimeType })), mimeType);
    assert.equal(verdict(await decide(outOfSight, { declaredMime: mimeType })), mimeType);
  }
  assert.equal(verdict(await decide(locked, { declaredMime: 'application/pdf' })), 'contents_mismatch');
});

test('legacy Office type: contents are text or RTF → accepted as declared', async () => {
  assert.equal(
    verdict(await decide(Buffer.from('a;b\n1;2\n'), { declaredMime: 'application/vnd.ms-excel' })),
    'application/vnd.ms-excel',
  );
  assert.equal(
    verdict(await decide(Buffer.from('{\\rtf1 x}'), { declaredMime: 'application/msword' })),
    'application/msword',
  );
  assert.equal(verdict(await decide(Buffer.from('<html>'), { declaredMime: 'application/pdf' })), 'contents_mismatch');
});

test('text about PDF → accepted as text; PDF declared as text → refused', async () => {
  const aboutPdf = Buffer.from('Such a file begins with %PDF-1.7.');
  assert.equal(verdict(await decide(aboutPdf, { declaredMime: 'text/plain' })), 'text/plain');
  assert.equal(verdict(await decide(aboutPdf, { declaredMime: 'application/pdf' })), 'application/pdf');
  assert.equal(verdict(await decide(Buffer.from('%PDF-1.7'), { declaredMime: 'text/plain' })), 'contents_mismatch');
});
