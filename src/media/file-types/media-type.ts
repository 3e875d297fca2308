import { isTelling, listDeclaredTypes, normalizeMimeType } from './declared-types.ts';
import type { SniffedMedia } from './file-contents.ts';
import { BYTES_MAX, findMediaType, listTypesOfFileName, type MimeType } from './media-type-table.ts';

export interface MediaFacts {
  /** Size of the file in bytes. */
  bytes: number;
  /** Result of `sniffMediaType`. */
  sniffed: SniffedMedia | undefined;
  /** Declared type as the client sent it, with parameters. */
  declaredMime?: string | undefined;
  fileName?: string | undefined;
}

export type MediaDecision =
  | { kind: 'ok'; mimeType: MimeType }
  | { kind: 'invalid'; reason: 'empty' }
  /** `mimeType`: the declared type, normalized; absent if none was declared. */
  | { kind: 'invalid'; reason: 'unsupported_type'; mimeType?: string }
  | { kind: 'invalid'; reason: 'contents_mismatch'; mimeType: MimeType }
  | { kind: 'invalid'; reason: 'too_large'; mimeType: MimeType; bytesMax: number };

/**
 * Decides the type that a file is uploaded as (api-rules#uploads): the declared MIME type, then the extension, then the contents. The
 * contents must be of that type. Without this check, the upstream notices the mismatch only after a message with the file was accepted.
 */
export function decideMediaType(facts: MediaFacts): MediaDecision {
  if (facts.bytes === 0) return { kind: 'invalid', reason: 'empty' };
  const declared = normalizeMimeType(facts.declaredMime ?? '');
  const declarable = listDeclaredTypes(declared);
  const named = listTypesOfFileName(facts.fileName ?? '').filter((mimeType) => declarable.includes(mimeType));
  const claimed = named.length === 0 ? declarable : named;
  const fitting = (facts.sniffed?.possible ?? []).filter((mimeType) => claimed.includes(mimeType));
  const isClaimed = named.length > 0 || declarable.length === 1;
  const mimeType = chooseType(fitting, facts.sniffed, isClaimed);
  if (mimeType === undefined) return refuse(isClaimed ? claimed[0] : undefined, declared);
  const bytesMax = bytesMaxOf(mimeType, facts.sniffed);
  return facts.bytes > bytesMax
    ? { kind: 'invalid', reason: 'too_large', mimeType, bytesMax }
    : { kind: 'ok', mimeType };
}

/** Chooses the likely one of several types that fit. With a claim, the first one counts otherwise; contents alone must leave only one. */
function chooseType(
  fitting: readonly MimeType[],
  sniffed: SniffedMedia | undefined,
  isClaimed: boolean,
): MimeType | undefined {
  const likely = fitting.find((mimeType) => mimeType === sniffed?.likely);
  return likely ?? (isClaimed || fitting.length === 1 ? fitting[0] : undefined);
}

function refuse(claimed: MimeType | undefined, declared: string | undefined): MediaDecision {
  if (claimed !== undefined) return { kind: 'invalid', reason: 'contents_mismatch', mimeType: claimed };
  return {
    kind: 'invalid',
    reason: 'unsupported_type',
    ...(declared !== undefined && isTelling(declared) && { mimeType: declared }),
  };
}

function bytesMaxOf(mimeType: MimeType, sniffed: SniffedMedia | undefined): number {
  const family = findMediaType(mimeType)?.family ?? 'document';
  if (family !== 'sticker') return BYTES_MAX[family];
  return sniffed?.isAnimated === true ? BYTES_MAX.animatedSticker : BYTES_MAX.staticSticker;
}
