import { AppError } from '../core/errors.ts';
import type { SecretBox } from '../core/secret-box.ts';
import { isServedBy, type PlatformDeps } from './platform.ts';
import type { StoredToken } from './queries.ts';

/** A business account an organization has connected. */
export interface Waba {
  organizationId: string;
  wabaId: string;
  /** Whether any of its numbers is registered. */
  hasRegisteredNumber: boolean;
}

/** As what a WABA is known: which of the tokens it has had is its token, and when the reading of it began that is stored. */
export interface KnownState {
  version: number;
  readAt: Date | null;
}

/** What a call was made with: the token of a WABA, as that was known then. What it is refused for tells nothing of a later state. */
export interface UsedToken extends KnownState {
  wabaId: string;
  /** When the call began, by the platform's clock (epoch ms). */
  begunAtMs: number;
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
  return new AppError(
    'ACCOUNT_NOT_FOUND',
    'There is no sending number with this id, which is not the number itself but its phone_number_id.',
  );
}

/** What a WABA's token is sealed for: moved to another row, it does not open. */
export function tokenContext(organizationId: string, wabaId: string): string {
  return `${organizationId}|waba|${wabaId}`;
}

/** What opens sealed tokens, and for which platform. */
export interface TokenOpener extends PlatformDeps {
  secretBox: Pick<SecretBox, 'open'>;
}

/**
 * A WABA's token in the clear. Raises UNAVAILABLE where no key opens it, when it waits for the account to be connected again, and where
 * the platform this process calls is not to see it.
 */
export function openToken({ secretBox, platform }: TokenOpener, wabaId: string, stored: StoredToken): string {
  if (!isServedBy(platform, stored.platform)) {
    throw new AppError('UNAVAILABLE', 'This node does not work with the platform of this business account.', {
      retryAfterSeconds: 5,
    });
  }
  try {
    return secretBox.open(stored.tokenSealed, tokenContext(stored.organizationId, wabaId));
  } catch (error) {
    throw new TokenNotOpened(error);
  }
}

/** `openToken`, or undefined where no key opens it. */
export function tryOpenToken(opener: TokenOpener, wabaId: string, stored: StoredToken): string | undefined {
  try {
    return openToken(opener, wabaId, stored);
  } catch (error) {
    if (error instanceof TokenNotOpened) return undefined;
    throw error;
  }
}

class TokenNotOpened extends AppError {
  constructor(cause: unknown) {
    super(
      'UNAVAILABLE',
      'The access token of this business account cannot be opened: the account has to be connected again.',
      { retryAfterSeconds: 60 },
      cause,
    );
  }
}
