import { appSecretContext } from '../../apps/index.ts';
import { AppError } from '../../core/errors.ts';
import type { SecretBox } from '../../core/secret-box.ts';
import { type GraphApp, isTestToken, type TokenApps } from '../../upstream/index.ts';
import { isServedBy, type PlatformDeps, TEST_PLATFORM } from '../platform.ts';

/** Identifies the stored state of a WABA: the version of its current token, and when the sync that wrote the record started. */
export interface KnownState {
  version: number;
  readAt: Date | null;
}

/** The token a call was made with. A refusal of that call says nothing about a later state of the WABA. */
export interface UsedToken extends KnownState {
  wabaId: string;
  /** Time at which the call began, by the platform's clock (epoch ms). */
  begunAtMs: number;
}

/** A WABA's sealed access token, its organization, and the stored state it belongs to. */
export interface StoredToken extends KnownState {
  organizationId: string;
  tokenSealed: Buffer;
  /** The platform it was connected through, null if the platform was never recorded. */
  platform: string | null;
  /** The app that the token belongs to; null stands for the app of the environment. */
  appId: string | null;
  /** The sealed secret that calls of the app have to prove; null if it requires no proof. */
  provenSecretSealed: Buffer | null;
}

/** Returns the context that a WABA's token is sealed for. A token moved to another row cannot be opened. */
export function tokenContext(organizationId: string, wabaId: string): string {
  return `${organizationId}|waba|${wabaId}`;
}

/** Dependencies for opening sealed tokens, and the platform they are opened for. */
export interface TokenOpener extends PlatformDeps {
  secretBox: Pick<SecretBox, 'open'>;
  /** Learns the app of each token that is opened. */
  tokenApps: Pick<TokenApps, 'note'>;
}

/**
 * Returns a WABA's token in the clear, and notes its app for calls with it. Raises UNAVAILABLE if no key opens it, because the account must be connected again, or if this
 * process's platform must not see it.
 */
export function openToken(opener: TokenOpener, wabaId: string, stored: StoredToken): string {
  const { secretBox, platform, tokenApps } = opener;
  if (!isServedBy(platform, stored.platform)) {
    throw new AppError('UNAVAILABLE', 'This node does not work with the platform of this business account.', {
      retryAfterSeconds: 5,
    });
  }
  const token = unseal(secretBox, wabaId, stored);
  // The token chooses between the platform and the built-in simulator, so it must agree with the account.
  if (isTestToken(token) !== (stored.platform === TEST_PLATFORM)) throw new TokenNotOpened(undefined);
  tokenApps.note(token, appOf(secretBox, stored));
  return token;
}

function appOf(secretBox: TokenOpener['secretBox'], { appId, provenSecretSealed }: StoredToken): GraphApp | null {
  if (appId === null) return null;
  try {
    const provenSecret = provenSecretSealed && secretBox.open(provenSecretSealed, appSecretContext(appId));
    return { id: appId, provenSecret };
  } catch (error) {
    throw new TokenNotOpened(error);
  }
}

function unseal(secretBox: TokenOpener['secretBox'], wabaId: string, stored: StoredToken): string {
  try {
    return secretBox.open(stored.tokenSealed, tokenContext(stored.organizationId, wabaId));
  } catch (error) {
    throw new TokenNotOpened(error);
  }
}

/** Returns the token, or undefined if no key opens it. */
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
