import { timingSafeEqual } from 'node:crypto';
import { sha256, sha256Hex } from '../core/digest.ts';
import { isApiKey, isToken, OPERATOR_TOKEN_PREFIX } from '../http/index.ts';
import type { OpenSession, Sessions, SignInToken } from './sessions.ts';

export interface SignInDeps {
  sessions: Sessions;
  /** Returns true for a one-time code that is still valid, once. */
  redeemLink(code: string): boolean | Promise<boolean>;
  adminToken: string;
}

/** A token or one-time code, as a person entered it. */
export type Credential = { token: string } | { link: string };

/** Opens a session for a token or a one-time code; undefined if it opens none. */
export async function signIn(
  deps: SignInDeps,
  credential: Credential,
): Promise<{ secret: string; session: OpenSession } | undefined> {
  const token = await tokenOf(deps, credential);
  return token && deps.sessions.open(token);
}

/** Returns the token to open a session with. It may be unknown, expired or revoked. */
async function tokenOf(
  { redeemLink, adminToken }: SignInDeps,
  credential: Credential,
): Promise<SignInToken | undefined> {
  if ('link' in credential) return (await redeemLink(credential.link)) ? { kind: 'admin_token' } : undefined;
  const { token } = credential;
  if (timingSafeEqual(sha256(token), sha256(adminToken))) return { kind: 'admin_token' };
  if (isToken(OPERATOR_TOKEN_PREFIX, token)) return { kind: 'operator', tokenHash: sha256Hex(token) };
  if (isApiKey(token)) return { kind: 'api_key', tokenHash: sha256Hex(token) };
  return undefined;
}
