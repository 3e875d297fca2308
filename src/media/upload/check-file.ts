import { AppError } from '../../core/errors.ts';
import type { SpooledFile } from '../../spool/index.ts';
import { isTelling, normalizeMimeType } from '../file-types/declared-types.ts';
import { explainRefusal } from '../file-types/media-refusal.ts';
import { sniffMediaType } from '../file-types/media-signatures.ts';
import { decideMediaType, type MediaDecision, type MediaFacts } from '../file-types/media-type.ts';
import { findMediaType, listTypesOfFileName, type MimeType } from '../file-types/media-type-table.ts';
import { cleanFileName } from '../objects/file-name.ts';
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
  const facts: MediaFacts = {
    bytes: contents.bytes,
    sniffed: await sniffMediaType(contents),
    declaredMime: isTelling(claims.declaredMime) ? claims.declaredMime : file.declaredMime,
    // A name without a telling extension says nothing against the other one.
    fileName: names.find((name) => listTypesOfFileName(name).length > 0),
  };
  const claimed = decideMediaType(facts);
  const decision = claimed.kind === 'ok' ? claimed : (asPartDeclares(facts, file.declaredMime) ?? claimed);
  if (decision.kind === 'invalid') throw new AppError('INVALID_MEDIA', explainRefusal(decision, facts));
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
