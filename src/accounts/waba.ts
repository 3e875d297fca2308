import { AppError } from '../core/errors.ts';
import type { SecretBox } from '../core/secret-box.ts';

/** A business account an organization has connected. */
export interface Waba {
  organizationId: string;
  wabaId: string;
  /** Whether any of its numbers is registered. */
  hasRegisteredNumber: boolean;
}

/** What a call was made with: the token of a WABA, and which of those it has had. */
export interface UsedToken {
  wabaId: string;
  version: number;
}

/** Whether `text` can be an id of the upstream's. Whatever else stands in a path names nothing. */
export function isUpstreamId(text: string): boolean {
  return /^[0-9A-Za-z_-]{1,64}$/.test(text);
}

/** The answer for an id that names no WABA of the organization. */
export function wabaNotFound(): AppError {
  return new AppError('NOT_FOUND', 'There is no business account with this id.');
}

/** The answer for an id that names no number of the organization. */
export function numberNotFound(): AppError {
  return new AppError('ACCOUNT_NOT_FOUND', 'There is no sending number with this id.');
}

/** What a WABA's token is sealed for: moved to another row, it does not open. */
export function tokenContext(organizationId: string, wabaId: string): string {
  return `${organizationId}|waba|${wabaId}`;
}

/** A WABA's token in the clear. Raises UNAVAILABLE where no key opens it: it waits for the account to be connected again. */
export function openToken(
  secretBox: Pick<SecretBox, 'open'>,
  tokenSealed: Uint8Array,
  { organizationId, wabaId }: { organizationId: string; wabaId: string },
): string {
  try {
    return secretBox.open(tokenSealed, tokenContext(organizationId, wabaId));
  } catch (error) {
    throw new AppError(
      'UNAVAILABLE',
      'The access token of this business account cannot be opened: the account has to be connected again.',
      { retryAfterSeconds: 60 },
      error,
    );
  }
}
