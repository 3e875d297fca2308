import { type FileContents, only, SNIFF_BYTES_MAX, type SniffedMedia } from './file-contents.ts';

const MP3 = only('audio/mpeg');
const AAC = only('audio/aac');

const MPEG1_KBPS = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const MPEG2_KBPS = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
const SAMPLE_RATES_HZ = [44_100, 48_000, 32_000];

/** Bytes of an ADTS header; the MP3 header is shorter. */
const HEADER_BYTES = 7;
/** Most tags at the start of one file. */
const TAGS_MAX = 8;
/** Number of frames in a row that no other format contains by chance. */
const FRAMES_SEARCHED = 4;

type ReadFrameBytes = (window: Buffer, offset: number) => number | undefined;

/** Recognizes Layer III and ADTS frames, with or without ID3v2 tags of any length before them. */
export async function sniffMpegAudio(contents: FileContents, head: Buffer): Promise<SniffedMedia | undefined> {
  let start = 0;
  let window = head;
  for (let tags = 0; tags < TAGS_MAX; tags += 1) {
    const tagBytes = readTagBytes(window);
    if (tagBytes === undefined) break;
    start += tagBytes;
    window = await contents.read(start, SNIFF_BYTES_MAX);
  }
  if (start > 0 && window.toString('latin1', 0, 4) === 'fLaC') return { possible: [], name: 'audio/flac (.flac)' };
  const bytesLeft = contents.bytes - start;
  if (countFrames(window, 0, bytesLeft, readMp3FrameBytes, 2) === 2) return MP3;
  if (countFrames(window, 0, bytesLeft, readAdtsFrameBytes, 2) === 2) return AAC;
  if (start === 0) return undefined;
  return searchMpegAudio(window) ?? { possible: ['audio/mpeg', 'audio/aac'], likely: 'audio/mpeg' };
}

/** Recognizes frames behind zeros, padding or the remains of a stream that was cut. */
export function searchMpegAudio(window: Buffer): SniffedMedia | undefined {
  for (let at = window.indexOf(0xff); at !== -1; at = window.indexOf(0xff, at + 1)) {
    if (countFrames(window, at, Number.POSITIVE_INFINITY, readMp3FrameBytes, FRAMES_SEARCHED) === FRAMES_SEARCHED)
      return MP3;
    if (countFrames(window, at, Number.POSITIVE_INFINITY, readAdtsFrameBytes, FRAMES_SEARCHED) === FRAMES_SEARCHED)
      return AAC;
  }
  return undefined;
}

/**
 * Counts frames in a row, up to `framesMax`. A file that ends with or within a frame counts as complete. One header proves nothing: the
 * sync word has only eleven bits and also begins every UTF-16 text.
 */
function countFrames(
  window: Buffer,
  start: number,
  bytes: number,
  readFrameBytes: ReadFrameBytes,
  framesMax: number,
): number {
  let offset = start;
  for (let frames = 0; frames < framesMax; frames += 1) {
    if (frames > 0 && offset + HEADER_BYTES > bytes) return framesMax;
    const frameBytes = readFrameBytes(window, offset);
    if (frameBytes === undefined) return frames;
    offset += frameBytes;
  }
  return framesMax;
}

/** Returns the length of an ID3v2 tag at the start, header and footer included. */
function readTagBytes(head: Buffer): number | undefined {
  if (head.length < 10 || head.toString('latin1', 0, 3) !== 'ID3') return undefined;
  const sizeBytes = head.subarray(6, 10);
  if (sizeBytes.some((byte) => byte > 0x7f)) return undefined;
  const size = sizeBytes.reduce((sum, byte) => sum * 128 + byte, 0);
  const hasFooter = ((head[5] ?? 0) & 0x10) !== 0;
  return 10 + size + (hasFooter ? 10 : 0);
}

function readMp3FrameBytes(window: Buffer, offset: number): number | undefined {
  if (offset + 4 > window.length) return undefined;
  const header = window.readUInt32BE(offset);
  const version = (header >>> 19) & 3; // 3: MPEG-1, 2: MPEG-2, 0: MPEG-2.5
  const isLayer3 = ((header >>> 17) & 3) === 1;
  if (header >>> 21 !== 0x7ff || version === 1 || !isLayer3) return undefined;
  const kbps = (version === 3 ? MPEG1_KBPS : MPEG2_KBPS)[(header >>> 12) & 15];
  const baseRateHz = SAMPLE_RATES_HZ[(header >>> 10) & 3];
  if (kbps === undefined || kbps === 0 || baseRateHz === undefined) return undefined;
  const rateHz = baseRateHz / (version === 3 ? 1 : version === 2 ? 2 : 4);
  const padding = (header >>> 9) & 1;
  return Math.floor(((version === 3 ? 144 : 72) * kbps * 1000) / rateHz) + padding;
}

function readAdtsFrameBytes(window: Buffer, offset: number): number | undefined {
  if (offset + 7 > window.length) return undefined;
  const isSync = (window.readUInt16BE(offset) & 0xfff6) === 0xfff0;
  const rateIndex = (window.readUInt8(offset + 2) >>> 2) & 15;
  const frameBytes = (window.readUIntBE(offset + 3, 3) >>> 5) & 0x1fff;
  return isSync && rateIndex < 13 && frameBytes >= 7 ? frameBytes : undefined;
}
