import { Button, Divider, List, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { ApiFailure } from '../api/call.ts';
import { leaveForProvider, type SignInOptions, type SignInRefusal } from '../api/session.ts';
import { FailureNote } from '../parts/states.tsx';
import { useTexts } from '../preferences/preferences.tsx';

/** Offers the sign-in by the identity provider, and explains why the last one was refused. */
export function ProviderSignIn({ options: { provider, refusal } }: { options: SignInOptions }) {
  const text = useTexts().shell.signIn.provider;
  const leave = useMutation({ mutationFn: leaveForProvider });
  if (provider === null) return null;
  // After an answer the browser leaves, so the button stays busy.
  const isBusy = leave.isPending || leave.isSuccess;
  return (
    <Stack>
      {refusal !== null && !isBusy && !leave.isError && <Refusal refusal={refusal} />}
      {leave.isError && <LeaveFailure error={leave.error} />}
      <Button onClick={() => leave.mutate()} loading={isBusy}>
        {text.submit(provider.label)}
      </Button>
      <Divider label={text.or} />
    </Stack>
  );
}

function Refusal({ refusal: { reason, account, asks } }: { refusal: SignInRefusal }) {
  const { shell } = useTexts();
  const text = shell.signIn.provider;
  return (
    <Stack gap="xs" role="alert">
      <Text c="var(--fairway-bad)" size="sm">
        {text.reasons[reason]}
      </Text>
      {account !== null && <Text size="sm">{text.account(account)}</Text>}
      {asks !== null && (
        <>
          <Text size="sm">{text.ask(asks.claim)}</Text>
          <List size="sm">
            {asks.roles.map(({ role, values }) => (
              <List.Item key={role}>
                {values.join(', ')}: {shell.roles[role]}
              </List.Item>
            ))}
          </List>
        </>
      )}
    </Stack>
  );
}

function LeaveFailure({ error }: { error: unknown }) {
  const { shell } = useTexts();
  if (!(error instanceof ApiFailure && error.status === 503)) {
    return <FailureNote error={error} title={shell.signIn.title} />;
  }
  return (
    <Text c="var(--fairway-bad)" size="sm" role="alert">
      {shell.signIn.provider.reasons.unreachable}
    </Text>
  );
}
