import type { SendingNumber } from '../../accounts/index.ts';
import { AppError } from '../../core/errors.ts';
import { type CallFailure, retryAfterSecondsOf } from '../../upstream/index.ts';
import type { FindDeps } from '../objects/find-media.ts';
import { UPLOADED_LIFE_MS } from '../objects/media-expiry.ts';
import { upsertMedia } from '../queries.ts';
import type { CheckedFile } from './check-file.ts';

type UploadDeps = Omit<FindDeps, 'lookups'>;

/**
 * Uploads a file under a number and stores its id (api-rules#uploads). Returns the id. Raises UPLOAD_REJECTED with the upstream's status
 * and words, UPLOAD_FAILED for a temporary failure.
 */
export async function uploadMedia(deps: UploadDeps, number: SendingNumber, file: CheckedFile): Promise<string> {
  const { organizationId, phoneNumberId } = number;
  const { contents, mimeType, fileName } = file;
  const { token } = await deps.accounts.tokenOfNumber(number);
  const expiresAt = new Date(deps.clock.now() + UPLOADED_LIFE_MS);
  const { bytes, sha256 } = contents;
  const result = await deps.upstream.uploadMedia(phoneNumberId, token, {
    stream: contents.stream(),
    bytes,
    mimeType,
    fileName,
  });
  if (result.kind !== 'ok') throw uploadErrorOf(result);
  const mediaId = result.value;
  const row = { organizationId, mediaId, phoneNumberId, mimeType, bytes, fileName, sha256, expiresAt };
  await upsertMedia(deps.db, [row], new Date(deps.clock.now()));
  return mediaId;
}

/** The upstream's own statuses that a rejection keeps: those that the API's description lists. Any other is told as 400. */
const REJECTED_STATUSES: readonly number[] = [400, 403, 404, 409, 413, 415, 422];

/** Returns the caller's error for a failed upload, with the HTTP status of api-rules#errors. */
function uploadErrorOf(failure: CallFailure): AppError {
  switch (failure.kind) {
    case 'credential':
      return rejection(failure, 502);
    case 'rejected':
      // The number does not exist, or this token cannot see it.
      if (failure.subcode === 33 || failure.code === '33') return rejection(failure, 502);
      return rejection(failure, REJECTED_STATUSES.includes(failure.httpStatus) ? failure.httpStatus : 400);
    case 'throttled':
    case 'unavailable':
      return new AppError('UPLOAD_FAILED', 'The upstream platform could not take the file right now. Try again.', {
        retryAfterSeconds: retryAfterSecondsOf(failure),
      });
  }
}

function rejection(
  { message, provider }: Extract<CallFailure, { kind: 'rejected' | 'credential' }>,
  httpStatus: number,
): AppError {
  return new AppError('UPLOAD_REJECTED', message, { httpStatus, provider_error: provider });
}
