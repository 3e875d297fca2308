import { openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import type { Api } from '../../api/api.ts';
import { uploadFile } from '../../api/upload-file.ts';
import { CliError } from '../../cli-error.ts';
import { EXIT } from '../../exit-codes.ts';
import type { Medium } from './message-body.ts';

/** Kinds and types by the ending of a name. A file's content is checked by the gateway. */
const TYPES: Readonly<Record<string, readonly [kind: string, mimeType: string]>> = {
  jpg: ['image', 'image/jpeg'],
  jpeg: ['image', 'image/jpeg'],
  png: ['image', 'image/png'],
  webp: ['sticker', 'image/webp'],
  mp4: ['video', 'video/mp4'],
  '3gp': ['video', 'video/3gpp'],
  mp3: ['audio', 'audio/mpeg'],
  ogg: ['audio', 'audio/ogg'],
  aac: ['audio', 'audio/aac'],
  amr: ['audio', 'audio/amr'],
  m4a: ['audio', 'audio/mp4'],
  pdf: ['document', 'application/pdf'],
  txt: ['document', 'text/plain'],
  docx: ['document', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  xlsx: ['document', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
  pptx: ['document', 'application/vnd.openxmlformats-officedocument.presentationml.presentation'],
};

/** Returns the medium at a URL, or uploads a file and returns that. */
export async function resolveMedium(api: Api, phoneNumberId: string, source: string): Promise<Medium> {
  const url = /^https?:\/\//i.test(source) ? new URL(source) : undefined;
  const fileName = basename(url?.pathname ?? source);
  const [kind, type] = typeOf(fileName);
  if (url !== undefined) return { kind, reference: { link: source }, fileName };
  const id = await uploadFile(api, { phoneNumberId, file: await openFile(source, type), type, fileName });
  return { kind, reference: { id }, fileName };
}

/** Returns the MIME type of a file by the ending of its name. */
export function mimeTypeOf(fileName: string): string {
  return typeOf(fileName)[1];
}

function typeOf(fileName: string): readonly [kind: string, mimeType: string] {
  return TYPES[fileName.split('.').at(-1)?.toLowerCase() ?? ''] ?? ['document', 'application/octet-stream'];
}

/** Opens a file to upload. Its content is read during the upload. */
export async function openFile(path: string, type: string): Promise<Blob> {
  try {
    return await openAsBlob(path, { type });
  } catch (error) {
    throw new CliError(EXIT.usage, `The file ${path} cannot be read.`, { cause: error });
  }
}
