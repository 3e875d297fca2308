import { crc32 } from 'node:zlib';
import type { FileContents } from '../../src/media/file-types/file-contents.ts';
import type { MimeType } from '../../src/media/file-types/media-type-table.ts';

/** A small file of each type, complete enough for its signature. */
export const SAMPLES: Readonly<Record<MimeType, Buffer>> = {
  'image/jpeg': Buffer.concat([hex('ffd8ffe000104a46494600010100000100010000'), Buffer.alloc(200, 0x11), hex('ffd9')]),
  'image/png': Buffer.concat([
    hex('89504e470d0a1a0a'),
    pngChunk('IHDR', hex('00000001000000010802000000')),
    pngChunk('IDAT', hex('789c63f8cfc0000003010100')),
    pngChunk('IEND', Buffer.alloc(0)),
  ]),
  'image/webp': makeWebp('VP8L', Buffer.concat([hex('2f00000000'), Buffer.alloc(60, 0x11)])),
  'audio/aac': repeat(makeAdtsFrame(100), 20),
  'audio/amr': Buffer.concat([text('#!AMR\n'), repeat(Buffer.concat([hex('3c'), Buffer.alloc(31, 0x5a)]), 20)]),
  'audio/mpeg': repeat(makeMp3Frame(), 8),
  'audio/mp4': makeIsoMedia('M4A ', ['isom', 'mp42']),
  'audio/ogg': makeOgg(text('OpusHead\u0001\u0001')),
  'video/mp4': makeIsoMedia('isom', ['iso2', 'avc1', 'mp41']),
  'video/3gpp': makeIsoMedia('3gp4', ['isom', '3gp4']),
  'text/plain': Buffer.from('Guten Tag, schöne Grüße – ✓\r\n\tline two\n'.repeat(10)),
  'application/pdf': text(
    `%PDF-1.7\n%\u00e2\u00e3\u00cf\u00d3\n1 0 obj<</Type/Catalog>>endobj\n${'x'.repeat(200)}\n%%EOF\n`,
  ),
  'application/msword': makeCompoundFile(['WordDocument', '1Table']),
  'application/vnd.ms-excel': makeCompoundFile(['Workbook']),
  'application/vnd.ms-powerpoint': makeCompoundFile(['Current User', 'PowerPoint Document']),
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': makeOffice(
    'word/document.xml',
    'wordprocessingml.document',
  ),
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': makeOffice(
    'xl/workbook.xml',
    'spreadsheetml.sheet',
  ),
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': makeOffice(
    'ppt/presentation.xml',
    'presentationml.presentation',
  ),
};

/** Presents `file` as a spooled file. */
export function contentsOf(file: Buffer, bytes = file.length): FileContents {
  return { bytes, read: async (position, bytesMax) => file.subarray(position, position + bytesMax) };
}

export function makeWebp(chunk: string, payload: Buffer): Buffer {
  const padded = Buffer.concat([payload, Buffer.alloc(payload.length % 2)]);
  const body = Buffer.concat([text('WEBP'), text(chunk), uint32le(payload.length), padded]);
  return Buffer.concat([text('RIFF'), uint32le(body.length), body]);
}

export function makeIsoMedia(majorBrand: string, compatibleBrands: readonly string[]): Buffer {
  const brands = text(`${majorBrand}\u0000\u0000\u0002\u0000${compatibleBrands.join('')}`);
  return Buffer.concat([isoBox('ftyp', brands), isoBox('mdat', Buffer.alloc(300, 0xee))]);
}

/** Builds a movie with one track per handler and its number of samples; `moov` follows the media if `isAtEnd`. */
export function makeMovie(
  brand: string,
  tracks: readonly (readonly [handler: string, samples: number])[],
  { isAtEnd = false } = {},
): Buffer {
  const traks = tracks.map(([handler, samples]) => {
    const sizes = isoBox('stsz', Buffer.concat([Buffer.alloc(8), uint32le(samples).reverse()]));
    const hdlr = isoBox('hdlr', Buffer.concat([Buffer.alloc(8), text(handler), Buffer.alloc(13)]));
    const media = isoBox(
      'mdia',
      Buffer.concat([isoBox('mdhd', Buffer.alloc(24)), hdlr, isoBox('minf', isoBox('stbl', sizes))]),
    );
    return isoBox('trak', Buffer.concat([isoBox('tkhd', Buffer.alloc(84)), media]));
  });
  const moov = isoBox('moov', Buffer.concat([isoBox('mvhd', Buffer.alloc(100)), ...traks]));
  const ftyp = isoBox('ftyp', text(`${brand}\u0000\u0000\u0002\u0000${brand}`));
  const mdat = isoBox('mdat', Buffer.alloc(100_000, 0xee));
  return Buffer.concat(isAtEnd ? [ftyp, mdat, moov] : [ftyp, moov, mdat]);
}

