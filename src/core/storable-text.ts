/** Makes `text` storable: PostgreSQL's text cannot contain NUL, so each becomes U+FFFD, the usual replacement character. */
export function storableText(text: string): string {
  return text.includes('\0') ? text.replaceAll('\0', '\ufffd') : text;
}
