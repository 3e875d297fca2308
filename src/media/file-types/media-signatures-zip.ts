import { type FileContents, only, SNIFF_BYTES_MAX, type SniffedMedia } from './file-contents.ts';
import { type MimeType, PACKAGED_OFFICE } from './media-type-table.ts';

const LOCAL_HEADER = Buffer.from('504b0304', 'hex');
const CENTRAL_HEADER = Buffer.from('504b0102', 'hex');
const END_OF_DIRECTORY = Buffer.from('504b0506', 'hex');

const MAIN_FOLDERS: readonly (readonly [folder: string, MimeType])[] = [
  ['word/', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  ['xl/', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
  ['ppt/', 'application/vnd.openxmlformats-officedocument.presentationml.presentation'],
];

interface EntryNames {
  names: readonly string[];
  /** True if these are the names of all entries. */
  isComplete: boolean;
}

const MACROS = 'an Office file with macros (.docm, .xlsm, .pptm)';
const BINARY_SHEET = 'a binary workbook (.xlsb)';

/** Far more bytes than the directory of an Office file takes. */
const DIRECTORY_BYTES_MAX = 1024 * 1024;

/**
 * Distinguishes Office files from other ZIP archives by the names of their entries alone; nothing is inflated. The central directory
 * counts; if it is damaged, the local headers in `head` count.
 */
export async function sniffZip(contents: FileContents, head: Buffer): Promise<SniffedMedia | undefined> {
  const start = head.subarray(0, 4);
  if (start.equals(END_OF_DIRECTORY)) return { possible: [], name: 'application/zip (.zip)' };
  if (!start.equals(LOCAL_HEADER)) return undefined;

  const central = await readCentralNames(contents);
  const names = central.isComplete ? central.names : [...central.names, ...readLocalNames(head)];
  // Macros and the binary format make it another type, with its own extension and MIME type.
  if (names.some((name) => name.endsWith('vbaProject.bin'))) return { possible: [], name: MACROS };
  if (names.includes('xl/workbook.bin')) return { possible: [], name: BINARY_SHEET };
  const folder = MAIN_FOLDERS.find(([prefix]) => names.some((name) => name.startsWith(prefix)));
  if (folder !== undefined) return only(folder[1]);
  return { possible: central.isComplete ? [] : PACKAGED_OFFICE };
}

async function readCentralNames(contents: FileContents): Promise<EntryNames> {
  const tail = await contents.read(Math.max(0, contents.bytes - SNIFF_BYTES_MAX), SNIFF_BYTES_MAX);
  const end = tail.lastIndexOf(END_OF_DIRECTORY);
  if (end === -1 || end + 22 > tail.length) return { names: [], isComplete: false };
  const entries = tail.readUInt16LE(end + 10);
  const directoryBytes = tail.readUInt32LE(end + 12);
  const directory = await contents.read(tail.readUInt32LE(end + 16), Math.min(directoryBytes, DIRECTORY_BYTES_MAX));
  const names: string[] = [];
  let offset = 0;
  while (offset + 46 <= directory.length && directory.subarray(offset, offset + 4).equals(CENTRAL_HEADER)) {
    const nameBytes = directory.readUInt16LE(offset + 28);
    names.push(directory.toString('latin1', offset + 46, offset + 46 + nameBytes));
    offset += 46 + nameBytes + directory.readUInt16LE(offset + 30) + directory.readUInt16LE(offset + 32);
  }
  // A directory whose figures do not match is damaged and proves nothing.
  return { names, isComplete: offset === directoryBytes && names.length === entries };
}

function readLocalNames(head: Buffer): string[] {
  const names: string[] = [];
  let offset = head.indexOf(LOCAL_HEADER);
  while (offset !== -1 && offset + 30 <= head.length) {
    const nameEnd = offset + 30 + head.readUInt16LE(offset + 26);
    names.push(head.toString('latin1', offset + 30, nameEnd));
    // The size is 0 if it follows the contents; then the next header is searched for.
    const contentsEnd = nameEnd + head.readUInt16LE(offset + 28) + head.readUInt32LE(offset + 18);
    offset = head.indexOf(LOCAL_HEADER, contentsEnd);
  }
  return names;
}
