import { ByteReader, drain, type Section } from './byte-reader.ts';
import { FormError, type FormPart } from './form-part.ts';
import { readPartHeaders } from './part-headers.ts';

const CRLF = Buffer.from('\r\n');
const CLOSE = Buffer.from('--');
const HEADERS_END = Buffer.from('\r\n\r\n');
const HEADERS_BYTES_MAX = 16 * 1024;
const PARTS_MAX = 64;
const PREAMBLE_BYTES_MAX = 64 * 1024;

/**
 * Reads `multipart/form-data` (RFC 7578) part by part as it arrives, so that a form of any size takes hardly any memory.
 * Parsers that return finished parts cannot distinguish a part that declares `text/plain` from one that declares nothing. Exactly that
 * decides a file's type (api-rules#uploads). Raises FormError for any other body, and for a form that ends early.
 */
export async function* readMultipartForm(
  body: AsyncIterable<Buffer>,
  boundary: string,
): AsyncGenerator<FormPart, void> {
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  const reader = new ByteReader(startedByLineBreak(body));
  const preamble = await reader.readUntil(delimiter, PREAMBLE_BYTES_MAX);
  if (preamble === undefined) throw new FormError('does not contain its boundary');

  for (let parts = 0; !(await reader.skip(CLOSE)); parts += 1) {
    if (parts === PARTS_MAX) throw new FormError(`has more than ${PARTS_MAX} parts`);
    // The line break that ends the delimiter's line also starts the headers, so that a part without headers is found, too.
    const head = await reader.readUntil(HEADERS_END, HEADERS_BYTES_MAX);
    if (head === undefined) throw new FormError('has a part whose headers do not end');
    const contents = reader.section(delimiter);
    yield { ...readPartHeaders(afterPadding(head)), contents: whole(contents) };
    await drain(whole(contents));
  }
}

async function* whole(contents: Section): AsyncGenerator<Buffer> {
  yield* contents;
  if (contents.end === 'source') throw new FormError('ends in the middle of a part');
}

/** Adds a line break at the start: the first boundary may come without one before it. */
async function* startedByLineBreak(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield CRLF;
  yield* body;
}

/** Returns the header lines behind the rest of the delimiter's line, on which only white space is allowed (RFC 2046 5.1.1). */
function afterPadding(head: Buffer): string {
  const text = head.toString('utf8');
  const padding = /^[ \t]*(?:\r\n|$)/.exec(text);
  if (padding === null) throw new FormError('has its boundary inside of a line');
  return text.slice(padding[0].length);
}
