/** A form with one file. */
export interface UploadForm {
  fields: Readonly<Record<string, string>>;
  file: Blob;
  fileName: string;
}

/**
 * Yields a form as `multipart/form-data`, and reports the bytes of the file so far. Without this, the stream of a `FormData` ends the process
 * when the gateway refuses an upload early, and it shows no progress.
 */
export async function* writeMultipart(
  { fields, file, fileName }: UploadForm,
  boundary: string,
  report: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  const encode = (text: string) => new TextEncoder().encode(text);
  for (const [name, value] of Object.entries(fields))
    yield encode(`--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`);
  const disposition = `form-data; name="file"; filename="${quotable(fileName)}"`;
  yield encode(`--${boundary}\r\nContent-Disposition: ${disposition}\r\nContent-Type: ${file.type}\r\n\r\n`);
  let bytes = 0;
  for await (const chunk of file.stream()) {
    yield chunk;
    bytes += chunk.byteLength;
    report(bytes);
  }
  yield encode(`\r\n--${boundary}--\r\n`);
}

/** Returns a file name for a quoted parameter, as browsers write it. */
function quotable(name: string): string {
  return name.replace(/[\r\n"]/g, (character) => encodeURIComponent(character));
}
