import type { MediaContents, SniffedMedia } from './media-signatures.ts';
import type { MimeType } from './media-type-table.ts';

const LOCAL_HEADER = Buffer.from('504b0304', 'hex');
const CENTRAL_HEADER = Buffer.from('504b0102', 'hex');
const END_OF_DIRECTORY = Buffer.from('504b0506', 'hex');

const MAIN_FOLDERS: readonly (readonly [folder: string, MimeType])[] = [
  ['word/', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  ['xl/', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
  ['ppt/', 'application/vnd.openxmlformats-officedocument.presentationml.presentation'],
];

/** The Office types that are ZIP archives, unless they are behind a password. */
export const PACKAGED_OFFICE: readonly MimeType[] = MAIN_FOLDERS.map(([, mimeType]) => mimeType);

interface EntryNames {
  names: readonly string[];
  /** Whether these are the names of all entries. */
  isComplete: boolean;
}

/**
 * Tells Office files from other ZIP archives by the names of their entries alone; nothing is inflated. The central
 * directory counts; where it lies outside the windows, the local headers in `head` do.
 */
export function sniffZip(contents: MediaContents): SniffedMedia | undefined {
  const start = contents.head.subarray(0, 4);
  if (start.equals(END_OF_DIRECTORY)) return { possible: [] };
  if (!start.equals(LOCAL_HEADER)) return undefined;

  const central = readCentralNames(contents);
  const names = central.isComplete ? central.names : [...central.names, ...readLocalNames(contents.head)];
  // Macros make it another type, with an extension and a MIME type of its own.
  if (names.some((name) => name.endsWith('vbaProject.bin'))) return { possible: [] };
  const folder = MAIN_FOLDERS.find(([prefix]) => names.some((name) => name.startsWith(prefix)));
  if (folder !== undefined) return { possible: [folder[1]], likely: folder[1] };
  return { possible: central.isComplete ? [] : PACKAGED_OFFICE };
}

function readCentralNames({ tail, bytes }: MediaContents): EntryNames {
  const end = tail.lastIndexOf(END_OF_DIRECTORY);
  if (end === -1 || end + 22 > tail.length) return { names: [], isComplete: false };
  const entries = tail.readUInt16LE(end + 10);
  const directoryStart = tail.readUInt32LE(end + 16) - (bytes - tail.length);
  const names: string[] = [];
  let offset = directoryStart >= 0 ? directoryStart : tail.indexOf(CENTRAL_HEADER);
  while (offset !== -1 && offset + 46 <= end && tail.subarray(offset, offset + 4).equals(CENTRAL_HEADER)) {
    const nameBytes = tail.readUInt16LE(offset + 28);
    names.push(tail.toString('latin1', offset + 46, offset + 46 + nameBytes));
    offset += 46 + nameBytes + tail.readUInt16LE(offset + 30) + tail.readUInt16LE(offset + 32);
  }
  // A directory that does not add up is damaged and proves nothing.
  return { names, isComplete: directoryStart >= 0 && offset === end && names.length === entries };
}

function readLocalNames(head: Buffer): string[] {
  const names: string[] = [];
  let offset = head.indexOf(LOCAL_HEADER);
  while (offset !== -1 && offset + 30 <= head.length) {
    const nameEnd = offset + 30 + head.readUInt16LE(offset + 26);
    names.push(head.toString('latin1', offset + 30, nameEnd));
    // The size is 0 where it follows the contents; then the next header is searched for.
    const contentsEnd = nameEnd + head.readUInt16LE(offset + 28) + head.readUInt32LE(offset + 18);
    offset = head.indexOf(LOCAL_HEADER, contentsEnd);
  }
  return names;
}
