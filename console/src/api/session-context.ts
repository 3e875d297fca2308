import { createContext, use } from 'react';
import type { Session } from './session.ts';

const Context = createContext<Session | undefined>(undefined);

/** Gives the session to the pages. */
export const SessionProvider = Context.Provider;

/** Returns the session. Components below the sign-in have one. */
export function useSession(): Session {
  const session = use(Context);
  if (session === undefined) throw new Error('There is no session.');
  return session;
}
