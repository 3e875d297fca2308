import { sniffCompoundFile } from './media-signatures-cfb.ts';
import { sniffMpegAudio } from './media-signatures-mpeg.ts';
import { sniffZip } from './media-signatures-zip.ts';
import type { MimeType } from './media-type-table.ts';

/** The two ends of a file, all that is ever looked at. */
export interface MediaContents {
  /** The first `SNIFF_BYTES_MAX` bytes of the file, or all of a shorter one. */
  head: Buffer;
  /** As many at its end: what is inside of Office files is told there. */
  tail: Buffer;
  /** Size of the whole file. */
  bytes: number;
}

/** A positive identification of a file's contents. */
export interface SniffedMedia {
  /** The types these contents can truthfully be declared as. Empty: positively none that the upstream takes. */
  possible: readonly MimeType[];
  /** The type to assume when nothing was declared; absent when the contents alone do not tell. */
  likely?: MimeType;
  /** Only for WebP whose header says so. */
  isAnimated?: boolean;
}

/** Bounds the work on any input. */
export const SNIFF_BYTES_MAX = 64 * 1024;

const FOREIGN: SniffedMedia = { possible: [] };

/** First bytes that settle the type. Those of other formats are here to be told from "unknown". */
const SIGNATURES: readonly (readonly [hex: string, SniffedMedia])[] = [
  ['ffd8ff', only('image/jpeg')],
  ['89504e470d0a1a0a', only('image/png')],
  [ascii('#!AMR'), only('audio/amr')],
  [ascii('ADIF'), only('audio/aac')],
  [ascii('GIF87a'), FOREIGN],
  [ascii('GIF89a'), FOREIGN],
  ['49492a00', FOREIGN], // TIFF
  ['4d4d002a', FOREIGN], // TIFF
  [ascii('8BPS'), FOREIGN], // Photoshop
  [ascii('fLaC'), FOREIGN],
  ['1a45dfa3', FOREIGN], // Matroska, WebM
  ['464c5601', FOREIGN], // Flash video
  ['000001ba', FOREIGN], // MPEG program stream
  ['3026b2758e66cf11', FOREIGN], // Windows Media
  ['526172211a07', FOREIGN], // RAR
  ['377abcaf271c', FOREIGN], // 7-Zip
  ['1f8b08', FOREIGN], // gzip
  ['fd377a585a00', FOREIGN], // xz
  ['28b52ffd', FOREIGN], // Zstandard
  ['7f454c46', FOREIGN], // ELF
  ['4d5a9000', FOREIGN], // Windows program
  ['cafebabe', FOREIGN], // Java class, Mach-O
  ['cffaedfe', FOREIGN], // Mach-O
  ['0061736d', FOREIGN], // WebAssembly
];

const COMPILED_SIGNATURES = SIGNATURES.map(([hex, sniffed]) => [Buffer.from(hex, 'hex'), sniffed] as const);

const MPEG4: SniffedMedia = { possible: ['video/mp4', 'audio/mp4', 'video/3gpp'], likely: 'video/mp4' };

/** ISO base media files by brand, major brand first. Phones write 3GPP brands into files they call MP4. */
const BRANDS: readonly (readonly [RegExp, SniffedMedia])[] = [
  [/^(M4A|M4B|F4A) $/, only('audio/mp4')],
  [/^(M4V |M4VH|M4VP)$/, only('video/mp4')],
  [/^3g[a-z0-9]{2}$/, { possible: ['video/3gpp', 'video/mp4'], likely: 'video/3gpp' }],
  [/^(iso[m2-9]|mp4[12]|mp71|avc1|dash|mmp4|MSNV)$/, MPEG4],
  [/^(qt {2}|hei[cxms]|hev[cx]|mif1|msf1|avif|avis|jp2 |jpx |crx )$/, FOREIGN],
];

/** Room for 60 compatible brands; real files name fewer than ten. */
const FTYP_BYTES_MAX = 256;

const PDF_HEADER_BYTES_MAX = 1024;

/** Word and Excel open RTF, HTML and CSV under their own extensions, and browsers declare them so. */
const TEXT: SniffedMedia = {
  possible: ['text/plain', 'application/msword', 'application/vnd.ms-excel'],
  likely: 'text/plain',
};

/**
 * Identifies contents by signatures of our own: fixed offsets, no recursion, no decompression, work bounded by the two
 * windows. `undefined` means unknown and says nothing against any declared type.
 */
