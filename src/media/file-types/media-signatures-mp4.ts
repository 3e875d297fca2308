import type { FileContents, SniffedMedia } from './file-contents.ts';
import type { MimeType } from './media-type-table.ts';

/** Brands that name a kind of file: the major brand first, then the compatible ones. Phones write 3GPP brands into files they call MP4. */
const BRANDS: readonly (readonly [RegExp, Brand])[] = [
  [/^(M4A|M4B|M4P|F4A|F4B) $/, 'audio'],
  [/^(M4V |M4VH|M4VP)$/, 'video'],
  [/^3g[a-z0-9]{2}$/, '3gpp'],
  [/^(iso[m2-9a-c]|mp4[12]|mp71|avc1|dash|mmp4|MSNV)$/, 'mp4'],
  [/^(qt {2}|hei[cxms]|hev[cxms]|mif1|msf1|avif|avis|jp2 |jpx |jpm |mjp2|crx )$/, 'foreign'],
];

type Brand = 'audio' | 'video' | '3gpp' | 'mp4' | 'foreign';

/** Bytes for 60 compatible brands; real files name fewer than ten. */
const FTYP_BYTES_MAX = 256;

/** Most boxes read of one file, one header each. Real files need fewer than a hundred. */
const BOXES_MAX = 400;

/**
 * Distinguishes audio from video by the handlers of the tracks, wherever `moov` is. Without `moov`, the brand decides as far as it can.
 * Pictures and QuickTime share the box format, but the upstream accepts neither.
 */
export async function sniffIsoMedia(contents: FileContents, head: Buffer): Promise<SniffedMedia | undefined> {
  if (head.length < 12 || head.toString('latin1', 4, 8) !== 'ftyp') return undefined;
  const brand = readBrand(head);
  if (brand === 'foreign') return { possible: [] };
  const tracks = await readTracks(contents);
  const videos: readonly [MimeType, ...MimeType[]] =
    brand === '3gpp' ? ['video/3gpp', 'video/mp4'] : ['video/mp4', 'video/3gpp'];
  // In a file of an audio brand, a video track is a cover or the pictures of its chapters.
  if (brand === 'audio') return { possible: ['audio/mp4'], likely: 'audio/mp4' };
  if (tracks.has('video')) return { possible: videos, likely: videos[0] };
  if (tracks.has('audio')) return { possible: ['audio/mp4', ...videos], likely: 'audio/mp4' };
  return { possible: brand === 'video' ? ['video/mp4'] : [...videos, 'audio/mp4'], likely: videos[0] };
}

function readBrand(head: Buffer): Brand {
  const boxEnd = Math.min(head.readUInt32BE(0), head.length, FTYP_BYTES_MAX);
  // The minor version lies between the major brand and the compatible ones, and matches none.
  for (let offset = 8; offset === 8 || offset + 4 <= boxEnd; offset += 4) {
    const name = head.toString('latin1', offset, offset + 4);
    const brand = BRANDS.find(([pattern]) => pattern.test(name))?.[1];
    if (brand !== undefined) return brand;
  }
  return 'mp4';
}

interface Box {
  type: string;
  /** Position of its contents. */
  start: number;
  end: number;
}

/** Reads the boxes of one file, up to `BOXES_MAX`. */
class BoxReader {
  readonly #contents: FileContents;
  #left = BOXES_MAX;

  constructor(contents: FileContents) {
    this.#contents = contents;
  }

  /** Yields the boxes between two positions. Ends at a damaged box. */
  async *children({ start, end }: { start: number; end: number }): AsyncGenerator<Box> {
    for (let position = start; position + 8 <= end && this.#left > 0; ) {
      this.#left -= 1;
      const header = await this.#contents.read(position, 16);
      if (header.length < 8) return;
      const size = header.readUInt32BE(0);
      const isLong = size === 1 && header.length === 16;
      const bytes = isLong ? Number(header.readBigUInt64BE(8)) : size === 0 ? end - position : size;
      const headerBytes = isLong ? 16 : 8;
      if (bytes < headerBytes) return;
      const boxEnd = Math.min(position + bytes, end);
      yield { type: header.toString('latin1', 4, 8), start: position + headerBytes, end: boxEnd };
      position = boxEnd;
    }
  }

  /** Returns the first box below `box` along a path of types. */
  async find(box: { start: number; end: number }, [type, ...rest]: readonly string[]): Promise<Box | undefined> {
    for await (const child of this.children(box)) {
      if (child.type === type) return rest.length === 0 ? child : await this.find(child, rest);
    }
    return undefined;
  }

  async readUInt32(box: Box | undefined, offset: number): Promise<number | undefined> {
    const bytes = box === undefined ? undefined : await this.#contents.read(box.start + offset, 4);
    return bytes?.length === 4 ? bytes.readUInt32BE() : undefined;
  }
}

const SOUND = Buffer.from('soun').readUInt32BE();
const PICTURES = Buffer.from('vide').readUInt32BE();

async function readTracks(contents: FileContents): Promise<Set<'audio' | 'video'>> {
  const boxes = new BoxReader(contents);
  const found = new Set<'audio' | 'video'>();
  const movie = await boxes.find({ start: 0, end: contents.bytes }, ['moov']);
  if (movie === undefined) return found;
  for await (const track of boxes.children(movie)) {
    if (track.type !== 'trak') continue;
    const handler = await boxes.readUInt32(await boxes.find(track, ['mdia', 'hdlr']), 8);
    if (handler === SOUND) found.add('audio');
    if (handler === PICTURES && !(await isStillPicture(boxes, track))) found.add('video');
  }
  return found;
}

/** Returns true for a track of one sample, which is a cover. Fragmented files count their samples elsewhere and have none here. */
async function isStillPicture(boxes: BoxReader, track: Box): Promise<boolean> {
  const sizes = await boxes.find(track, ['mdia', 'minf', 'stbl', 'stsz']);
  return (await boxes.readUInt32(sizes, 8)) === 1;
}
