import type { Queryable } from '../database/database.ts';

/** A media id and the number it is good for. */
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

/** Stores media ids; what is known already is replaced. */
export async function upsertMedia(db: Queryable, rows: readonly MediaRow[], now: Date): Promise<void> {
  await db.query({
    name: 'media_upsert',
    text: `
      INSERT INTO media (organization_id, media_id, phone_number_id, mime_type, bytes, file_name, sha256, expires_at, created_at)
      SELECT DISTINCT ON (m.organization_id, m.media_id) m.*, $9::timestamptz
      FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::text[], $7::text[], $8::timestamptz[])
        AS m (organization_id, media_id, phone_number_id, mime_type, bytes, file_name, sha256, expires_at)
      ORDER BY m.organization_id, m.media_id
      ON CONFLICT (organization_id, media_id) DO UPDATE
      SET phone_number_id = excluded.phone_number_id, mime_type = excluded.mime_type, bytes = excluded.bytes,
        file_name = excluded.file_name, sha256 = excluded.sha256, expires_at = excluded.expires_at`,
    values: [
      rows.map((row) => row.organizationId),
      rows.map((row) => row.mediaId),
      rows.map((row) => row.phoneNumberId),
      rows.map((row) => row.mimeType),
      rows.map((row) => row.bytes),
      rows.map((row) => row.fileName),
      rows.map((row) => row.sha256),
      rows.map((row) => row.expiresAt),
      now,
    ],
  });
}

/** Those of `mediaIds` the organization knows. */
export async function listMedia(
  db: Queryable,
  organizationId: string,
  mediaIds: readonly string[],
): Promise<Pick<MediaRow, 'mediaId' | 'phoneNumberId' | 'fileName' | 'expiresAt'>[]> {
  return await db.query({
    name: 'media_list',
    text: `
      SELECT media_id AS "mediaId", phone_number_id AS "phoneNumberId", file_name AS "fileName", expires_at AS "expiresAt"
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
