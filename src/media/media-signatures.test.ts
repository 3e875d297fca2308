import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { fileTypeFromBuffer } from 'file-type';
import {
  makeAdtsFrame,
  makeCompoundFile,
  makeIsoMedia,
  makeMp3Frame,
  makeOffice,
  makeOgg,
  makeZip,
  SAMPLES,
} from './media-signatures.samples.ts';
import { SNIFF_BYTES_MAX, type SniffedMedia, sniffMediaType } from './media-signatures.ts';
import { findMediaType, MEDIA_TYPES, normalizeMimeType } from './media-type-table.ts';

const NOTHING = Buffer.alloc(0);

function sniff(file: Buffer): SniffedMedia | undefined {
  return sniffMediaType({
    head: file.subarray(0, SNIFF_BYTES_MAX),
    tail: file.subarray(-SNIFF_BYTES_MAX),
    bytes: file.length,
  });
}

function likely(file: Buffer): string {
  const sniffed = sniff(file);
  if (sniffed === undefined) return 'unknown';
  return sniffed.likely ?? (sniffed.possible.length === 0 ? 'foreign' : 'undecided');
}

test('ISO base media files are told by their brands', () => {
  const brands: [string, string[], string][] = [
    ['M4A ', [], 'audio/mp4'],
    ['M4V ', [], 'video/mp4'],
    ['mp42', ['M4A '], 'video/mp4'],
    ['3gp5', [], 'video/3gpp'],
    ['zzzz', ['zzzz', '3gp6'], 'video/3gpp'],
    ['zzzz', ['qt  '], 'foreign'],
    ['zzzz', [], 'video/mp4'],
    ['qt  ', [], 'foreign'],
    ['heic', ['mif1'], 'foreign'],
    ['avif', [], 'foreign'],
  ];
  for (const [major, compatible, expected] of brands) {
    assert.equal(likely(makeIsoMedia(major, compatible)), expected, `${major} ${compatible}`);
  }
  const endless = makeIsoMedia(
    'zzzz',
    Array.from({ length: 20_000 }, () => 'zzzz'),
  );
  assert.equal(likely(endless), 'video/mp4');
});

test('Ogg counts as audio only with Opus or a codec unheard of', () => {
  assert.equal(likely(makeOgg(Buffer.from('OpusHead'))), 'audio/ogg');
  assert.equal(likely(makeOgg(Buffer.from('newCodec'))), 'undecided');
  for (const codec of ['\u0001vorbis', 'Speex   ', '\u0080theora', '\u007fFLAC', 'fishead\0']) {
    assert.equal(likely(makeOgg(Buffer.from(codec, 'latin1'))), 'foreign', codec);
  }
});

test('MPEG audio needs two frames in a row, or one that is the whole file', () => {
  const mp3 = makeMp3Frame();
  const aac = makeAdtsFrame(100);
  const noise = Buffer.alloc(600, 0xaa);
  assert.equal(likely(mp3), 'audio/mpeg');
  assert.equal(likely(aac), 'audio/aac');
  assert.equal(likely(Buffer.concat([mp3, noise])), 'unknown');
  assert.equal(likely(Buffer.concat([aac, noise])), 'unknown');
  assert.equal(likely(Buffer.concat([mp3, mp3, noise])), 'audio/mpeg');
  assert.equal(likely(Buffer.from('fffe41004200', 'hex')), 'text/plain', 'a UTF-16 byte order mark is no frame');
});

test('an ID3 tag is skipped; behind a long one both MPEG audio types are possible', () => {
  const tag = (size: number) =>
    Buffer.concat([
      Buffer.from('ID3\u0004\0\0', 'latin1'),
      Buffer.from([0, 0, size >> 7, size & 127]),
      Buffer.alloc(size),
    ]);
  assert.equal(likely(Buffer.concat([tag(300), makeMp3Frame(), makeMp3Frame()])), 'audio/mpeg');
  assert.equal(likely(Buffer.concat([tag(300), makeAdtsFrame(50), makeAdtsFrame(50)])), 'audio/aac');
  assert.equal(likely(Buffer.concat([tag(300), Buffer.from('fLaC')])), 'foreign');
  assert.deepEqual(sniff(Buffer.from('ID3\u0004\0\0\u007f\u007f\u007f\u007f', 'latin1'))?.possible, [
    'audio/mpeg',
    'audio/aac',
  ]);
});

test('PDF may stand behind other bytes, but only near the start', () => {
  const pdf = SAMPLES['application/pdf'];
  assert.equal(likely(Buffer.concat([Buffer.alloc(600, 1), pdf])), 'application/pdf');
  assert.equal(likely(Buffer.concat([Buffer.alloc(1100, 1), pdf])), 'unknown');
});

test('text is valid UTF-8 or UTF-16 without control characters', () => {
  for (const text of ['a', 'é✓😀\t\r\n\f', '\ufeffbom', '{\\rtf1}', '<svg/>']) {
    assert.equal(likely(Buffer.from(text)), 'text/plain', text);
  }
  assert.equal(likely(Buffer.from('\ufeffgrün\n', 'utf16le')), 'text/plain');
  assert.equal(likely(Buffer.from('\ufeffgrün\n', 'utf16le').swap16()), 'text/plain');
  for (const hex of ['6100', '611b5b', 'e9', 'c3', 'c080', 'eda080', 'fffe00d8', 'fffe61', '617f']) {
    assert.equal(likely(Buffer.from(hex, 'hex')), 'unknown', hex);
  }
  // A character cut by the window.
  const long = Buffer.concat([Buffer.from('a'), Buffer.from('é'.repeat(SNIFF_BYTES_MAX))]);
  assert.equal(likely(long), 'text/plain');
});

