import type { JsonObject } from '../graph/json-object.ts';
import { downloadUrl, type Platform } from '../platform.ts';
import type { MediaItem } from './media-store.ts';

/** Renders a media object as the platform shows it, with a new download URL. */
export function mediaNode(platform: Platform, item: MediaItem): JsonObject {
  return {
    messaging_product: 'whatsapp',
    url: downloadUrl(platform, item),
    mime_type: item.mimeType,
    sha256: item.sha256,
    file_size: item.bytes,
    id: item.id,
  };
}
