import type { MimeType } from './media-type-table.ts';

/** A file that can be read anywhere, as a spooled one. */
export interface FileContents {
  readonly bytes: number;
  /** Up to `bytesMax` bytes from `position` on; fewer at the end of the file. */
  read(position: number, bytesMax: number): Promise<Buffer>;
}

/** The most that is read of a file at once to identify it, but for the directory of an archive. */
export const SNIFF_BYTES_MAX = 64 * 1024;

/** A positive identification of a file's contents. */
export interface SniffedMedia {
  /** The types these contents can truthfully be declared as, best first. Empty: none that the upstream takes. */
  possible: readonly MimeType[];
  /** The type to assume when nothing was declared; absent when the contents alone do not tell. */
  likely?: MimeType;
  /** Names contents that are of no type in the table, as `image/heic (.heic)`. */
  name?: string;
  /** Only for WebP. */
  isAnimated?: boolean;
}

/** A file that is one type and no other. */
export function only(mimeType: MimeType): SniffedMedia {
  return { possible: [mimeType], likely: mimeType };
}