test('a text may begin with the letters of a signature', () => {
  const canBeText = (file: Buffer) => sniff(file)?.possible.includes('text/plain');
  for (const words of ['ADIF export', 'ID3 tags', 'The ftyp box', 'GIF89a', 'fLaC', '#!AMR', 'OggS']) {
    for (const encoding of ['utf8', 'latin1'] as const) {
      assert.ok(canBeText(Buffer.from(`${words}, vues en été.\r\n`, encoding)), `${words} in ${encoding}`);
    }
    assert.ok(!canBeText(Buffer.from(`${words}, no text.\0`)), words);
  }
  assert.ok(!canBeText(Buffer.from('%PDF-1.4\n1 0 obj')));
});

test('Office files are told by entry names wherever the directory is in sight', () => {
  const office = 'application/vnd.openxmlformats-officedocument.';
  const filler = { name: 'word/media/image1.png', contents: Buffer.alloc(200_000, 0xee) };
  const far = makeZip([
    { name: '[Content_Types].xml', contents: filler.contents },
    filler,
    { name: 'xl/x', contents: filler.contents },
  ]);
  assert.equal(likely(far), `${office}wordprocessingml.document`);
  const withoutTail = sniffMediaType({ head: far.subarray(0, SNIFF_BYTES_MAX), tail: NOTHING, bytes: far.length });
  assert.equal(withoutTail?.likely, undefined, 'nothing but the first name is in sight');
  assert.equal(withoutTail?.possible.length, 3);
  const near = makeOffice('ppt/presentation.xml', 'presentationml.presentation');
  assert.equal(
    sniffMediaType({ head: near, tail: NOTHING, bytes: near.length + 10 * SNIFF_BYTES_MAX })?.likely,
    `${office}presentationml.presentation`,
  );
  const nested = makeZip([
    { name: 'inner.docx', contents: makeOffice('word/document.xml', 'wordprocessingml.document') },
  ]);
  assert.equal(likely(nested), 'foreign', 'an archive of Office files is no Office file');
});

test('legacy Office files are told by class and main stream, embedded objects aside', () => {
  const word = '0609020000000000c000000000000046';
  assert.equal(likely(makeCompoundFile(['Data'], { rootClass: word })), 'application/msword');
  assert.equal(likely(makeCompoundFile(['WordDocument', 'Workbook'])), 'undecided');
  assert.equal(likely(makeCompoundFile(['Workbook', 'WordDocument'], { rootClass: word })), 'application/msword');
  assert.equal(likely(makeCompoundFile(['constructor', '__proto__'])), 'undecided');
  assert.equal(likely(makeCompoundFile(['__properties_version1.0'])), 'foreign');
  assert.equal(likely(makeCompoundFile(['Workbook'], { gapBytes: 512 * 400 })), 'application/vnd.ms-excel');
  const middle = Buffer.concat([makeCompoundFile(['Workbook'], { gapBytes: 512 * 400 }), Buffer.alloc(200_000)]);
  assert.equal(likely(middle), 'undecided');
});

test('contents of any shape are identified without an error', () => {
  const sample = fc.constantFrom(...Object.values(SAMPLES));
  const edit = fc.record({ at: fc.nat(5000), bytes: fc.uint8Array({ maxLength: 12 }) });
  const mutated = fc.tuple(sample, fc.array(edit, { maxLength: 6 }), fc.nat(6000)).map(([file, edits, cut]) => {
    const copy = Buffer.from(file);
    for (const { at, bytes } of edits)
      copy.set(bytes.subarray(0, Math.max(0, copy.length - at)), Math.min(at, copy.length));
    return copy.subarray(0, cut);
  });
  const arbitrary = fc.oneof(
    mutated,
    fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
  );
  fc.assert(
    fc.property(arbitrary, fc.nat(100_000), (file, more) => {
      for (const tail of [file.subarray(-100), file, NOTHING]) {
        const sniffed = sniffMediaType({ head: file, tail, bytes: file.length + more });
        assert.ok(sniffed?.likely === undefined || sniffed.possible.includes(sniffed.likely));
      }
    }),
    { numRuns: 2000 },
  );
});

test('identification agrees with an independent implementation, on whole and on damaged files', async () => {
  const edit = fc.record({ at: fc.nat(2000), byte: fc.nat(255) });
  const damaged = fc.tuple(fc.constantFrom(...MEDIA_TYPES), fc.array(edit, { maxLength: 3 }), fc.nat(3000));
  const compare = async (file: Buffer) => {
    const oracle = await fileTypeFromBuffer(file).catch(() => undefined);
    const theirs = normalizeMimeType(oracle?.mime ?? '');
    const known = theirs === undefined ? undefined : findMediaType(theirs)?.mimeType;
    const ours = sniff(file);
    if (known !== undefined && ours !== undefined && !isKnownDifference(known, ours)) {
      assert.ok(ours.possible.includes(known), `theirs ${known}, ours ${ours.possible.join()}`);
    }
    return known;
  };
  const agreed = new Set<string | undefined>();
  for (const file of Object.values(SAMPLES)) agreed.add(await compare(file));
  assert.ok(agreed.size >= 12, `only ${[...agreed].join()} compared`);
  await fc.assert(
    fc.asyncProperty(damaged, async ([{ mimeType }, edits, bytesMin]) => {
      const file = Buffer.from(SAMPLES[mimeType]);
      for (const { at, byte } of edits) if (at < file.length) file[at] = byte;
      await compare(file.subarray(0, Math.max(40, bytesMin)));
    }),
    { numRuns: 500 },
  );
});

/** Where the other one knows less: it believes the local headers of an archive, we its central directory. */
function isKnownDifference(theirs: string, ours: SniffedMedia): boolean {
  return theirs.includes('openxmlformats') && ours.possible.length === 0;
}
