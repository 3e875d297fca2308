import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { useFilters } from '../../parts/filters.ts';
import { Section } from '../../parts/page.tsx';
import { StateDot } from '../../parts/state-dot.tsx';
import { Loaded } from '../../parts/states.tsx';
import { useTexts } from '../../preferences/preferences.tsx';
import { Time } from '../../preferences/times.tsx';
import { simulate } from './simulate.ts';

interface SendRecord {
  sequence: number;
  arrived_at: number;
  to: string | null;
  type: string | null;
  outcome: { kind: string; code?: number | null };
  fault: string | null;
}

const SHOWN = 20;

/** The newest requests for messages that the simulated platform received. */
export function PlatformSends() {
  const { tools } = useTexts();
  const text = tools.playground;
  const { filters } = useFilters();
  const query = useQuery({
    queryKey: ['platform-sends', filters.number],
    refetchInterval: 2000,
    queryFn: async ({ signal }) => {
      const wanted = { phone_number_id: filters.number };
      const { total } = await simulate<{ total: number }>('GET', 'sends', undefined, { ...wanted, limit: 1 }, signal);
      const after = Math.max(0, total - SHOWN * 5);
      const answer = await simulate<{ data: SendRecord[] }>('GET', 'sends', undefined, { ...wanted, after }, signal);
      return answer.data.slice(-SHOWN).toReversed();
    },
  });
  const columns: Column<SendRecord>[] = [
    { title: text.arrived, cell: ({ arrived_at }) => <Time at={new Date(arrived_at).toISOString()} clock /> },
    { title: text.to, cell: ({ to }) => to ?? '–' },
    { title: text.type, isWide: true, cell: ({ type }) => type ?? '–' },
    {
      title: text.outcome,
      cell: ({ outcome, fault }) => (
        <StateDot tone={outcome.kind === 'rejected' || outcome.kind === 'dropped' ? 'bad' : 'good'}>
          {[outcome.kind, outcome.code, fault].filter(Boolean).join(' · ')}
        </StateDot>
      ),
    },
  ];
  return (
    <Section title={text.seen}>
      <Loaded query={query} rows={3}>
        {(sends) =>
          sends.length === 0 ? (
            <Text size="sm" c="dimmed">
              {text.noTalk}
            </Text>
          ) : (
            <DataTable label={text.seen} columns={columns} rows={sends} keyOf={({ sequence }) => String(sequence)} />
          )
        }
      </Loaded>
    </Section>
  );
}
