import { Button, Stack, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Schema } from '../../api/shapes.ts';
import { useApi } from '../../api/use-api.ts';
import { Section } from '../../parts/page.tsx';
import { type Line, Plot } from '../../parts/plot.tsx';
import { SERIES, STATE_COLORS } from '../../parts/plot-colors.ts';
import { saveFile } from '../../parts/save-file.ts';
import { Empty, Loaded } from '../../parts/states.tsx';
import { useTexts } from '../../preferences/preferences.tsx';
import { daysToCsv } from './usage-csv.ts';

type Day = Schema<'UsageDays'>['days'][number];
type By = 'category' | 'country' | undefined;

/** The days of a month: messages by state, and cost in total, by category or by country. */
export function UsageDays({ id, month, by }: { id: string; month: string; by: By }) {
  const { tenants } = useTexts();
  const text = tenants.usage;
  const api = useApi();
  const query = useQuery({
    queryKey: ['usage-days', id, month, by],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      api.get<Schema<'UsageDays'>>(`/admin/v1/organizations/${id}/usage/days`, { month, group_by: by }, signal),
  });
  const days = query.data?.days ?? [];
  const save = () =>
    saveFile(`usage-${id}-${month}-by-day${by === undefined ? '' : `-and-${by}`}.csv`, daysToCsv(days, by), 'text/csv');
  return (
    <Section
      title={text.days}
      actions={
        <Button size="xs" variant="default" onClick={save} disabled={days.length === 0}>
          {text.daysCsv}
        </Button>
      }
    >
      <Loaded query={query} rows={4}>
        {() => (days.length === 0 ? <Empty title={month}>{text.empty}</Empty> : <DayPlots days={days} by={by} />)}
      </Loaded>
    </Section>
  );
}

function DayPlots({ days, by }: { days: readonly Day[]; by: By }) {
  const { tenants, queue } = useTexts();
  const text = tenants.usage;
  const times = days.map(({ day }) => Date.parse(day));
  const states = Object.keys(STATE_COLORS) as (keyof typeof STATE_COLORS)[];
  const counts = states.map(
    (name): Line => ({
      label: queue.now[name],
      color: STATE_COLORS[name],
      ...(name === 'accepted' && { dash: [6, 4] }),
      values: days.map((day) => day[name]),
    }),
  );
  const costs =
    by === undefined
      ? [{ label: text.cost, ...line(0), values: days.map(({ spent }) => spent) }]
      : costLines(days, by, { none: text.other, rest: text.rest });
  return (
    <Stack>
      <Text size="sm" c="dimmed">
        {text.daysIntro}
      </Text>
      <Plot label={text.messages} times={times} lines={counts} unit="day" />
      <Text fw={600} size="sm">
        {by === undefined ? text.cost : text.costBy(text.groups[by] ?? by)}
      </Text>
      <Plot label={text.cost} times={times} lines={costs} unit="day" />
    </Stack>
  );
}

/** Returns the cost of the dearest groups, and of all others as one line. */
function costLines(days: readonly Day[], by: 'category' | 'country', names: { none: string; rest: string }): Line[] {
  const totals = new Map<string, number>();
  const nameOf = (group: NonNullable<Day['groups']>[number]) => group[by] ?? names.none;
  for (const group of days.flatMap(({ groups = [] }) => groups)) {
    totals.set(nameOf(group), (totals.get(nameOf(group)) ?? 0) + group.charged);
  }
  const ranked = [...totals].sort(([, a], [, b]) => b - a).map(([name]) => name);
  const shown = ranked.length <= SERIES.length ? ranked : ranked.slice(0, SERIES.length - 1);
  const sumOf = (day: Day, isOf: (name: string) => boolean) =>
    (day.groups ?? []).reduce((sum, group) => (isOf(nameOf(group)) ? sum + group.charged : sum), 0);
  const lines = shown.map((name, index) => ({
    label: name,
    ...line(index),
    values: days.map((day) => sumOf(day, (one) => one === name)),
  }));
  if (shown.length === ranked.length) return lines;
  const rest = days.map((day) => sumOf(day, (one) => !shown.includes(one)));
  return [...lines, { label: names.rest, ...line(SERIES.length - 1), values: rest }];
}

function line(index: number): Pick<Line, 'color' | 'dash'> {
  return SERIES[index] ?? { color: STATE_COLORS.accepted };
}
