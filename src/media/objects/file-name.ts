const NAME_BYTES_MAX = 240;

/**
 * Controls, lone surrogates, line separators, direction marks and invisible fillers. With them, `gpj.exe` can look like `exe.jpg`. The
 * two joiners stay, because scripts and emoji need them.
 */
const DECEPTIVE =
  /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

/**
 * Makes a file name safe to store, forward and display. Keeps the part behind the last path separator, in NFC, without control, direction
 * and invisible characters. Cuts it to 240 bytes of UTF-8, but keeps its extension. `undefined` if nothing is left.
 */
export function cleanFileName(name: string): string | undefined {
  const visible = name.normalize('NFC').replace(DECEPTIVE, '');
  const base = visible.slice(Math.max(visible.lastIndexOf('/'), visible.lastIndexOf('\\')) + 1).trim();
  if (base === '' || /^\.+$/.test(base)) return undefined;
  if (Buffer.byteLength(base) <= NAME_BYTES_MAX) return base;
  const extension = /\.[A-Za-z0-9]{1,16}$/.exec(base)?.[0] ?? '';
  return `${cutBytes(base.slice(0, base.length - extension.length), NAME_BYTES_MAX - extension.length)}${extension}`;
}

/** Cuts to `bytesMax` bytes of UTF-8 without splitting a character. */
function cutBytes(text: string, bytesMax: number): string {
  const target = new Uint8Array(bytesMax);
  const { read } = new TextEncoder().encodeInto(text, target);
  return text.slice(0, read).trimEnd();
}
