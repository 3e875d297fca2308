const MIB = 1024 * 1024;
const office = 'application/vnd.openxmlformats-officedocument';

/** MIME types that the upload call accepts, in the order its refusal lists them. */
export const uploadTypes: ReadonlySet<string> = new Set([
  'audio/aac',
  'audio/mp4',
  'audio/mpeg',
  'audio/amr',
  'audio/ogg',
  'audio/opus',
  'application/vnd.ms-powerpoint',
  'application/msword',
  `${office}.wordprocessingml.document`,
  `${office}.presentationml.presentation`,
  `${office}.spreadsheetml.sheet`,
  'application/pdf',
  'text/plain',
  'application/vnd.ms-excel',
  'image/jpeg',
  'image/png',
  'image/webp',
  'video/mp4',
  'video/3gpp',
]);

/** Returns the size limit of a MIME type in bytes. */
export function mediaBytesMax(mimeType: string): number {
  if (mimeType === 'image/webp') return 500 * 1024;
  if (mimeType.startsWith('image/')) return 5 * MIB;
  if (mimeType.startsWith('audio/') || mimeType.startsWith('video/')) return 16 * MIB;
  return 100 * MIB;
}
