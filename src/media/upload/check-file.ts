import { AppError } from '../../core/errors.ts';
import type { SpooledFile } from '../../spool/index.ts';
import { isTelling, normalizeMimeType } from '../file-types/declared-types.ts';
import { explainRefusal } from '../file-types/media-refusal.ts';
import { sniffMediaType } from '../file-types/media-signatures.ts';
import { decideMediaType, type MediaDecision, type MediaFacts } from '../file-types/media-type.ts';
import { findMediaType, listTypesOfFileName, type MimeType } from '../file-types/media-type-table.ts';
import { cleanFileName } from '../objects/file-name.ts';
import type { UploadedFile } from './upload-form.ts';

/** File that can be uploaded. */
export interface CheckedFile {
  contents: SpooledFile;
  mimeType: MimeType;
  /** Clean file name, never empty. */
  fileName: string;
}

/** Statements of the form about its file. */
export interface FileClaims {
  /** Name for the recipient, as sent. */
  fileName: string | undefined;
  /** Declared type. It outranks the type that the file's own part declares, unless it says nothing or the file cannot be of it. */
  declaredMime: string | undefined;
}

/** Decides if a file can be uploaded, and as which type (api-rules#uploads). Raises MISSING_FILE or INVALID_MEDIA. */
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
    // A name without a known extension says nothing against the other one.
    fileName: names.find((name) => listTypesOfFileName(name).length > 0),
  };
  const claimed = decideMediaType(facts);
  const decision = claimed.kind === 'ok' ? claimed : (asPartDeclares(facts, file.declaredMime) ?? claimed);
  if (decision.kind === 'invalid') throw new AppError('INVALID_MEDIA', explainRefusal(decision, facts));
  const { mimeType } = decision;
  return { contents, mimeType, fileName: names[0] ?? `file.${findMediaType(mimeType)?.extensions[0] ?? 'bin'}` };
}

/**
 * Returns the decision by the type that the file's own part declares. Undefined if the part declares no supported type, or the file
 * cannot be of it either. The platform reads only that type, so its clients may send any other type beside it.
 */
function asPartDeclares(facts: MediaFacts, declaredMime: string | undefined): MediaDecision | undefined {
  if (findMediaType(normalizeMimeType(declaredMime ?? '') ?? '') === undefined) return undefined;
  const decision = decideMediaType({ ...facts, declaredMime });
  return decision.kind === 'ok' ? decision : undefined;
}
