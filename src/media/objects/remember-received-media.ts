import { isObject } from '../../core/json/index.ts';
import type { Queryable } from '../../database/database.ts';
import { type MediaRow, upsertMedia } from '../queries.ts';
import { cleanFileName } from './file-name.ts';
import { RECEIVED_LIFE_MS } from './media-expiry.ts';
import { isMediaId } from './media-references.ts';

/** Media-related part of a message that a person sent to a connected number. */
export interface ReceivedMessage {
  organizationId: string;
  phoneNumberId: string;
  type: string;
  atMs: number;
  /** Message object as received. */
  raw: string;
}

const MEDIA_TYPES = ['image', 'video', 'audio', 'document', 'sticker'];

/** Stores the media ids of received messages, so that each file can be fetched under the number it came to. */
export async function rememberReceivedMedia(
  tx: Queryable,
  messages: readonly ReceivedMessage[],
  nowMs: number,
): Promise<void> {
  const rows = messages.filter(({ type }) => MEDIA_TYPES.includes(type)).flatMap(toRows);
  if (rows.length > 0) await upsertMedia(tx, rows, new Date(nowMs));
}

/** Returns the rows of a message. Malformed media are left out, so that they do not prevent the message from being stored. */
function toRows({ organizationId, phoneNumberId, type, atMs, raw }: ReceivedMessage): MediaRow[] {
  const media: unknown = JSON.parse(raw)[type];
  if (!isObject(media)) return [];
  const { id, mime_type, sha256, filename } = media;
  if (typeof id !== 'string' || !isMediaId(id)) return [];
  return [
    {
      organizationId,
      mediaId: id,
      phoneNumberId,
      mimeType: printable(mime_type, 200),
      bytes: null,
      fileName: typeof filename === 'string' ? (cleanFileName(filename) ?? null) : null,
      sha256: printable(sha256, 100),
      expiresAt: new Date(atMs + RECEIVED_LIFE_MS),
    },
  ];
}

function printable(value: unknown, lengthMax: number): string | null {
  return typeof value === 'string' && value.length <= lengthMax && /^[\x20-\x7e]+$/.test(value) ? value : null;
}
