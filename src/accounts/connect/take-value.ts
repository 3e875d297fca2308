import { AppError } from '../../core/errors.ts';
import { type CallFailure, type CallResult, retryAfterSecondsOf } from '../../upstream/index.ts';

/** Returns the value of a call. Raises the error from `errorOf` if the call failed. */
export function takeValue<T>(result: CallResult<T>): T {
  if (result.kind !== 'ok') throw errorOf(result);
  return result.value;
}

/** Returns the operator's error for a failure: PROVIDER_REJECTED or UNAVAILABLE. */
export function errorOf(failure: CallFailure): AppError {
  switch (failure.kind) {
    case 'rejected':
    case 'credential':
      return new AppError('PROVIDER_REJECTED', `The upstream platform refused: ${failure.provider.error_user_msg}`, {
        provider_error: failure.provider,
      });
    case 'throttled':
      return new AppError('UNAVAILABLE', 'The upstream platform takes no more calls for now. Try again later.', {
        retryAfterSeconds: retryAfterSecondsOf(failure),
      });
    case 'unavailable':
      return new AppError('UNAVAILABLE', 'The upstream platform cannot be reached. Try again.', {
        retryAfterSeconds: retryAfterSecondsOf(failure),
      });
  }
}
