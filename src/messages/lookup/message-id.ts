import { AppError } from '../../core/errors.ts';
import { isUuid } from '../../core/ids.ts';

/** Reads the id of a message from a path. Raises INVALID_ID. */
export function readMessageId(text: string): string {
  if (!isUuid(text)) throw new AppError('INVALID_ID', 'The message id must be a UUID, as answered by the send.');
  return text.toLowerCase();
}

/** Returns the error for an id that names no message of the organization. */
export function messageNotFound(): AppError {
  return new AppError('NOT_FOUND', 'There is no message with this id.');
}