export function sniffMediaType(contents: MediaContents): SniffedMedia | undefined {
  const { head } = contents;
  const sniffed =
    COMPILED_SIGNATURES.find(([signature]) => startsWith(head, signature))?.[1] ??
    sniffRiff(head) ??
    sniffIsoMedia(head) ??
    sniffOgg(head) ??
    sniffZip(contents) ??
    sniffCompoundFile(contents) ??
    sniffMpegAudio(contents);
  // Some signatures are letters, and may begin a text as well.
  return sniffed === undefined ? (sniffPdf(contents) ?? sniffText(contents)) : orText(sniffed, contents);
}

function only(mimeType: MimeType): SniffedMedia {
  return { possible: [mimeType], likely: mimeType };
}

function ascii(text: string): string {
  return Buffer.from(text, 'latin1').toString('hex');
}

function startsWith(head: Buffer, signature: Buffer): boolean {
  return head.length >= signature.length && head.subarray(0, signature.length).equals(signature);
}

function sniffRiff(head: Buffer): SniffedMedia | undefined {
  if (head.toString('latin1', 0, 4) !== 'RIFF') return undefined;
  const form = head.toString('latin1', 8, 12);
  if (form === 'WAVE' || form === 'AVI ') return FOREIGN;
  if (form !== 'WEBP') return undefined;
  const chunk = head.toString('latin1', 12, 16);
  // Only the extended format can be animated; bit 1 of its first flag byte says whether it is.
  const isAnimated = chunk === 'VP8X' && ((head[20] ?? 0) & 0x02) !== 0;
  return { ...only('image/webp'), isAnimated };
}

function sniffIsoMedia(head: Buffer): SniffedMedia | undefined {
  if (head.length < 12 || head.toString('latin1', 4, 8) !== 'ftyp') return undefined;
  const boxEnd = Math.min(head.readUInt32BE(0), head.length, FTYP_BYTES_MAX);
  // The minor version stands between the major brand and the compatible ones, and matches none.
  for (let offset = 8; offset === 8 || offset + 4 <= boxEnd; offset += 4) {
    const brand = head.toString('latin1', offset, offset + 4);
    const sniffed = BRANDS.find(([pattern]) => pattern.test(brand))?.[1];
    if (sniffed !== undefined) return sniffed;
  }
  return MPEG4;
}

function sniffOgg(head: Buffer): SniffedMedia | undefined {
  if (head.toString('latin1', 0, 4) !== 'OggS') return undefined;
  const packetStart = 27 + (head[26] ?? 0);
  const codec = head.toString('latin1', packetStart, packetStart + 8);
  if (codec === 'OpusHead') return { possible: ['audio/ogg', 'audio/opus'], likely: 'audio/ogg' };
  // The upstream plays Opus only; an unknown codec is left to its judgement.
  return /^(\x7fFLAC|Speex {3}|.vorbis|.theora|fishead)/.test(codec)
    ? FOREIGN
    : { possible: ['audio/ogg', 'audio/opus'] };
}

function sniffPdf(contents: MediaContents): SniffedMedia | undefined {
  const position = contents.head.subarray(0, PDF_HEADER_BYTES_MAX).indexOf('%PDF-');
  if (position === -1) return undefined;
  const pdf = only('application/pdf');
  // Behind other bytes it may be what a text is about; at the start not, since there are PDFs that are text throughout.
  return position === 0 ? pdf : orText(pdf, contents);
}

/** `sniffed`, or text where nothing but that signature speaks against it: the bytes look like letters of some code page. */
function orText(sniffed: SniffedMedia, { head }: MediaContents): SniffedMedia {
  if (/[^\P{Cc}\t\n\f\r\x80-\x9f]/u.test(head.toString('latin1'))) return sniffed;
  return { ...TEXT, ...sniffed, possible: [...sniffed.possible, ...TEXT.possible] };
}

function sniffText({ head, bytes }: MediaContents): SniffedMedia | undefined {
  if (head.length === 0) return undefined;
  const bom = head.toString('hex', 0, 2);
  const encoding = bom === 'fffe' ? 'utf-16le' : bom === 'feff' ? 'utf-16be' : 'utf-8';
  try {
    // A character cut at the end of the window is no error, one cut at the end of the file is.
    const text = new TextDecoder(encoding, { fatal: true }).decode(head, { stream: head.length < bytes });
    if (/[^\P{Cc}\t\n\f\r]/u.test(text)) return undefined;
  } catch {
    return undefined;
  }
  return TEXT;
}
