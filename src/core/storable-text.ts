/** `text` as PostgreSQL can keep it, whose text has no NUL; each becomes U+FFFD, as what is no character does everywhere. */
export function storableText(text: string): string {
  return text.includes('\0') ? text.replaceAll('\0', '\ufffd') : text;
}
