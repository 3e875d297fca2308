import type { MediaDownload } from '../upstream/index.ts';
import { type FindDeps, findMedia, type MediaSelector, mediaErrorOf } from './find-media.ts';

/** A file on its way through. Whoever gets it consumes or destroys `stream`. */
export interface OpenMedia {
  stream: MediaDownload['stream'];
  /** With its parameters, as the upstream tells it. */
  mimeType: string;
  bytes: number | undefined;
  fileName: string | undefined;
}

/** Opens the file behind a media id of the organization, uploaded or received. Raises what `findMedia` raises. */
export async function openMedia(deps: FindDeps, selector: MediaSelector): Promise<OpenMedia> {
  const { media, token, fileName } = await findMedia(deps, selector);
  const result = await deps.upstream.downloadMedia(media.url, token);
  if (result.kind !== 'ok') throw mediaErrorOf(result);
  const { stream, mimeType, bytes } = result.value;
  return {
    stream,
    mimeType: [mimeType, media.mimeType].find(isHeaderText) ?? 'application/octet-stream',
    bytes: bytes ?? undefined,
    fileName,
  };
}

function isHeaderText(text: string | null): text is string {
  return text !== null && /^[\x20-\x7e]+$/.test(text);
}
