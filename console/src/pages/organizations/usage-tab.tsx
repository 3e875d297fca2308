import { Button, Group, Progress, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Schema } from '../../api/shapes.ts';
import { useApi } from '../../api/use-api.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Figures } from '../../parts/figures.tsx';
import { useFilters } from '../../parts/filters.ts';
import { Section } from '../../parts/page.tsx';
import { saveFile } from '../../parts/save-file.ts';
import { Empty, Loaded } from '../../parts/states.tsx';
import { useTexts } from '../../preferences/preferences.tsx';
import { useTimes } from '../../preferences/times.tsx';
import { groupsToCsv } from './usage-csv.ts';
import { UsageDays } from './usage-days.tsx';

type Usage = Schema<'Usage'>;
type UsageGroup = NonNullable<Usage['groups']>[number];

const DIMENSIONS = ['category', 'country', 'template', 'number', 'api_key', 'pricing_type'] as const;
type Dimension = (typeof DIMENSIONS)[number];

/**
 * The usage of a month: its sums, and the delivered messages by one dimension as bars, table and file.
 * @param isOwn true for a key, which reads its own organization and no single days
 */
export function UsageTab({ id, isOwn = false }: { id: string; isOwn?: boolean }) {
  const { tenants } = useTexts();
  const text = tenants.usage;
  const api = useApi();
  const times = useTimes();
  const { filters, setFilters } = useFilters();
  const month = filters.month ?? new Date().toISOString().slice(0, 7);
  const by = DIMENSIONS.find((name) => name === filters.by) ?? 'category';
  const path = isOwn ? '/v1/usage' : `/admin/v1/organizations/${id}/usage`;
  const query = useQuery({
    queryKey: ['usage', id, month, by],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => api.get<Usage>(path, { month, group_by: by }, signal),
  });
  return (
    <Stack>
      <Group align="flex-end">
        <TextInput
          type="month"
          size="xs"
          label={text.month}
          value={month}
          max={new Date().toISOString().slice(0, 7)}
          onChange={(event) => setFilters({ month: event.currentTarget.value || undefined }, true)}
        />
        <div>
          <Text size="xs" fw={500} id="usage-by">
            {text.by}
          </Text>
          <SegmentedControl
            size="xs"
            aria-labelledby="usage-by"
            value={by}
            onChange={(value) => setFilters({ by: value })}
            data={DIMENSIONS.map((value) => ({ value, label: text.groups[value] ?? value }))}
            className="wrapping-control"
          />
        </div>
      </Group>
      <Loaded query={query}>
        {(usage) => (
          <>
            <Figures
              figures={[
                [text.accepted, times.number(usage.accepted)],
                [text.sent, times.number(usage.sent)],
                [text.delivered, times.number(usage.delivered)],
                [text.failed, times.number(usage.failed)],
                [text.spent, times.number(usage.spent)],
              ]}
            />
            {!isOwn && <UsageDays id={id} month={month} by={by === 'category' || by === 'country' ? by : undefined} />}
            <Groups usage={usage} by={by} month={month} id={id} />
          </>
        )}
      </Loaded>
    </Stack>
  );
}

function Groups({ usage, by, month, id }: { usage: Usage; by: Dimension; month: string; id: string }) {
  const { tenants } = useTexts();
  const text = tenants.usage;
  const times = useTimes();
  const groups = (usage.groups ?? []).toSorted((a, b) => b.messages - a.messages);
  const highest = Math.max(1, ...groups.map(({ messages }) => messages));
  const columns: Column<UsageGroup>[] = [
    { title: text.groups[by] ?? by, cell: (group) => group[by] ?? text.other },
    {
      title: text.messages,
      isWide: true,
      width: '40%',
      cell: ({ messages }) => <Progress value={(messages / highest) * 100} size="lg" aria-label={String(messages)} />,
    },
    { title: '#', align: 'right', cell: ({ messages }) => times.number(messages) },
    { title: text.charged, align: 'right', cell: ({ charged }) => times.number(charged) },
  ];
  const save = () => saveFile(`usage-${id}-${month}-by-${by}.csv`, groupsToCsv(groups, by), 'text/csv');
  return (
    <Section
      title={`${text.delivered}: ${text.groups[by] ?? by}`}
      actions={
        <Button size="xs" variant="default" onClick={save} disabled={groups.length === 0}>
          {text.csv}
        </Button>
      }
    >
      {groups.length === 0 ? (
        <Empty title={month}>{text.empty}</Empty>
      ) : (
        <DataTable label={text.delivered} columns={columns} rows={groups} keyOf={(group) => String(group[by])} />
      )}
    </Section>
  );
}
