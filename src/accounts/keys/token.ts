import { AppError } from '../../core/errors.ts';
import type { SecretBox } from '../../core/secret-box.ts';
import { isServedBy, type PlatformDeps } from '../platform.ts';

/** Identifies the stored state of a WABA: the version of its current token, and when the sync that wrote the record started. */
export interface KnownState {
  version: number;
  readAt: Date | null;
}

/** The token a call was made with. A refusal of that call says nothing about a later state of the WABA. */
export interface UsedToken extends KnownState {
  wabaId: string;
  /** When the call began, by the platform's clock (epoch ms). */
  begunAtMs: number;
}

/** A WABA's sealed access token, its organization, and the stored state it belongs to. */
export interface StoredToken extends KnownState {
  organizationId: string;
  tokenSealed: Buffer;
  /** The platform it was connected through, null if the platform was never recorded. */
  platform: string | null;
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
