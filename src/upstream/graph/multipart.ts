/** One file with the text fields around it, as `multipart/form-data`. */
export interface MultipartForm {
  fields: Record<string, string>;
  file: { field: string; fileName: string; mimeType: string };
}

/** The bytes before and after the file. The body's length is the sum of head, file and tail. */
export interface MultipartFrame {
  contentType: string;
  head: Buffer;
  tail: Buffer;
}

/**
 * Frames a file. `boundary` must not occur in the file: make it random. Throws RangeError if the MIME type is malformed or has parameters.
 */
export function frameMultipart(form: MultipartForm, boundary: string): MultipartFrame {
  const { field, fileName, mimeType } = form.file;
  if (!/^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/.test(mimeType)) throw new RangeError('Not a bare MIME type.');
  const texts = Object.entries(form.fields).map(
    ([name, value]) => `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  // Plain UTF-8: a form must not use the `filename*` of other headers (RFC 7578 4.2), and an ASCII fallback would show readers underscores.
  const disposition = `form-data; name="${field}"; filename="${harmless(fileName)}"`;
  const file = `--${boundary}\r\ncontent-disposition: ${disposition}\r\ncontent-type: ${mimeType}\r\n\r\n`;
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    head: Buffer.from(texts.join('') + file),
    tail: Buffer.from(`\r\n--${boundary}--\r\n`),
  };
}

/** Returns the `filename` parameter of a header, plus `filename*` if the name is not plain ASCII (RFC 6266, RFC 5987). */
export function fileNameParameters(fileName: string): string {
  const name = harmless(fileName);
  const plain = name.replace(/[^\x20-\x7e]/gu, '_');
  if (plain === name) return `filename="${plain}"`;
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `filename="${plain}"; filename*=UTF-8''${encoded}`;
}

/** Replaces control characters, quotes and backslashes by underscores, so that the name cannot end the parameter or the header. */
function harmless(fileName: string): string {
  return fileName.toWellFormed().replace(/[\p{Cc}"\\]/gu, '_') || 'file';
}
