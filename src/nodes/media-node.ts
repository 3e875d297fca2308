import type { UpstreamMedia } from '../upstream/index.ts';
import { selectFields } from './graph-fields.ts';

/** A media object as the Graph API shows it, except for `url`: the file is downloaded from the gateway, with the caller's API key. */
export function mediaNode(media: UpstreamMedia, url: string, fields: string | undefined): Record<string, unknown> {
  const node = {
    messaging_product: 'whatsapp',
    url,
    mime_type: media.mimeType,
    sha256: media.sha256,
    file_size: media.bytes,
    id: media.id,
  };
  return selectFields(node, Object.keys(node), fields);
}
