import { arrayTable } from '../database/batching/array-table.ts';
import type { Queryable } from '../database/database.ts';

/** Media id and the number it is valid for. */
export interface MediaRow {
  organizationId: string;
  mediaId: string;
  phoneNumberId: string;
  mimeType: string | null;
  bytes: number | null;
  fileName: string | null;
  sha256: string | null;
  expiresAt: Date;
}

/** The media of a statement, after the time now. */
const MEDIA = arrayTable<MediaRow>(2)({
  organization_id: ['uuid', (row) => row.organizationId],
  media_id: ['text', (row) => row.mediaId],
  phone_number_id: ['text', (row) => row.phoneNumberId],
  mime_type: ['text', (row) => row.mimeType],
  bytes: ['bigint', (row) => row.bytes],
  file_name: ['text', (row) => row.fileName],
  sha256: ['text', (row) => row.sha256],
  expires_at: ['timestamptz', (row) => row.expiresAt],
});

/** Stores media ids; known ones are replaced. */
export async function upsertMedia(db: Queryable, rows: readonly MediaRow[], now: Date): Promise<void> {
  await db.query({
    name: 'media_upsert',
    text: `
      INSERT INTO media (${MEDIA.names}, created_at)
      SELECT DISTINCT ON (m.organization_id, m.media_id) m.*, $1::timestamptz
      FROM ${MEDIA.from('m')}
      ORDER BY m.organization_id, m.media_id
      ON CONFLICT (organization_id, media_id) DO UPDATE
      SET phone_number_id = excluded.phone_number_id, mime_type = excluded.mime_type, bytes = excluded.bytes,
        file_name = excluded.file_name, sha256 = excluded.sha256, expires_at = excluded.expires_at`,
    values: [now, ...MEDIA.values(rows)],
  });
}

/** Media id that an organization knows. */
export interface KnownMedia extends Pick<MediaRow, 'mediaId' | 'phoneNumberId' | 'fileName' | 'expiresAt'> {
  /** True if a webhook named it, as a file that a person sent. Webhooks state no size. */
  isReceived: boolean;
}

/** Returns those of `mediaIds` that the organization knows. */
export async function listMedia(
  db: Queryable,
  organizationId: string,
  mediaIds: readonly string[],
): Promise<KnownMedia[]> {
  return await db.query({
    name: 'media_list',
    text: `
      SELECT media_id AS "mediaId", phone_number_id AS "phoneNumberId", file_name AS "fileName", expires_at AS "expiresAt",
             bytes IS NULL AS "isReceived"
      FROM media WHERE organization_id = $1 AND media_id = ANY ($2::text[])`,
    values: [organizationId, mediaIds],
  });
}

export async function deleteMediaRow(db: Queryable, organizationId: string, mediaId: string): Promise<void> {
  await db.query({
    text: 'DELETE FROM media WHERE organization_id = $1 AND media_id = $2',
    values: [organizationId, mediaId],
  });
}

/**
 * Returns true if `id` is known as a number, business account, template, medium, flow or group of another organization. The query crosses
 * organizations on purpose: with one token for several of them, the platform would answer for each.
 */
export async function isOfAnotherOrganization(db: Queryable, organizationId: string, id: string): Promise<boolean> {
  const [row] = await db.query<{ isForeign: boolean }>({
    name: 'media_is_of_another',
    text: `
      SELECT EXISTS (SELECT FROM media WHERE media_id = $2 AND organization_id <> $1)
          OR EXISTS (SELECT FROM template WHERE id = $2 AND organization_id <> $1)
          OR EXISTS (SELECT FROM owned_object WHERE object_id = $2 AND organization_id <> $1)
          OR EXISTS (SELECT FROM waba WHERE waba_id = $2 AND organization_id <> $1)
          OR EXISTS (SELECT FROM sending_number WHERE phone_number_id = $2 AND organization_id <> $1)
          OR EXISTS (SELECT FROM sending_number WHERE former_phone_number_id = $2 AND organization_id <> $1) AS "isForeign"`,
    values: [organizationId, id],
  });
  return row?.isForeign === true;
}
