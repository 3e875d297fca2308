import { invalid } from '../../core/errors.ts';

const CRLF = Buffer.from('\r\n');
const HEADERS_END = Buffer.from('\r\n\r\n');
const PART_NAME = /^form-data; name="([\w.[\]-]{1,64})"(?:; filename="[^"\r\n\\]{0,255}")?$/i;

/** Returns the boundary of a form's content type; undefined if the type is none, or not in the plain form that clients write. */
export function boundaryOf(contentType: string): string | undefined {
  const match = /^multipart\/form-data *; *boundary=(?:"([\w'()+,./:=?-]{1,70})"|([\w'+./-]{1,70}))$/i.exec(
    contentType,
  );
  return match?.[1] ?? match?.[2];
}

/**
 * Returns the names of a multipart form's fields. Reads strictly, so that the platform cannot read other names from the same bytes: parts
 * stand directly after each other, and each names itself once. Raises VALIDATION_ERROR for any other form.
 */
export function listFormNames(body: Buffer, boundary: string): string[] {
  const delimiter = Buffer.from(`--${boundary}`, 'latin1');
  const names: string[] = [];
  let at = 0;
  for (;;) {
    if (!startsWith(body, delimiter, at)) throw malformed();
    at += delimiter.length;
    if (isEnd(body, at)) return names;
    if (!startsWith(body, CRLF, at)) throw malformed();
    const headersEnd = body.indexOf(HEADERS_END, at);
    if (headersEnd < 0) throw malformed();
    names.push(nameIn(body.toString('latin1', at + CRLF.length, headersEnd)));
    const next = body.indexOf(Buffer.concat([CRLF, delimiter]), headersEnd + CRLF.length);
    if (next < 0) throw malformed();
    at = next + CRLF.length;
  }
}

function nameIn(headers: string): string {
  const dispositions: string[] = [];
  for (const line of headers.split('\r\n')) {
    const [, name = '', value = ''] = /^([\w-]+): *(.*)$/.exec(line) ?? [];
    // A header of another kind, or one that goes on in the next line, could change the meaning of the part.
    if (!/^content-(?:disposition|type|length|transfer-encoding)$/i.test(name)) throw malformed();
    if (/^content-disposition$/i.test(name)) dispositions.push(value);
  }
  const found = dispositions.length === 1 ? PART_NAME.exec(dispositions[0] ?? '')?.[1] : undefined;
  if (found === undefined) throw malformed();
  return found;
}

function isEnd(body: Buffer, at: number): boolean {
  const rest = body.toString('latin1', at, at + 5);
  return (rest === '--' || rest === '--\r\n') && at + rest.length === body.length;
}

function startsWith(body: Buffer, wanted: Buffer, at: number): boolean {
  return body.subarray(at, at + wanted.length).equals(wanted);
}

function malformed() {
  return invalid('The multipart form cannot be read.');
}