export function makeOgg(firstPacket: Buffer): Buffer {
  const header = Buffer.concat([
    text('OggS'),
    hex('0002'),
    Buffer.alloc(20),
    hex('01'),
    Buffer.from([firstPacket.length]),
  ]);
  return Buffer.concat([header, firstPacket, Buffer.alloc(200, 0xee)]);
}

/** Builds a frame of MPEG-1 layer III, 128 kbit/s, 44.1 kHz. */
export function makeMp3Frame(): Buffer {
  return Buffer.concat([hex('fffb9000'), Buffer.alloc(413, 0x55)]);
}

export function makeAdtsFrame(bytes: number): Buffer {
  const header = Buffer.from([
    0xff,
    0xf1,
    0x50,
    0x80 | (bytes >> 11),
    (bytes >> 3) & 0xff,
    ((bytes & 7) << 5) | 0x1f,
    0xfc,
  ]);
  return Buffer.concat([header, Buffer.alloc(bytes - header.length, 0x21)]);
}

/** Builds a ZIP archive of stored entries. */
export function makeZip(entries: readonly { name: string; contents: Buffer }[]): Buffer {
  const locals: Buffer[] = [];
  const centrals: Buffer[] = [];
  let offset = 0;
  for (const { name, contents } of entries) {
    const sizes = Buffer.concat([uint32le(crc32(contents)), uint32le(contents.length), uint32le(contents.length)]);
    const facts = Buffer.concat([hex('14000000000000002100'), sizes, uint16le(name.length), uint16le(0)]);
    const local = Buffer.concat([hex('504b0304'), facts, text(name), contents]);
    centrals.push(Buffer.concat([hex('504b01021400'), facts, Buffer.alloc(10), uint32le(offset), text(name)]));
    locals.push(local);
    offset += local.length;
  }
  const directory = Buffer.concat(centrals);
  const count = uint16le(entries.length);
  const end = [hex('504b050600000000'), count, count, uint32le(directory.length), uint32le(offset), uint16le(0)];
  return Buffer.concat([...locals, directory, ...end]);
}

export function makeOffice(mainPart: string, type: string, furtherParts: readonly string[] = []): Buffer {
  const contentType = `application/vnd.openxmlformats-officedocument.${type}.main+xml`;
  const types = `<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName="/${mainPart}" ContentType="${contentType}"/></Types>`;
  const parts = ['_rels/.rels', mainPart, ...furtherParts].map((name) => ({ name, contents: text('<x/>') }));
  return makeZip([{ name: '[Content_Types].xml', contents: text(types) }, ...parts]);
}

/** Builds a compound file of 512-byte sectors: allocation table in sector 0, directory after `gapBytes` of other sectors. */
export function makeCompoundFile(
  streams: readonly string[],
  options: { rootClass?: string; gapBytes?: number } = {},
): Buffer {
  const gap = Buffer.alloc(options.gapBytes ?? 0, 0xee);
  const header = Buffer.alloc(512, 0);
  hex('d0cf11e0a1b11ae1').copy(header);
  header.writeUInt16LE(0x3e, 0x18);
  header.writeUInt16LE(3, 0x1a);
  header.writeUInt16LE(0xfffe, 0x1c);
  header.writeUInt16LE(9, 0x1e);
  header.writeUInt16LE(6, 0x20);
  header.writeUInt32LE(1, 0x2c);
  header.writeUInt32LE(1 + gap.length / 512, 0x30);
  header.writeUInt32LE(4096, 0x38);
  const names = ['Root Entry', ...streams];
  const entries = names.map((name, index) => compoundEntry(name, index === 0 ? (options.rootClass ?? '') : ''));
  const directory = Buffer.concat([...entries, Buffer.alloc((128 * (4 - (names.length % 4))) % 512)]);
  return Buffer.concat([header, Buffer.alloc(512, 0xff), gap, directory, Buffer.alloc(4096, 0x33)]);
}

function compoundEntry(name: string, classId: string): Buffer {
  const entry = Buffer.alloc(128);
  entry.write(name, 'utf16le');
  entry.writeUInt16LE((name.length + 1) * 2, 64);
  entry.writeUInt8(name === 'Root Entry' ? 5 : 2, 66);
  hex(classId).copy(entry, 80);
  return entry;
}

function isoBox(type: string, payload: Buffer): Buffer {
  const size = Buffer.alloc(4);
  size.writeUInt32BE(payload.length + 8);
  return Buffer.concat([size, text(type), payload]);
}

function pngChunk(type: string, payload: Buffer): Buffer {
  const size = Buffer.alloc(4);
  size.writeUInt32BE(payload.length);
  const body = Buffer.concat([text(type), payload]);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([size, body, checksum]);
}

function repeat(part: Buffer, times: number): Buffer {
  return Buffer.concat(Array.from({ length: times }, () => part));
}

function hex(digits: string): Buffer {
  return Buffer.from(digits, 'hex');
}

function text(characters: string): Buffer {
  return Buffer.from(characters, 'latin1');
}

function uint16le(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}

function uint32le(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
