import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { ApiFailure, call } from './call.ts';
import { CONSOLE_PATH } from './paths.ts';

/** The signed-in person or program. */
export interface Session {
  kind: 'operator' | 'key';
  name: string;
  role: 'admin' | 'operator' | 'support' | null;
  /** Scopes of a limited key; null for all. */
  scopes: string[] | null;
  /** The key's organization; null for operators. */
  organization: { id: string; name: string } | null;
  /** Numbers of a limited key; null for all. */
  numbers: string[] | null;
  expires_at: string;
  /** True if the gateway runs its demo. */
  demo: boolean;
  /** True if the platform is the simulator and this caller may control it. */
  simulator: boolean;
}

export type Credential = { token: string } | { link: string };

export const SESSION_KEY = ['session'];

/** Reads the session; null without one. */
export const sessionQuery = queryOptions({
  queryKey: SESSION_KEY,
  queryFn: async (): Promise<Session | null> => {
    try {
      return await call<Session>('GET', '/console/session');
    } catch (error) {
      if (error instanceof ApiFailure && error.status === 401) return null;
      throw error;
    }
  },
  staleTime: 60_000,
  // The session slides with use. Without this, an idle page would keep it alive for ever.
  refetchOnWindowFocus: true,
});

export function signIn(credential: Credential): Promise<Session> {
  return call('POST', '/console/session', { body: credential });
}

/** Ends the session. Returns the address that ends it at the identity provider, too; undefined if there is none. */
export async function signOut(): Promise<string | undefined> {
  return (await call<{ url: string } | undefined>('DELETE', '/console/session'))?.url;
}

/** A sign-in that the identity provider or the gateway has refused. */
export interface SignInRefusal {
  reason: 'unreachable' | 'cancelled' | 'refused' | 'expired' | 'no_role' | 'revoked' | 'limited';
  /** The person's name at the provider; null if it is not known. */
  account: string | null;
  /** For `no_role`: the claim, and its values that give a role. */
  asks: { claim: string; roles: { role: 'admin' | 'operator' | 'support'; values: string[] }[] } | null;
}

/** The sign-in beside that with a token, and the refusal of the last one, which is shown once. */
export interface SignInOptions {
  provider: { label: string } | null;
  refusal: SignInRefusal | null;
}

export const signInOptionsQuery = queryOptions({
  queryKey: ['session', 'options'],
  queryFn: () => call<SignInOptions>('GET', '/console/oidc'),
  staleTime: Number.POSITIVE_INFINITY,
  // Asked once: the gateway removes the refusal when it has answered.
  gcTime: 0,
});

/** Leaves for the identity provider, which leads back to the present address. */
export async function leaveForProvider(): Promise<void> {
  const here = location.pathname + location.search;
  const returnTo = here.startsWith(CONSOLE_PATH) ? here.slice(CONSOLE_PATH.length) : '';
  const isPlain = returnTo.length <= 1000 && /^[\w\-./?&=%+~:,!*'()@]*$/.test(returnTo);
  const { url } = await call<{ url: string }>('POST', '/console/oidc', {
    body: { return_to: isPlain ? returnTo : '' },
  });
  location.assign(url);
}

/** Scopes of an operator who only reads. */
const READS: readonly string[] = ['messages:read', 'templates:read', 'events:read', 'number:read'];

/** Returns true if the caller may call operations of a scope, for the organization that the pages show. */
export function may(session: Session, scope: string): boolean {
  if (session.kind === 'operator') return session.role !== 'support' || READS.includes(scope);
  return session.scopes === null || session.scopes.includes(scope);
}

/** Returns true if the caller is an operator who may change tenants, accounts and numbers. */
export function mayOperate(session: Session): boolean {
  return session.kind === 'operator' && session.role !== 'support';
}

/** Shows the pages of a session, or the sign-in without one. What an earlier session read is forgotten. */
export function changeSession(client: QueryClient, session: Session | null): void {
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION_KEY[0] });
  client.setQueryData(SESSION_KEY, session);
}
