import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { ApiFailure, call } from './call.ts';

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

export function signOut(): Promise<void> {
  return call('DELETE', '/console/session');
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
