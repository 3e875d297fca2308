import { Button, Container, Paper, PasswordInput, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useEffect, useState } from 'react';
import { ApiFailure } from '../api/call.ts';
import { type Credential, changeSession, signIn, signInOptionsQuery } from '../api/session.ts';
import { FailureNote } from '../parts/states.tsx';
import { useTexts } from '../preferences/preferences.tsx';
import { PreferencesMenu } from '../shell/preferences-menu.tsx';
import { ProviderSignIn } from './provider-sign-in.tsx';

/** One-time code in the fragment of the address, which no server sees. */
function takeLink(): string | undefined {
  const code = new URLSearchParams(location.hash.slice(1)).get('link');
  if (code === null) return undefined;
  history.replaceState(history.state, '', location.pathname + location.search);
  return code;
}

/** Asks for a token, or offers the identity provider. The page behind it stays in the address, and opens after the sign-in. */
export function SignInPage({ hasEnded }: { hasEnded: boolean }) {
  const { shell } = useTexts();
  const client = useQueryClient();
  const [token, setToken] = useState('');
  const options = useQuery(signInOptionsQuery);
  const attempt = useMutation({
    mutationFn: (credential: Credential) => signIn(credential),
    onSuccess: (session) => changeSession(client, session),
  });
  const { mutate } = attempt;
  useEffect(() => {
    const link = takeLink();
    if (link !== undefined) mutate({ link });
  }, [mutate]);
  useDocumentTitle(`${shell.signIn.title} · ${shell.product}`);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    mutate({ token: token.trim() });
  };
  const isLink = attempt.variables !== undefined && 'link' in attempt.variables;
  return (
    <Container size={420} py={{ base: 'xl', sm: 80 }} component="main">
      <Stack>
        <Title order={1} ta="center">
          {shell.product}
        </Title>
        <Paper withBorder p="lg" component="form" onSubmit={submit}>
          <Stack>
            {hasEnded && !attempt.isError && <Text role="status">{shell.signIn.ended}</Text>}
            {options.data !== undefined && <ProviderSignIn options={options.data} />}
            <PasswordInput
              label={shell.signIn.token}
              description={shell.signIn.tokenHint}
              value={token}
              onChange={(event) => setToken(event.currentTarget.value)}
              autoComplete="current-password"
              name="token"
              required
              autoFocus
            />
            <Refusal error={attempt.error} isLink={isLink} />
            <Button type="submit" variant={options.data?.provider ? 'default' : 'filled'} loading={attempt.isPending}>
              {attempt.isPending && isLink ? shell.signIn.withLink : shell.signIn.submit}
            </Button>
          </Stack>
        </Paper>
        <PreferencesMenu />
      </Stack>
    </Container>
  );
}

function Refusal({ error, isLink }: { error: unknown; isLink: boolean }) {
  const { shell } = useTexts();
  if (error === null) return null;
  if (error instanceof ApiFailure && error.status === 401) {
    return (
      <Text c="var(--fairway-bad)" size="sm" role="alert">
        {isLink ? shell.signIn.linkUsed : shell.signIn.refused}
      </Text>
    );
  }
  if (error instanceof ApiFailure && error.status === 429) {
    return (
      <Text c="var(--fairway-bad)" size="sm" role="alert">
        {shell.signIn.limited(error.details.retryAfterS ?? 60)}
      </Text>
    );
  }
  return <FailureNote error={error} title={shell.signIn.title} />;
}
