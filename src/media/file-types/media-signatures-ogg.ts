import { only, type SniffedMedia } from './file-contents.ts';

/** Codecs by the beginning of their first packets. */
const CODECS: readonly (readonly [RegExp, name: string])[] = [
  [/^OpusHead/, 'Opus'],
  [/^.vorbis/, 'Vorbis'],
  [/^.FLAC/, 'FLAC'],
  [/^Speex {3}/, 'Speex'],
  [/^.theora/, 'Theora'],
  [/^(?:OVP80|BBCD)/, 'video'],
];

/** Most streams of one file that are looked at. */
const STREAMS_MAX = 16;

/** Identifies the codecs of an Ogg file by the first packets of its streams, which come before all other pages. */
export function sniffOgg(head: Buffer): SniffedMedia | undefined {
  if (head.toString('latin1', 0, 4) !== 'OggS') return undefined;
  const codecs = listFirstPackets(head).flatMap((packet) => CODECS.find(([start]) => start.test(packet))?.[1] ?? []);
  const foreign = codecs.filter((codec) => codec !== 'Opus');
  if (foreign.length > 0) return { possible: [], name: `Ogg ${foreign.join(' and ')}` };
  // The upstream plays Opus only; it decides about an unknown codec itself.
  return codecs.length > 0 ? only('audio/ogg') : { possible: ['audio/ogg'] };
}

function listFirstPackets(head: Buffer): string[] {
  const packets: string[] = [];
  for (let page = 0; packets.length < STREAMS_MAX && head.toString('latin1', page, page + 4) === 'OggS'; ) {
    const isFirst = ((head[page + 5] ?? 0) & 2) !== 0;
    if (!isFirst) break;
    const segments = head[page + 26] ?? 0;
    const start = page + 27 + segments;
    packets.push(head.toString('latin1', start, start + 8));
    page = start + head.subarray(page + 27, start).reduce((sum, bytes) => sum + bytes, 0);
  }
  return packets;
}
