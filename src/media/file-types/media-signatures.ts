import { type FileContents, only, SNIFF_BYTES_MAX, type SniffedMedia } from './file-contents.ts';
import { sniffCompoundFile } from './media-signatures-cfb.ts';
import { nameForeign } from './media-signatures-foreign.ts';
import { sniffIsoMedia } from './media-signatures-mp4.ts';
import { searchMpegAudio, sniffMpegAudio } from './media-signatures-mpeg.ts';
import { sniffOgg } from './media-signatures-ogg.ts';
import { canBeText, looksLikeText, sniffMangled, sniffText, TEXT_TYPES } from './media-signatures-text.ts';
import { sniffZip } from './media-signatures-zip.ts';
import type { MimeType } from './media-type-table.ts';

/** First bytes that decide the type. */
const SIGNATURES: readonly (readonly [Buffer, MimeType])[] = [
  [Buffer.from('ffd8ff', 'hex'), 'image/jpeg'],
  [Buffer.from('89504e470d0a1a0a', 'hex'), 'image/png'],
  [Buffer.from('#!AMR'), 'audio/amr'],
  [Buffer.from('ADIF'), 'audio/aac'],
];

const PDF_HEADER_BYTES_MAX = 1024;

/**
 * Identifies contents. Every supported type but text has a recognizer here, stricter than a signature if types share one. Nothing is
 * decompressed, and the number of reads is bounded. `undefined` means that the contents are of no known type.
 */
export async function sniffMediaType(contents: FileContents): Promise<SniffedMedia | undefined> {
  const head = await contents.read(0, SNIFF_BYTES_MAX);
  const sniffed =
    sniffMangled(head, contents.bytes) ??
    sniffSignature(head) ??
    sniffWebp(head) ??
    sniffOgg(head) ??
    (await sniffIsoMedia(contents, head)) ??
    (await sniffZip(contents, head)) ??
    (await sniffCompoundFile(contents, head)) ??
    (await sniffMpegAudio(contents, head));
  if (sniffed !== undefined) return orText(await named(sniffed, head), head);
  const documentOrText = sniffPdf(head) ?? sniffText(head, contents.bytes);
  if (documentOrText !== undefined) return documentOrText;
  const name = await nameForeign(head);
  if (name !== undefined) return orText({ possible: [], name }, head);
  return searchMpegAudio(head) ?? (canBeText(head) ? { possible: TEXT_TYPES } : undefined);
}

async function named(sniffed: SniffedMedia, head: Buffer): Promise<SniffedMedia> {
  if (sniffed.possible.length > 0 || sniffed.name !== undefined) return sniffed;
  const name = await nameForeign(head);
  return name === undefined ? sniffed : { ...sniffed, name };
}

/** Adds text to the possible types if only that signature speaks against it: some signatures are letters and may begin a text. */
function orText(sniffed: SniffedMedia, head: Buffer): SniffedMedia {
  if (!looksLikeText(head)) return sniffed;
  return { likely: 'text/plain', ...sniffed, possible: [...sniffed.possible, ...TEXT_TYPES] };
}

function sniffSignature(head: Buffer): SniffedMedia | undefined {
  const mimeType = SIGNATURES.find(([signature]) => head.subarray(0, signature.length).equals(signature))?.[1];
  return mimeType === undefined ? undefined : only(mimeType);
}

function sniffWebp(head: Buffer): SniffedMedia | undefined {
  if (head.toString('latin1', 0, 4) !== 'RIFF' || head.toString('latin1', 8, 12) !== 'WEBP') return undefined;
  const chunk = head.toString('latin1', 12, 16);
  // Only the extended format can be animated; bit 1 of its first flag byte says if it is.
  const isAnimated = chunk === 'VP8X' && ((head[20] ?? 0) & 0x02) !== 0;
  return { ...only('image/webp'), isAnimated };
}

function sniffPdf(head: Buffer): SniffedMedia | undefined {
  const position = head.subarray(0, PDF_HEADER_BYTES_MAX).indexOf('%PDF-');
  if (position === -1) return undefined;
  // Behind other bytes, `%PDF-` may be part of a text. At the start it decides, because some PDFs are text throughout.
  return position === 0 ? only('application/pdf') : orText(only('application/pdf'), head);
}
