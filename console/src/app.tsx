import { MantineProvider } from '@mantine/core';
import { QueryCache, QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { ApiFailure } from './api/call.ts';
import { SESSION_KEY, sessionQuery } from './api/session.ts';
import { SessionProvider } from './api/session-context.ts';
import { FailureNote, LoadingPage } from './parts/states.tsx';
import { PreferencesProvider, usePreferences } from './preferences/preferences.tsx';
import { router } from './router.tsx';
import { SignInPage } from './sign-in/sign-in-page.tsx';
import { cssVariables, theme } from './theme.ts';

const client: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: endSession }),
  mutationCache: undefined,
  defaultOptions: {
    queries: {
      staleTime: 5000,
      retry: (count, error) =>
        count < 2 && (!(error instanceof ApiFailure) || error.status >= 500 || error.status === 0),
    },
    mutations: { onError: endSession },
  },
});

/** Leads to the sign-in once the gateway refuses the session. */
function endSession(error: unknown): void {
  if (error instanceof ApiFailure && error.status === 401) client.setQueryData(SESSION_KEY, null);
}

export function App({ nonce }: { nonce: string }) {
  return (
    <QueryClientProvider client={client}>
      <MantineProvider
        theme={theme}
        cssVariablesResolver={cssVariables}
        defaultColorScheme="auto"
        getStyleNonce={() => nonce}
      >
        <PreferencesProvider>
          <Gate />
        </PreferencesProvider>
      </MantineProvider>
    </QueryClientProvider>
  );
}

/** Shows the sign-in without a session, otherwise the pages. */
function Gate() {
  const { language } = usePreferences();
  const session = useQuery(sessionQuery);
  const wasSignedIn = useRef(false);
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
  if (session.data) wasSignedIn.current = true;
  if (session.data === null) return <SignInPage hasEnded={wasSignedIn.current} />;
  if (session.data === undefined) {
    return session.isError ? (
      <FailureNote error={session.error} onRetry={() => void session.refetch()} />
    ) : (
      <LoadingPage />
    );
  }
  return (
    <SessionProvider value={session.data}>
      <RouterProvider router={router} />
    </SessionProvider>
  );
}
