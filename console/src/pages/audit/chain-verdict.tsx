import { Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { organizationsQuery } from '../../api/organizations.ts';
import { useSession } from '../../api/session-context.ts';
import type { AnswerOf } from '../../api/shapes.ts';
import { useApi } from '../../api/use-api.ts';
import { Copyable } from '../../parts/facts.tsx';
import { StateDot } from '../../parts/state-dot.tsx';
import { FailureNote } from '../../parts/states.tsx';
import { useTexts } from '../../preferences/preferences.tsx';
import { useTimes } from '../../preferences/times.tsx';

/** The check of a chain, of the organization, or of the deployment without one. It reads the whole chain, so it waits for a press of its button. */
export function ChainVerdict({ path, organization }: { path: string; organization: string | undefined }) {
  const { governance } = useTexts();
  const text = governance.audit;
  const api = useApi();
  const times = useTimes();
  const session = useSession();
  const isOwn = path === '/v1/audit';
  const organizations = useQuery({ ...organizationsQuery, enabled: session.kind === 'operator' });
  const [asked, setAsked] = useState<{ organization: string | undefined }>();
  const isAsked = asked !== undefined && asked.organization === organization;
  const query = useQuery({
    queryKey: ['audit-verdict', organization],
    enabled: isAsked && (!isOwn || organization !== undefined),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    queryFn: ({ signal }) =>
      api.get<AnswerOf<'verifyAudit'>>(
        `${path}/verification`,
        isOwn ? {} : { organization_id: organization ?? 'none' },
        signal,
      ),
  });
  const name =
    organization === undefined
      ? text.deployment
      : (organizations.data?.find(({ id }) => id === organization)?.name ?? session.organization?.name ?? organization);
  if (query.isError) return <FailureNote error={query.error} onRetry={() => void query.refetch()} />;
  const { intact, rows, problem, head } = query.data ?? {};
  return (
    <Group gap="xs" role="status">
      <Text size="sm" fw={600}>
        {text.chain(name)}
      </Text>
      {!isAsked && (
        <Button size="compact-xs" variant="default" onClick={() => setAsked({ organization })}>
          {text.check}
        </Button>
      )}
      {isAsked && intact === undefined && <Text size="sm">{text.checking}</Text>}
      <Text size="sm" component="div">
        {intact === true && <StateDot tone="good">{text.intact(times.number(rows ?? 0))}</StateDot>}
        {problem && <StateDot tone="bad">{text.broken(problem.sequence, problem.reason)}</StateDot>}
      </Text>
      {head && (
        <Text size="sm" c="dimmed" component="span" title={text.headHint}>
          {text.head}: <Copyable value={`${head.sequence}:${head.digest}`} />
        </Text>
      )}
    </Group>
  );
}
