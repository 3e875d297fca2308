import type { SampleType } from './sample-media.ts';

/** Number of leading bytes of a file that `sampleTypeOf` reads. */
export const SAMPLE_HEAD_BYTES = 1024;

const SIGNATURES: readonly (readonly [type: SampleType, bytes: Buffer])[] = [
  ['image/jpeg', Buffer.from('ffd8ff', 'hex')],
  ['image/png', Buffer.from('89504e470d0a1a0a', 'hex')],
];

/** Brands of MP4-like files of other types: still images, sound, QuickTime, 3GPP. */
const OTHER_BRANDS = /^(?:heic|heix|heim|heis|hevc|mif1|msf1|avif|avis|crx |M4A |M4B |qt {2}|3g)/;

/**
 * Returns the type of a sample file by its first `SAMPLE_HEAD_BYTES` bytes; `undefined` if the upstream does not accept it. The type that a
 * foreign server declares is ignored: the contents identify all four types.
 */
export function sampleTypeOf(head: Buffer): SampleType | undefined {
  const signed = SIGNATURES.find(([, bytes]) => head.subarray(0, bytes.length).equals(bytes));
  if (signed !== undefined) return signed[0];
  if (head.subarray(4, 8).toString('latin1') === 'ftyp') {
    return OTHER_BRANDS.test(head.subarray(8, 12).toString('latin1')) ? undefined : 'video/mp4';
  }
  // Readers of PDF tolerate some bytes before its header.
  return head.subarray(0, SAMPLE_HEAD_BYTES).includes('%PDF-') ? 'application/pdf' : undefined;
}
