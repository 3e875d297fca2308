import { type FileContents, only, type SniffedMedia } from './file-contents.ts';
import { COMPOUND_OFFICE, type MimeType, PACKAGED_OFFICE } from './media-type-table.ts';

const SIGNATURE = Buffer.from('d0cf11e0a1b11ae1', 'hex');
const ENTRY_BYTES = 128;
/** Bounds the walk if the directory is damaged; Office files name their main stream among the first entries. */
const ENTRIES_MAX = 256;

/** Classes of the root entry, as stored: each names the program that the file belongs to. */
const ROOT_CLASSES: ReadonlyMap<string, MimeType> = new Map([
  ['0609020000000000c000000000000046', 'application/msword'],
  ['0009020000000000c000000000000046', 'application/msword'],
  ['1008020000000000c000000000000046', 'application/vnd.ms-excel'],
  ['2008020000000000c000000000000046', 'application/vnd.ms-excel'],
  ['108d81649b4fcf1186ea00aa00b929e8', 'application/vnd.ms-powerpoint'],
]);

const MAIN_STREAMS: ReadonlyMap<string, MimeType> = new Map([
  ['WordDocument', 'application/msword'],
  ['Workbook', 'application/vnd.ms-excel'],
  ['Book', 'application/vnd.ms-excel'],
  ['PowerPoint Document', 'application/vnd.ms-powerpoint'],
]);

/** Streams of other programs that store compound files. */
const FOREIGN_STREAMS: readonly (readonly [stream: string, name: string])[] = [
  ['__properties_version1.0', 'application/vnd.ms-outlook (.msg)'],
  ['VisioDocument', 'application/vnd.visio (.vsd)'],
  ['\u4840\u3f7f\u4164\u422f\u4836', 'application/x-msi (.msi)'],
];

/**
 * Distinguishes the legacy Office formats by the root's class, or else by the main stream's name. Several names decide nothing, because
 * embedded objects bring streams of other programs along.
 * The directory is read in one piece from its start; the allocation table is not followed.
 */
export async function sniffCompoundFile(contents: FileContents, head: Buffer): Promise<SniffedMedia | undefined> {
  if (head.length < 8 || !head.subarray(0, 8).equals(SIGNATURE)) return undefined;
  const entries = await readDirectory(contents, head);
  const byClass = ROOT_CLASSES.get(entries[0]?.classId ?? '');
  if (byClass !== undefined) return only(byClass);
  const name = FOREIGN_STREAMS.find(([stream]) => entries.some((entry) => entry.name === stream))?.[1];
  if (name !== undefined) return { possible: [], name };
  const found = new Set(entries.flatMap((entry) => MAIN_STREAMS.get(entry.name) ?? []));
  const [single] = found;
  if (entries.some((entry) => entry.name === 'EncryptedPackage')) return { possible: PACKAGED_OFFICE };
  if (single === undefined) return { possible: [...COMPOUND_OFFICE, ...PACKAGED_OFFICE] };
  if (found.size > 1) return { possible: COMPOUND_OFFICE };
  return only(single);
}

async function readDirectory(contents: FileContents, head: Buffer): Promise<DirectoryEntry[]> {
  if (head.length < 512) return [];
  const sectorBytes = head.readUInt16LE(0x1e) === 12 ? 4096 : 512;
  const position = (head.readUInt32LE(0x30) + 1) * sectorBytes;
  const directory = await contents.read(position, ENTRIES_MAX * ENTRY_BYTES);
  const entries: DirectoryEntry[] = [];
  for (let index = 0; index < ENTRIES_MAX; index += 1) {
    const entry = readEntry(directory.subarray(index * ENTRY_BYTES, (index + 1) * ENTRY_BYTES));
    if (entry === undefined) break;
    entries.push(entry);
  }
  return entries;
}

interface DirectoryEntry {
  name: string;
  /** 16 bytes in hexadecimal, in file order. */
  classId: string;
}

function readEntry(bytes: Buffer): DirectoryEntry | undefined {
  if (bytes.length < ENTRY_BYTES) return undefined;
  const nameBytes = bytes.readUInt16LE(64);
  if (nameBytes > 64) return undefined;
  // The length counts the terminating zero; an unused entry has none.
  return { name: bytes.toString('utf16le', 0, Math.max(0, nameBytes - 2)), classId: bytes.toString('hex', 80, 96) };
}
