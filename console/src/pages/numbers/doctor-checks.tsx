import { Button, List, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { mayOperate } from '../../api/session.ts';
import { useSession } from '../../api/session-context.ts';
import type { AnswerOf, Schema } from '../../api/shapes.ts';
import { useApi, useOrganization } from '../../api/use-api.ts';
import { ConfirmButton } from '../../parts/actions.tsx';
import { Section } from '../../parts/page.tsx';
import { StateDot, type Tone } from '../../parts/state-dot.tsx';
import { Loaded } from '../../parts/states.tsx';
import { useTexts } from '../../preferences/preferences.tsx';

type Finding = Schema<'DoctorFinding'>;

const TONES: Record<string, Tone> = { ok: 'good', warning: 'warn', failed: 'bad', skipped: 'idle' };

/** The doctor's findings about the organization, and the repair of those that it can repair. */
export function DoctorChecks() {
  const { accounts } = useTexts();
  const api = useApi();
  const session = useSession();
  const organization = useOrganization();
  const query = useQuery({
    queryKey: ['doctor', organization],
    // The checks ask the platform: they run once, and again on request.
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) =>
      api.get<AnswerOf<'runDoctor'>>('/admin/v1/doctor', { organization_id: organization }, signal),
  });
  const canFix = mayOperate(session) && query.data?.findings.some(({ fixable }) => fixable);
  const fix = () => api.send<AnswerOf<'fixFindings'>>('POST', `/admin/v1/doctor/fixes?organization_id=${organization}`);
  return (
    <Section
      title={accounts.checks}
      actions={
        <>
          {canFix && (
            <ConfirmButton
              label={accounts.fix}
              question={accounts.fixAsk}
              run={fix}
              result={(answer) => <Fixes fixes={(answer as AnswerOf<'fixFindings'>).fixes} />}
            />
          )}
          <Button size="xs" variant="default" loading={query.isFetching} onClick={() => void query.refetch()}>
            {accounts.checksRun}
          </Button>
        </>
      }
    >
      <Loaded query={query} rows={4}>
        {({ findings }) => <Findings findings={findings} />}
      </Loaded>
    </Section>
  );
}

/** The findings that are not fine. */
function Findings({ findings }: { findings: readonly Finding[] }) {
  const { accounts } = useTexts();
  const bad = findings.filter(({ status }) => status === 'failed' || status === 'warning');
  if (bad.length === 0) return <StateDot tone="good">{accounts.checksNone}</StateDot>;
  return (
    <Stack gap="sm">
      {bad.map((finding) => (
        <div key={`${finding.id} ${finding.subject}`}>
          <Text size="sm" fw={600} component="div">
            <StateDot tone={TONES[finding.status] ?? 'idle'}>
              {accounts.statuses[finding.status] ?? finding.status}: {finding.subject}
            </StateDot>
          </Text>
          <Text size="sm">{finding.message}</Text>
          {finding.advice !== null && (
            <Text size="sm" c="dimmed">
              {finding.advice}
            </Text>
          )}
        </div>
      ))}
    </Stack>
  );
}

function Fixes({ fixes }: AnswerOf<'fixFindings'>) {
  const { accounts } = useTexts();
  if (fixes.length === 0) return <Text size="sm">{accounts.fixesNone}</Text>;
  return (
    <List size="sm">
      {fixes.map(({ id, subject, done, message }) => (
        <List.Item key={`${id} ${subject}`}>
          <StateDot tone={done ? 'good' : 'bad'}>{subject}</StateDot> {message}
        </List.Item>
      ))}
    </List>
  );
}
