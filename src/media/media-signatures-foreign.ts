import { fileTypeFromBuffer } from 'file-type';
import { listTypesOfFileName } from './media-type-table.ts';

/** Formats that the library does not know. */
const FURTHER: readonly (readonly [Buffer, name: string])[] = [
  [Buffer.from('.snd'), 'audio/basic (.au)'],
  [Buffer.from('IMPM'), 'audio/x-it (.it)'],
  ...['0000000167', '0000000127', '0000000109', '00000167', '00000109'].map(
    (hex) => [Buffer.from(hex, 'hex'), 'video/h264 (.h264, without a container)'] as const,
  ),
  ...['000000014001', '000000014601', '0000014001'].map(
    (hex) => [Buffer.from(hex, 'hex'), 'video/h265 (.h265, without a container)'] as const,
  ),
];

/**
 * Names the format of contents that none of our own recognisers takes, as `image/heic (.heic)`: of some 180 that file-type knows.
 * Undefined for a supported type, too: file-type goes by fewer bytes than the recogniser, so it is wrong there.
 */
export async function nameForeign(head: Buffer): Promise<string | undefined> {
  const name = FURTHER.find(([start]) => head.subarray(0, start.length).equals(start))?.[1];
  if (name !== undefined) return name;
  // It raises for some damaged files.
  const found = await fileTypeFromBuffer(head).catch(() => undefined);
  if (found === undefined || listTypesOfFileName(`.${found.ext}`).length > 0) return undefined;
  return `${found.mime} (.${found.ext})`;
}
