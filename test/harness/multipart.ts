/** One part of a form. */
export interface Part {
  name: string;
  value: string | Buffer;
  /** Makes the part a file. */
  fileName?: string;
  contentType?: string;
}

export interface EncodedForm {
  body: Buffer;
  headers: { 'content-type': string };
}

const BOUNDARY = 'test-boundary-7f3a';

/** Encodes a multipart form exactly from its parts, without any default header. */
export function encodeMultipart(parts: readonly Part[]): EncodedForm {
  const encoded = parts.flatMap(({ name, value, fileName, contentType }) => [
    Buffer.from(
      `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"` +
        `${fileName === undefined ? '' : `; filename="${fileName}"`}\r\n` +
        `${contentType === undefined ? '' : `Content-Type: ${contentType}\r\n`}\r\n`,
    ),
    Buffer.from(value),
    Buffer.from('\r\n'),
  ]);
  return {
    body: Buffer.concat([...encoded, Buffer.from(`--${BOUNDARY}--\r\n`)]),
    headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
  };
}
