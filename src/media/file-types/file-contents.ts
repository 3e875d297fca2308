import type { MimeType } from './media-type-table.ts';

/** File that can be read at any position, such as a spooled one. */
export interface FileContents {
  readonly bytes: number;
  /** Returns up to `bytesMax` bytes from `position` on; fewer at the end of the file. */
  read(position: number, bytesMax: number): Promise<Buffer>;
}

/** Most bytes of a file that are read at once to identify it, except the directory of an archive. */
export const SNIFF_BYTES_MAX = 64 * 1024;

/** Positive identification of a file's contents. */
export interface SniffedMedia {
  /** Types that these contents can truthfully be declared as, best first. Empty: none that the upstream accepts. */
  possible: readonly MimeType[];
  /** Type to assume if none was declared; absent if the contents alone do not decide. */
  likely?: MimeType;
  /** Name of contents that are of no type in the table, such as `image/heic (.heic)`. */
  name?: string;
  /** Only for WebP. */
  isAnimated?: boolean;
}

/** Returns the identification of a file that is one type and no other. */
export function only(mimeType: MimeType): SniffedMedia {
  return { possible: [mimeType], likely: mimeType };
}
