/**
 * Makes `text` storable: PostgreSQL's text cannot contain NUL, and UTF-8 cannot contain half a surrogate pair. Each becomes U+FFFD, the usual
 * replacement character. Two texts that are stored alike are then alike before, too.
 */
export function storableText(text: string): string {
  const wellFormed = text.toWellFormed();
  return wellFormed.includes('\0') ? wellFormed.replaceAll('\0', '\ufffd') : wellFormed;
}
