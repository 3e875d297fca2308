import type { SniffedMedia } from './media-signatures.ts';

const MP3: SniffedMedia = { possible: ['audio/mpeg'], likely: 'audio/mpeg' };
const AAC: SniffedMedia = { possible: ['audio/aac'], likely: 'audio/aac' };

const MPEG1_KBPS = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const MPEG2_KBPS = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
const SAMPLE_RATES_HZ = [44_100, 48_000, 32_000];

/** Layer III and ADTS frames, behind an ID3v2 tag or bare. */
export function sniffMpegAudio({ head, bytes }: { head: Buffer; bytes: number }): SniffedMedia | undefined {
  const tagBytes = readTagBytes(head);
  const start = tagBytes ?? 0;
  if (head.toString('latin1', start, start + 4) === 'fLaC') return { possible: [] };
  if (hasFrames(head, bytes, start, readMp3FrameBytes)) return MP3;
  if (hasFrames(head, bytes, start, readAdtsFrameBytes)) return AAC;
  return tagBytes === undefined ? undefined : { possible: ['audio/mpeg', 'audio/aac'], likely: 'audio/mpeg' };
}

/**
 * The sync word is only eleven bits and also begins every UTF-16 text, so one header proves nothing: a second one must
 * follow where the first says, or the file must end exactly there.
 */
function hasFrames(
  head: Buffer,
  bytes: number,
  start: number,
  readFrameBytes: (head: Buffer, offset: number) => number | undefined,
): boolean {
  const frameBytes = readFrameBytes(head, start);
  if (frameBytes === undefined) return false;
  const next = start + frameBytes;
  return next === bytes || readFrameBytes(head, next) !== undefined;
}

/** Length of an ID3v2 tag at the start, header and footer included. */
function readTagBytes(head: Buffer): number | undefined {
  if (head.length < 10 || head.toString('latin1', 0, 3) !== 'ID3') return undefined;
  const sizeBytes = head.subarray(6, 10);
  if (sizeBytes.some((byte) => byte > 0x7f)) return undefined;
  const size = sizeBytes.reduce((sum, byte) => sum * 128 + byte, 0);
  const hasFooter = ((head[5] ?? 0) & 0x10) !== 0;
  return 10 + size + (hasFooter ? 10 : 0);
}

function readMp3FrameBytes(head: Buffer, offset: number): number | undefined {
  if (offset + 4 > head.length) return undefined;
  const header = head.readUInt32BE(offset);
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

function readAdtsFrameBytes(head: Buffer, offset: number): number | undefined {
  if (offset + 7 > head.length) return undefined;
  const isSync = (head.readUInt16BE(offset) & 0xfff6) === 0xfff0;
  const rateIndex = (head.readUInt8(offset + 2) >>> 2) & 15;
  const frameBytes = (head.readUIntBE(offset + 3, 3) >>> 5) & 0x1fff;
  return isSync && rateIndex < 13 && frameBytes >= 7 ? frameBytes : undefined;
}
