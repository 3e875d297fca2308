const BYTES_MAX = 200;
/** Separators and marks of paths, patterns and streams, and everything a terminal would obey. */
const HARMFUL = /[/\\:*?"<>|\p{C}\u2028\u2029]/gu;

/**
 * Returns the file name of a `content-disposition` header such that it cannot lead out of a folder, hide a file, look like an option or
 * change the terminal.
 * @param fallback the name if the header has none
 */
export function harmlessName(disposition: string | null, fallback: string): string {
  return cleaned(nameIn(disposition ?? '')) || cleaned(fallback) || 'file';
}

function nameIn(disposition: string): string {
  const [, encoded] = /;\s*filename\*=UTF-8''([^;\s]+)/i.exec(disposition) ?? [];
  if (encoded !== undefined) {
    try {
      return decodeURIComponent(encoded);
    } catch {
      // The plain name serves.
    }
  }
  const [, quoted, plain] = /;\s*filename=(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))/i.exec(disposition) ?? [];
  return quoted?.replace(/\\(.)/g, '$1') ?? plain ?? '';
}

function cleaned(name: string): string {
  const base = name.split(/[/\\]/).at(-1) ?? '';
  const plain = base
    .replace(HARMFUL, '_')
    .replace(/^[.\-\s]+/, '')
    .replace(/[.\s]+$/, '');
  return shortened(plain);
}

/** Returns the name in at most `BYTES_MAX` bytes, with its ending. */
function shortened(name: string): string {
  if (Buffer.byteLength(name) <= BYTES_MAX) return name;
  const [ending = ''] = /\.[A-Za-z0-9]{1,8}$/.exec(name) ?? [];
  let stem = name.slice(0, name.length - ending.length);
  while (Buffer.byteLength(stem + ending) > BYTES_MAX) stem = Array.from(stem).slice(0, -1).join('');
  return stem + ending;
}
