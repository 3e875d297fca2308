import type { Spool, SpooledFile } from '../../spool/index.ts';
import { BYTES_MAX } from '../file-types/media-type-table.ts';
import { type DataUri, DataUriError, readDataUri } from './data-uri.ts';
import { FormError, type FormPart } from './form-part.ts';

/** Fields of an upload, in both of its spellings. */
const FIELDS = ['phone_number', 'filename', 'type', 'messaging_product'] as const;
type FieldName = (typeof FIELDS)[number];

/** Form read to its end. Its owner has to dispose of it. */
export interface UploadForm extends AsyncDisposable {
  /** Field values as sent; of a repeated name, the last one. */
  fields: Partial<Record<FieldName, string>>;
  file: UploadedFile;
}

export type UploadedFile =
  | { kind: 'received'; contents: SpooledFile; declaredMime: string | undefined; fileName: string | undefined }
  | { kind: 'missing' }
  /** A `file` that is neither a file nor a data URI. */
  | { kind: 'unreadable' }
  /** More than one `file`: the gateway must not choose. */
  | { kind: 'ambiguous' };

/** Size of the largest file as a data URI: base64 takes four thirds, and percent-encoding of its `+` and `/` about a sixteenth more. */
export const FORM_BYTES_MAX = BYTES_MAX.document * 1.5;
const FIELD_BYTES_MAX = 4 * 1024;

/**
 * Reads a form to its end, and its file to disk, in any order. Raises FormError for a field that is too long, and the errors of `parts`
 * and of the disk.
 */
export async function readUploadForm(parts: AsyncIterable<FormPart>, spool: Spool): Promise<UploadForm> {
  const fields: UploadForm['fields'] = {};
  let file: UploadedFile = { kind: 'missing' };
  try {
    for await (const part of parts) {
      const field = FIELDS.find((name) => name === part.name);
      if (field !== undefined) fields[field] = await readField(part);
      if (part.name !== 'file') continue;
      const isFirst: boolean = file.kind === 'missing';
      if (!isFirst) await discard(file);
      file = isFirst ? await receiveFile(part, spool) : { kind: 'ambiguous' };
    }
  } catch (error) {
    await discard(file);
    throw error;
  }
  const received = file;
  return { fields, file, [Symbol.asyncDispose]: () => discard(received) };
}

async function discard(file: UploadedFile): Promise<void> {
  if (file.kind === 'received') await file.contents[Symbol.asyncDispose]();
}

async function readField(part: FormPart): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of part.contents) {
    bytes += chunk.length;
    if (bytes > FIELD_BYTES_MAX) throw new FormError(`has a "${part.name}" that is too long`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

async function receiveFile(part: FormPart, spool: Spool): Promise<UploadedFile> {
  if (isValue(part)) return receiveDataUri(await readDataUri(part.contents), spool);
  const contents = await spool.receive(part.contents, BYTES_MAX.document);
  const file: UploadedFile = {
    kind: 'received',
    contents,
    declaredMime: part.contentType,
    fileName: part.fileName,
  };
  // Browsers send this for a file input that was left empty.
  if (part.fileName !== '' || contents.bytes > 0) return file;
  await discard(file);
  return { kind: 'missing' };
}

/** Returns true if a part is a value, as of a text input: it has no file name, and no type other than text. */
function isValue(part: FormPart): boolean {
  return part.fileName === undefined && /^text\/plain\b/i.test(part.contentType ?? 'text/plain');
}

async function receiveDataUri(uri: DataUri | undefined, spool: Spool): Promise<UploadedFile> {
  if (uri === undefined) return { kind: 'unreadable' };
  try {
    const contents = await spool.receive(uri.contents, BYTES_MAX.document);
    return { kind: 'received', contents, declaredMime: uri.declaredMime, fileName: undefined };
  } catch (error) {
    if (error instanceof DataUriError) return { kind: 'unreadable' };
    throw error;
  }
}
