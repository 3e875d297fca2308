import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { fileTypeFromBuffer } from 'file-type';
import {
  contentsOf,
  makeAdtsFrame,
  makeCompoundFile,
  makeIsoMedia,
  makeMovie,
  makeMp3Frame,
  makeOffice,
  makeOgg,
  makeZip,
  SAMPLES,
} from '../../../test/support/media-samples.ts';
import { normalizeMimeType } from './declared-types.ts';
import { SNIFF_BYTES_MAX, type SniffedMedia } from './file-contents.ts';
import { sniffMediaType } from './media-signatures.ts';
import { findMediaType, MEDIA_TYPES } from './media-type-table.ts';

function sniff(file: Buffer): Promise<SniffedMedia | undefined> {
  return sniffMediaType(contentsOf(file));
}

async function likely(file: Buffer): Promise<string> {
  const sniffed = await sniff(file);
  if (sniffed === undefined) return 'unknown';
  return sniffed.likely ?? (sniffed.possible.length === 0 ? 'foreign' : 'undecided');
}

test('ISO media: any brand → decides the type', async () => {
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
    assert.equal(await likely(makeIsoMedia(major, compatible)), expected, `${major} ${compatible}`);
  }
  const endless = makeIsoMedia(
    'zzzz',
    Array.from({ length: 20_000 }, () => 'zzzz'),
  );
  assert.equal(await likely(endless), 'video/mp4');
});

test('ISO media: tracks at the start or the end → decide between audio and video', async () => {
  const cases: [string, [string, number][], string][] = [
    ['isom', [['soun', 90]], 'audio/mp4'],
    ['3gp4', [['soun', 90]], 'audio/mp4'],
    [
      '3gp4',
      [
        ['soun', 90],
        ['vide', 30],
      ],
      'video/3gpp',
    ],
    [
      'mp42',
      [
        ['vide', 0],
        ['soun', 0],
      ],
      'video/mp4',
    ],
    [
      'isom',
      [
        ['vide', 1],
        ['soun', 90],
      ],
      'audio/mp4',
    ],
    [
      'M4A ',
      [
        ['soun', 90],
        ['vide', 9],
      ],
      'audio/mp4',
    ],
    ['isom', [['text', 9]], 'video/mp4'],
    ['qt  ', [['soun', 90]], 'foreign'],
  ];
  for (const [brand, tracks, expected] of cases) {
    for (const isAtEnd of [false, true]) {
      assert.equal(await likely(makeMovie(brand, tracks, { isAtEnd })), expected, `${brand} ${tracks}`);
    }
  }
  const android = await sniff(makeMovie('3gp4', [['soun', 90]]));
  assert.deepEqual(android?.possible, ['audio/mp4', 'video/3gpp', 'video/mp4']);
  const film = await sniff(makeMovie('isom', [['vide', 30]]));
  assert.ok(!film?.possible.includes('audio/mp4'));
});

test('ISO media: endless boxes → bounded number of reads', async () => {
  let reads = 0;
  const box = Buffer.from('00000008667265650000000866726565', 'hex');
  const start = makeIsoMedia('isom', []);
  const contents = {
    bytes: 2 ** 30,
    read: async (position: number, bytesMax: number) => {
      reads += 1;
      return position < start.length ? start.subarray(position, position + bytesMax) : box.subarray(0, bytesMax);
    },
  };
  assert.equal((await sniffMediaType(contents))?.likely, 'video/mp4');
  assert.ok(reads < 1000, `${reads} reads`);
});

