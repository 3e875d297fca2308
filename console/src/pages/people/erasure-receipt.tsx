import { Progress, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { AnswerOf } from '../../api/shapes.ts';
import { useApi, useOrganization } from '../../api/use-api.ts';
import { Copyable, Facts } from '../../parts/facts.tsx';
import { Section } from '../../parts/page.tsx';
import { StateDot } from '../../parts/state-dot.tsx';
import { Loaded } from '../../parts/states.tsx';
import { useTexts } from '../../preferences/preferences.tsx';
import { Time, useTimes } from '../../preferences/times.tsx';

const POLL_MS = 1000;
const TONES = { waiting: 'warn', running: 'info', done: 'good' } as const;

/** The receipt of an erasure. Its counts grow until the erasure is done. */
export function ErasureReceipt({ id }: { id: string }) {
  const { governance } = useTexts();
  const text = governance.people;
  const api = useApi();
  const times = useTimes();
  const organization = useOrganization();
  const query = useQuery({
    queryKey: ['erasure', organization, id],
    enabled: organization !== undefined,
    queryFn: ({ signal }) =>
      api.get<AnswerOf<'getErasure'>>(`/v1/erasures/${encodeURIComponent(id)}`, undefined, signal),
    refetchInterval: ({ state }) => (state.data?.status === 'done' ? false : POLL_MS),
  });
  return (
    <Section title={text.receipt}>
      <Loaded query={query} rows={4}>
        {(erasure) => (
          <Stack gap="sm">
            <div role="status">
              <StateDot tone={TONES[erasure.status]}>{text.statuses[erasure.status] ?? erasure.status}</StateDot>
              <Text size="sm">{text.statusHints[erasure.status]}</Text>
            </div>
            {erasure.status !== 'done' && <Progress value={100} animated aria-label={text.receipt} />}
            <Facts
              facts={[
                [text.erasedMessages, times.number(erasure.messages)],
                [text.erasedEvents, times.number(erasure.events)],
                [text.erasedPayloads, times.number(erasure.payloads)],
                [text.requested, <Time key="requested" at={erasure.requested_at} />],
                [text.finished, erasure.finished_at && <Time key="finished" at={erasure.finished_at} />],
                [text.receipt, <Copyable key="id" value={erasure.id} />],
              ]}
            />
            <Text size="xs" c="dimmed">
              {text.receiptHint}
            </Text>
          </Stack>
        )}
      </Loaded>
    </Section>
  );
}
