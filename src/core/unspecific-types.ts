/** MIME types that say nothing of the contents: declared by those who do not know them, or want them saved. */
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