test('Ogg: Opus or an unknown codec → audio; any other → not supported', async () => {
  assert.equal(await likely(makeOgg(Buffer.from('OpusHead'))), 'audio/ogg');
  assert.equal(await likely(makeOgg(Buffer.from('newCodec'))), 'undecided');
  for (const codec of ['\u0001vorbis', 'Speex   ', '\u0080theora', '\u007fFLAC', 'fishead\0']) {
    assert.equal(
      await likely(makeOgg(Buffer.from(codec, 'latin1'))),
      codec === 'fishead\0' ? 'undecided' : 'foreign',
      codec,
    );
  }
  const streams = (...codecs: string[]) =>
    Buffer.concat(codecs.map((codec) => makeOgg(Buffer.from(codec, 'latin1')).subarray(0, 28 + codec.length)));
  assert.equal(await likely(streams('fishead\0', 'OpusHead')), 'audio/ogg');
  assert.equal((await sniff(streams('\u0080theora', 'OpusHead')))?.name, 'Ogg Theora');
  assert.equal((await sniff(streams('\u0001vorbis')))?.name, 'Ogg Vorbis');
});

test('MPEG audio: two frames in a row, or one as the whole file → recognized', async () => {
  const mp3 = makeMp3Frame();
  const aac = makeAdtsFrame(100);
  const noise = Buffer.alloc(600, 0x11);
  const longNoise = Buffer.alloc(3000);
  assert.equal(await likely(mp3), 'audio/mpeg');
  assert.equal(await likely(aac), 'audio/aac');
  assert.equal(await likely(Buffer.concat([mp3, noise])), 'unknown');
  assert.equal(await likely(Buffer.concat([aac, noise])), 'unknown');
  assert.equal(await likely(Buffer.concat([mp3, mp3, noise])), 'audio/mpeg');
  assert.equal(await likely(Buffer.concat([longNoise, mp3, mp3, mp3, mp3])), 'audio/mpeg', 'behind padding');
  assert.equal(await likely(Buffer.concat([longNoise, mp3, mp3, mp3])), 'unknown', 'too few to be no chance');
  assert.equal(await likely(Buffer.from('fffe41004200', 'hex')), 'text/plain', 'a UTF-16 byte order mark is no frame');
});

test('ID3 tags: any length and number → skipped; cut tag → both MPEG types possible', async () => {
  const tag = (size: number) =>
    Buffer.concat([
      Buffer.from('ID3\u0004\0\0', 'latin1'),
      Buffer.from([0, (size >> 14) & 127, (size >> 7) & 127, size & 127]),
      Buffer.alloc(size),
    ]);
  const long = tag(300_000);
  assert.equal(await likely(Buffer.concat([long, makeMp3Frame(), makeMp3Frame()])), 'audio/mpeg');
  assert.equal(await likely(Buffer.concat([long, tag(9), makeAdtsFrame(50), makeAdtsFrame(50)])), 'audio/aac');
  const padded = Array.from({ length: 4 }, () => makeAdtsFrame(50));
  assert.equal(await likely(Buffer.concat([tag(9), Buffer.alloc(700), ...padded])), 'audio/aac');
  assert.equal(await likely(Buffer.concat([tag(300), makeMp3Frame(), makeMp3Frame()])), 'audio/mpeg');
  assert.equal(await likely(Buffer.concat([tag(300), makeAdtsFrame(50), makeAdtsFrame(50)])), 'audio/aac');
  assert.equal(await likely(Buffer.concat([tag(300), Buffer.from('fLaC')])), 'foreign');
  const cut = await sniff(Buffer.from('ID3\u0004\0\0\u007f\u007f\u007f\u007f', 'latin1'));
  assert.deepEqual(cut?.possible, ['audio/mpeg', 'audio/aac']);
});

test('PDF: header behind other bytes → recognized near the start only', async () => {
  const pdf = SAMPLES['application/pdf'];
  assert.equal(await likely(Buffer.concat([Buffer.alloc(600, 1), pdf])), 'application/pdf');
  assert.equal(await likely(Buffer.concat([Buffer.alloc(1100, 1), pdf])), 'unknown');
});

