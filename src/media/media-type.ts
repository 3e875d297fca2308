import { UNSPECIFIC_TYPES } from '../core/unspecific-types.ts';
import { type MediaContents, type SniffedMedia, sniffMediaType } from './media-signatures.ts';
import {
  BYTES_MAX,
  findMediaType,
  findMediaTypeByFileName,
  type MediaType,
  type MimeType,
  normalizeMimeType,
} from './media-type-table.ts';

export interface MediaFacts extends MediaContents {
  /** As the client sent it, parameters and all. */
  declaredMime?: string | undefined;
  fileName?: string | undefined;
}

export type MediaDecision =
  | { kind: 'ok'; mimeType: MimeType }
  | { kind: 'invalid'; reason: 'empty' }
  /** `mimeType`: what was declared, normalised; absent when nothing told the type. */
  | { kind: 'invalid'; reason: 'unsupported_type'; mimeType?: string }
  | { kind: 'invalid'; reason: 'contents_mismatch'; mimeType: MimeType }
  | { kind: 'invalid'; reason: 'too_large'; mimeType: MimeType; bytesMax: number };

/**
 * Decides what a file is uploaded as (api-rules#uploads): the declared MIME type, then the extension, then the contents.
 * Contents that are positively of another type refuse the file, because the upstream would find out only after the
 * message was accepted; unknown contents never do.
 */
export function decideMediaType(facts: MediaFacts): MediaDecision {
  if (facts.bytes === 0) return { kind: 'invalid', reason: 'empty' };
  const sniffed = sniffMediaType(facts);
  const claim = readClaim(facts);
  if (claim.kind === 'unsupported') return { kind: 'invalid', reason: 'unsupported_type', mimeType: claim.mimeType };
  const type = claim.kind === 'type' ? claim.type : findLikelyType(sniffed);
  if (type === undefined) return { kind: 'invalid', reason: 'unsupported_type' };

  const { mimeType, family } = type;
  if (sniffed !== undefined && !sniffed.possible.includes(mimeType)) {
    return { kind: 'invalid', reason: 'contents_mismatch', mimeType };
  }
  const bytesMax = family === 'sticker' ? stickerBytesMax(sniffed) : BYTES_MAX[family];
  if (facts.bytes > bytesMax) return { kind: 'invalid', reason: 'too_large', mimeType, bytesMax };
  return { kind: 'ok', mimeType };
}

type Claim = { kind: 'type'; type: MediaType } | { kind: 'unsupported'; mimeType: string } | { kind: 'none' };

/** Whether a declared type says anything of the contents. */
export function isTelling(declaredMime: string | undefined): boolean {
  const mimeType = normalizeMimeType(declaredMime ?? '');
  return mimeType !== undefined && !UNSPECIFIC_TYPES.includes(mimeType);
}

function readClaim({ declaredMime, fileName }: MediaFacts): Claim {
  const mimeType = normalizeMimeType(declaredMime ?? '');
  if (mimeType !== undefined && isTelling(mimeType)) {
    const type = findMediaType(mimeType);
    return type === undefined ? { kind: 'unsupported', mimeType } : { kind: 'type', type };
  }
  const type = findMediaTypeByFileName(fileName ?? '');
  return type === undefined ? { kind: 'none' } : { kind: 'type', type };
}

function findLikelyType(sniffed: SniffedMedia | undefined): MediaType | undefined {
  return sniffed?.likely === undefined ? undefined : findMediaType(sniffed.likely);
}

/** Where the header does not tell, the larger cap: the upstream decides. */
function stickerBytesMax(sniffed: SniffedMedia | undefined): number {
  return sniffed?.isAnimated === false ? BYTES_MAX.staticSticker : BYTES_MAX.animatedSticker;
}
