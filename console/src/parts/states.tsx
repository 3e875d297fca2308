import { Alert, Anchor, Button, Group, Loader, Skeleton, Stack, Text, Title } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ApiFailure } from '../api/call.ts';
import { useTexts } from '../preferences/preferences.tsx';

/** Grey bars in place of a list or page that is being loaded. */
function Loading({ rows = 6 }: { rows?: number }) {
  const { shell } = useTexts();
  return (
    <Stack gap="xs" role="status" aria-label={shell.loading}>
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the bars are all alike
        <Skeleton key={row} height={28} radius="sm" />
      ))}
    </Stack>
  );
}

/** The whole page while its code or session is being loaded. */
export function LoadingPage() {
  const { shell } = useTexts();
  return (
    <Group justify="center" mih="40vh" role="status" aria-label={shell.loading}>
      <Loader type="dots" />
    </Group>
  );
}

/** Says that there is nothing, and what to do about it. */
export function Empty({ title, children, action }: { title: string; children: ReactNode; action?: ReactNode }) {
  return (
    <Stack align="center" gap="xs" py="xl" px="md">
      <Title order={2}>{title}</Title>
      <Text c="dimmed" ta="center" maw={520}>
        {children}
      </Text>
      {action}
    </Stack>
  );
}

/** Shows a failure with the next step. */
export function FailureNote({ error, onRetry, title }: { error: unknown; onRetry?: () => void; title?: string }) {
  const { shell } = useTexts();
  const failure = error instanceof ApiFailure ? error : undefined;
  const advice = failure && (shell.failures[failure.code] ?? shell.failures[failure.status === 403 ? 'FORBIDDEN' : '']);
  return (
    <Alert color="var(--fairway-bad)" variant="outline" title={title ?? shell.failedTitle} role="alert">
      <Stack gap="xs">
        {advice !== undefined && <Text size="sm">{advice}</Text>}
        <Text size="sm">{error instanceof Error ? error.message : String(error)}</Text>
        {failure?.details.providerMessage && <Text size="sm">{failure.details.providerMessage}</Text>}
        <Group gap="md">
          {onRetry && (
            <Button size="xs" variant="default" onClick={onRetry}>
              {shell.retry}
            </Button>
          )}
          {failure?.details.docUrl !== undefined && (
            <Anchor size="sm" href={failure.details.docUrl} target="_blank">
              {failure.code}: {shell.explainCode}
            </Anchor>
          )}
          {failure?.details.requestId !== undefined && (
            <Text size="xs" c="dimmed" ff="monospace">
              {shell.requestId} {failure.details.requestId}
            </Text>
          )}
        </Group>
      </Stack>
    </Alert>
  );
}

/** Shows a query's answer, or that it loads or failed. */
export function Loaded<Answer>({
  query,
  rows,
  children,
}: {
  query: UseQueryResult<Answer>;
  rows?: number;
  children: (answer: Answer) => ReactNode;
}) {
  if (query.data !== undefined) {
    return (
      <>
        {query.isError && <FailureNote error={query.error} onRetry={() => void query.refetch()} />}
        {children(query.data)}
      </>
    );
  }
  if (query.isError) return <FailureNote error={query.error} onRetry={() => void query.refetch()} />;
  return <Loading rows={rows} />;
}
