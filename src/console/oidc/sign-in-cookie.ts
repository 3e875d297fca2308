import type { SecretBox } from '../../core/secret-box.ts';
import { SealedCookie } from '../../http/index.ts';
import type { SignInSecrets } from './identity-provider.ts';
import type { Refusal } from './refusal.ts';

/** A sign-in that waits for the provider, or the reason for which the last one was refused. */
export type CookieContent = { pending: PendingSignIn } | { refusal: Refusal };

export interface PendingSignIn extends SignInSecrets {
  /** Address below `/console/` that the person wanted to see. */
  returnTo: string;
}

/** Time for a person to sign in at the provider. */
const PENDING_MS = 10 * 60_000;

/** Returns the cookie between the click at the console and the return from the provider. */
export function signInCookie(deps: {
  box: Pick<SecretBox, 'seal' | 'open'>;
  now: () => number;
  isSecure: boolean;
}): SealedCookie<CookieContent> {
  return new SealedCookie({ ...deps, name: 'fairway_sign_in', context: 'console|sign-in', lifeMs: PENDING_MS });
}