test('Office files: entry names → type, wherever the directory is; without it, by the start', async () => {
  const office = 'application/vnd.openxmlformats-officedocument.';
  const filler = { name: 'word/media/image1.png', contents: Buffer.alloc(200_000, 0xee) };
  const many = Array.from({ length: 3000 }, (_, index) => ({ name: `word/media/${index}`, contents: Buffer.alloc(9) }));
  const far = makeZip([{ name: '[Content_Types].xml', contents: filler.contents }, filler, ...many]);
  assert.equal(await likely(far), `${office}wordprocessingml.document`);
  const cut = await sniff(far.subarray(0, 250_000));
  assert.equal(cut?.likely, undefined, 'nothing but the first name is in sight');
  assert.equal(cut?.possible.length, 3);
  const near = makeOffice('ppt/presentation.xml', 'presentationml.presentation');
  const longer = await sniffMediaType(contentsOf(near, near.length + 10 * SNIFF_BYTES_MAX));
  assert.equal(longer?.likely, `${office}presentationml.presentation`);
  const nested = makeZip([
    { name: 'inner.docx', contents: makeOffice('word/document.xml', 'wordprocessingml.document') },
  ]);
  assert.equal(await likely(nested), 'foreign', 'an archive of Office files is no Office file');
  const binary = makeOffice('xl/workbook.bin', 'spreadsheetml.sheet');
  assert.equal(await likely(binary), 'foreign', 'a binary workbook is no xlsx');
});

test('legacy Office files: root class and main stream → type, despite embedded objects', async () => {
  const word = '0609020000000000c000000000000046';
  assert.equal(await likely(makeCompoundFile(['Data'], { rootClass: word })), 'application/msword');
  assert.equal(await likely(makeCompoundFile(['WordDocument', 'Workbook'])), 'undecided');
  assert.equal(await likely(makeCompoundFile(['Workbook', 'WordDocument'], { rootClass: word })), 'application/msword');
  assert.equal(await likely(makeCompoundFile(['constructor', '__proto__'])), 'undecided');
  assert.equal(await likely(makeCompoundFile(['__properties_version1.0'])), 'foreign');
  assert.equal(await likely(makeCompoundFile(['Workbook'], { gapBytes: 512 * 400 })), 'application/vnd.ms-excel');
  const middle = Buffer.concat([makeCompoundFile(['Workbook'], { gapBytes: 512 * 400 }), Buffer.alloc(200_000)]);
  assert.equal(await likely(middle), 'application/vnd.ms-excel');
  const locked = await sniff(makeCompoundFile(['EncryptionInfo', 'EncryptedPackage']));
  assert.equal(locked?.likely, undefined);
  assert.equal(locked?.possible.length, 3);
});

test('sniff: any contents → no error', async () => {
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
  await fc.assert(
    fc.asyncProperty(arbitrary, fc.constantFrom(0, 1, 100_000), async (file, more) => {
      const sniffed = await sniffMediaType(contentsOf(file, file.length + more));
      assert.ok(sniffed?.likely === undefined || sniffed.possible.includes(sniffed.likely));
    }),
    { numRuns: 2000 },
  );
});

test('sniff: whole or damaged files → agrees with an independent implementation', async () => {
  const edit = fc.record({ at: fc.nat(2000), byte: fc.nat(255) });
  const damaged = fc.tuple(fc.constantFrom(...MEDIA_TYPES), fc.array(edit, { maxLength: 3 }), fc.nat(3000));
  const compare = async (file: Buffer) => {
    const oracle = await fileTypeFromBuffer(file).catch(() => undefined);
    const theirs = normalizeMimeType(oracle?.mime ?? '');
    const known = theirs === undefined ? undefined : findMediaType(theirs)?.mimeType;
    const ours = await sniff(file);
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

/** Known differences: the other implementation believes an archive's local headers, not its directory, and needs no `-` behind `%PDF`. */
function isKnownDifference(theirs: string, ours: SniffedMedia): boolean {
  if (theirs === 'application/pdf') return ours.likely === undefined;
  return theirs.includes('openxmlformats') && ours.possible.length === 0;
}
