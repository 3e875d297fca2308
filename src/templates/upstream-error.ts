import { AppError } from '../core/errors.ts';
import type { CallFailure } from '../upstream/index.ts';

/**
 * Returns the caller's error for a failed call (api-rules#errors): PROVIDER_REJECTED with the upstream's own words for a refusal,
 * INTERNAL_ERROR for temporary trouble.
 */
export function upstreamError(failure: CallFailure): AppError {
  switch (failure.kind) {
    case 'rejected':
    case 'credential':
      return new AppError('PROVIDER_REJECTED', failure.provider.error_user_msg, {
        provider_error: failure.provider,
        subcode: failure.subcode,
      });
    case 'throttled':
      return temporaryError(
        'The upstream platform takes no more template calls for now. Try again later.',
        failure.retryAfterMs ?? 60_000,
        failure,
      );
    case 'unavailable':
      return failure.reason === 'not_configured'
        ? new AppError('INTERNAL_ERROR', 'This gateway has no app id to upload sample media with.')
        : temporaryError('The upstream platform could not be reached. Try again.', failure.retryAfterMs, failure);
  }
}

function temporaryError(message: string, retryAfterMs: number | null, failure: CallFailure): AppError {
  const details = retryAfterMs === null ? {} : { retryAfterSeconds: retryAfterMs / 1000 };
  const cause = 'reason' in failure ? failure.reason : failure.kind;
  return new AppError('INTERNAL_ERROR', message, details, new Error(`upstream call failed: ${cause}`));
}
