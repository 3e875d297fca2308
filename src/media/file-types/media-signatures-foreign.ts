import { fileTypeFromBuffer } from 'file-type';
import { listTypesOfFileName } from './media-type-table.ts';

/** Types of the units that raw H.264 begins with. */
const H264_UNITS = ['67', '27', '47', '09', '06', '65', '61', '41'];

/** Formats that the library does not know or confuses with others, by first bytes in hexadecimal. */
const FURTHER_HEX: readonly (readonly [name: string, starts: readonly string[]])[] = [
  ['video/h264 (.h264, without a container)', H264_UNITS.flatMap((unit) => [`000001${unit}`, `00000001${unit}`])],
  ['video/h265 (.h265, without a container)', ['000000014001', '000000014601', '0000014001']],
  ['video/mpeg4 (.m4v, without a container)', ['000001b0']],
  ['audio/vnd.dts (.dts)', ['7ffe8001', 'fe7f0180']],
  ['image/x-tga (.tga)', ['000002000000', '00000a000000']],
  ['image/x-pcx (.pcx)', ['0a0501']],
];

/** More such formats, by first characters. */
const FURTHER_TEXT: readonly (readonly [name: string, start: string])[] = [
  ['audio/basic (.au)', '.snd'],
  ['audio/x-it (.it)', 'IMPM'],
  ['audio/x-tta (.tta)', 'TTA1'],
  ['audio/x-w64 (.w64)', 'riff'],
  ['video/x-nut (.nut)', 'nut/'],
  ['image/x-dds (.dds)', 'DDS '],
  ['image/x-portable-graymap (.pgm)', 'P5\n'],
  ['image/x-portable-pixmap (.ppm)', 'P6\n'],
];

const FURTHER: readonly (readonly [start: Buffer, name: string])[] = [
  ...FURTHER_HEX.flatMap(([name, starts]) => starts.map((start) => [Buffer.from(start, 'hex'), name] as const)),
  ...FURTHER_TEXT.map(([name, start]) => [Buffer.from(start), name] as const),
];

/**
 * Returns the name of a format that none of Fairway's own recognizers accepts, such as `image/heic (.heic)`, out of some 180 that
 * file-type knows. Undefined for a supported type as well: file-type checks fewer bytes than the recognizer, so it is wrong there.
 */
export async function nameForeign(head: Buffer): Promise<string | undefined> {
  const name = FURTHER.find(([start]) => head.subarray(0, start.length).equals(start))?.[1];
  if (name !== undefined) return name;
  // file-type raises for some damaged files.
  const found = await fileTypeFromBuffer(head).catch(() => undefined);
  if (found === undefined || listTypesOfFileName(`.${found.ext}`).length > 0) return undefined;
  return `${found.mime} (.${found.ext})`;
}
