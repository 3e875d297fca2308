import { AppError } from '../core/errors.ts';
import type { SpooledFile } from '../spool/index.ts';
import { cleanFileName } from './file-name.ts';
import { SNIFF_BYTES_MAX } from './media-signatures.ts';
import { decideMediaType, isTelling, type MediaDecision, type MediaFacts } from './media-type.ts';
import { findMediaType, findMediaTypeByFileName, type MimeType, normalizeMimeType } from './media-type-table.ts';
import type { UploadedFile } from './upload-form.ts';

/** A file fit to be uploaded. */
export interface CheckedFile {
  contents: SpooledFile;
  mimeType: MimeType;
  /** Clean, never empty. */
  fileName: string;
}

/** What the form says of its file beside the file itself. */
export interface FileClaims {
  /** Name the recipient is to see, as sent. */
  fileName: string | undefined;
  /** Outranks the type the file's own part declares, unless it tells nothing or the file cannot be of it. */
  declaredMime: string | undefined;
}

/** Decides whether a file can be uploaded, and as what (api-rules#uploads). Raises MISSING_FILE or INVALID_MEDIA. */
export async function checkFile(file: UploadedFile, claims: FileClaims): Promise<CheckedFile> {
  switch (file.kind) {
    case 'missing':
      throw new AppError('MISSING_FILE', '"file" is missing: the file, or a "data:<mime>;base64,<payload>" URI.');
    case 'unreadable':
      throw new AppError('MISSING_FILE', '"file" is no file and no valid "data:<mime>;base64,<payload>" URI.');
    case 'ambiguous':
      throw new AppError('INVALID_MEDIA', 'There is more than one "file"; send one at a time.');
  }
  const { contents } = file;
  const names = [claims.fileName, file.fileName].flatMap((name) => cleanFileName(name ?? '') ?? []);
  const facts = {
    head: await contents.read(0, SNIFF_BYTES_MAX),
    tail: await contents.read(Math.max(0, contents.bytes - SNIFF_BYTES_MAX), SNIFF_BYTES_MAX),
    bytes: contents.bytes,
    // A name without a telling extension says nothing against the other one.
    fileName: names.find((name) => findMediaTypeByFileName(name) !== undefined),
  };
  const declaredMime = isTelling(claims.declaredMime) ? claims.declaredMime : file.declaredMime;
  const claimed = decideMediaType({ ...facts, declaredMime });
  const decision = claimed.kind === 'ok' ? claimed : (asPartDeclares(facts, file.declaredMime) ?? claimed);
  if (decision.kind === 'invalid') throw new AppError('INVALID_MEDIA', explain(decision));
  const { mimeType } = decision;
  return { contents, mimeType, fileName: names[0] ?? `file.${findMediaType(mimeType)?.extensions[0] ?? 'bin'}` };
}

/**
 * The decision by the type a file's own part declares, undefined where it declares none that counts or the file cannot be of it
 * either. The platform reads that type alone, so clients get along with any beside it.
 */
function asPartDeclares(facts: MediaFacts, declaredMime: string | undefined): MediaDecision | undefined {
  if (findMediaType(normalizeMimeType(declaredMime ?? '') ?? '') === undefined) return undefined;
  const decision = decideMediaType({ ...facts, declaredMime });
  return decision.kind === 'ok' ? decision : undefined;
}

function explain(decision: Extract<MediaDecision, { kind: 'invalid' }>): string {
  switch (decision.reason) {
    case 'empty':
      return 'The file is empty.';
    case 'unsupported_type':
      return decision.mimeType === undefined
        ? 'The type of the file is not declared and cannot be told from its extension or contents.'
        : `Files of the type ${decision.mimeType} are not supported.`;
    case 'contents_mismatch':
      return `The contents of the file are not of the type ${decision.mimeType}.`;
    case 'too_large':
      return `The file is too large: ${decision.mimeType} may have up to ${decision.bytesMax} bytes.`;
  }
}
