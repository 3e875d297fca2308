import type { MediaDownload } from '../../upstream/index.ts';
import { normalizeMimeType } from '../file-types/declared-types.ts';
import { findMediaType } from '../file-types/media-type-table.ts';
import { type FindDeps, findMedia, type MediaSelector, mediaErrorOf } from './find-media.ts';

/** File being passed through. The receiver consumes or destroys `stream`. */
export interface OpenMedia {
  stream: MediaDownload['stream'];
  /** MIME type with its parameters, as the upstream states it. */
  mimeType: string;
  bytes: number | undefined;
  /** File name; made of the id and the type if the file has none. */
  fileName: string;
}

/** Opens the file behind a media id of the organization, uploaded or received. Raises the errors of `findMedia`. */
export async function openMedia(deps: FindDeps, selector: MediaSelector): Promise<OpenMedia> {
  const { media, token, fileName } = await findMedia(deps, selector);
  const result = await deps.upstream.downloadMedia(media.url, token);
  if (result.kind !== 'ok') throw mediaErrorOf(result);
  const { stream, bytes } = result.value;
  const mimeType = [result.value.mimeType, media.mimeType].find(isHeaderText) ?? 'application/octet-stream';
  return { stream, mimeType, bytes: bytes ?? undefined, fileName: fileName ?? nameOf(selector.mediaId, mimeType) };
}

/** Returns a name for pictures, voices and videos, which people send without one: some clients save only files with a name. */
function nameOf(mediaId: string, mimeType: string): string {
  const extension = findMediaType(normalizeMimeType(mimeType) ?? '')?.extensions[0];
  return extension === undefined ? mediaId : `${mediaId}.${extension}`;
}

function isHeaderText(text: string | null): text is string {
  return text !== null && /^[\x20-\x7e]+$/.test(text);
}
