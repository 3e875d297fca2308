import type { MediaDownload } from '../../upstream/index.ts';
import { normalizeMimeType } from '../file-types/declared-types.ts';
import { findMediaType } from '../file-types/media-type-table.ts';
import { type FindDeps, findMedia, type MediaSelector, mediaErrorOf } from './find-media.ts';

/** A file on its way through. Whoever gets it consumes or destroys `stream`. */
export interface OpenMedia {
  stream: MediaDownload['stream'];
  /** With its parameters, as the upstream tells it. */
  mimeType: string;
  bytes: number | undefined;
  /** Made of the id and the type where the file has none. */
  fileName: string;
}

/** Opens the file behind a media id of the organization, uploaded or received. Raises what `findMedia` raises. */
export async function openMedia(deps: FindDeps, selector: MediaSelector): Promise<OpenMedia> {
  const { media, token, fileName } = await findMedia(deps, selector);
  const result = await deps.upstream.downloadMedia(media.url, token);
  if (result.kind !== 'ok') throw mediaErrorOf(result);
  const { stream, bytes } = result.value;
  const mimeType = [result.value.mimeType, media.mimeType].find(isHeaderText) ?? 'application/octet-stream';
  return { stream, mimeType, bytes: bytes ?? undefined, fileName: fileName ?? nameOf(selector.mediaId, mimeType) };
}

/** Pictures, voices and videos that people send have no name, and there are clients that save only what has one. */
function nameOf(mediaId: string, mimeType: string): string {
  const extension = findMediaType(normalizeMimeType(mimeType) ?? '')?.extensions[0];
  return extension === undefined ? mediaId : `${mediaId}.${extension}`;
}

function isHeaderText(text: string | null): text is string {
  return text !== null && /^[\x20-\x7e]+$/.test(text);
}
