import { GraphError } from '../graph/graph-errors.ts';
import type { JsonObject } from '../graph/json-object.ts';
import { invalid, missing, optionalText, requireHttpUrl } from './parameter-checks.ts';

/** Returns the media object of an id, if the sending number may see it. */
type FindMedia = (id: string) => { mimeType: string; phoneNumberId: string } | undefined;

export interface MediaContext {
  phoneNumberId: string;
  findMedia: FindMedia;
}

/** Message types that carry media, with the allowed prefixes of their MIME type. `null` allows any. */
const mimePrefixes: Record<string, readonly string[] | null> = {
  image: ['image/jpeg', 'image/png'],
  video: ['video/'],
  // Uploads may be audio/opus, messages may not.
  audio: ['audio/aac', 'audio/amr', 'audio/mpeg', 'audio/mp4', 'audio/ogg'],
  sticker: ['image/webp'],
  document: null,
  gif: ['video/mp4'],
};

/**
 * Checks a media object: exactly one of `id` and `link`; an id must exist and belong to the sending number.
 * Returns the reason for which the platform drops the message later (131053: wrong kind of file, or a link on a `.invalid` host), or null.
 */
export function checkMedia(media: JsonObject, kind: string, path: string, context: MediaContext): string | null {
  const id = media.id === undefined ? undefined : String(media.id);
  if (id !== undefined && media.link !== undefined) throw invalid(`${path} takes either id or link, not both.`);
  if (id === undefined) {
    if (media.link === undefined) throw missing(`${path}.id or ${path}.link`);
    const { hostname } = parseUrl(requireHttpUrl(media, 'link', path), path);
    return hostname.endsWith('.invalid') ? `Downloading media from weblink failed: host ${hostname} not found` : null;
  }
  const found = context.findMedia(id);
  if (found === undefined || found.phoneNumberId !== context.phoneNumberId) {
    throw new GraphError(100, {
      type: 'GraphMethodException',
      subcode: 33,
      message: `Unsupported get request. Object with ID '${id}' does not exist or does not belong to the sending number`,
    });
  }
  const accepted = mimePrefixes[kind];
  if (!accepted || accepted.some((prefix) => found.mimeType.startsWith(prefix))) return null;
  return `Media of type ${found.mimeType} cannot be sent as ${kind}`;
}

/** Checks caption and filename, if the kind has them. */
export function checkMediaText(media: JsonObject, kind: string, path: string): void {
  if (kind === 'image' || kind === 'video' || kind === 'document') optionalText(media, 'caption', path, 1024);
  else if (media.caption !== undefined) throw invalid(`${path} cannot have a caption.`);
  if (kind === 'document') optionalText(media, 'filename', path);
}

function parseUrl(url: string, path: string): URL {
  const parsed = URL.parse(url);
  if (parsed === null) throw invalid(`${path}.link is not a valid URL.`);
  return parsed;
}
