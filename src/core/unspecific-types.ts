/** MIME types that say nothing about the contents: declared by senders that do not know the type, or that force a download. */
export const UNSPECIFIC_TYPES: readonly string[] = [
  'application/octet-stream',
  'binary/octet-stream',
  'application/binary',
  'application/x-binary',
  'application/unknown',
  'application/force-download',
  'application/x-download',
  '*/*',
];
