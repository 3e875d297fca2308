import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useApi } from '../../api/use-api.ts';
import { Beginning, type Column, DataTable } from '../../parts/data-table.tsx';
import { Figures } from '../../parts/figures.tsx';
import { TextLink } from '../../parts/link.tsx';
import { Page, Section } from '../../parts/page.tsx';
import { type Line, Plot } from '../../parts/plot.tsx';
import { STATE_COLORS } from '../../parts/plot-colors.ts';
import { StateDot } from '../../parts/state-dot.tsx';
import { Loaded } from '../../parts/states.tsx';
import { useTexts } from '../../preferences/preferences.tsx';
import { Time, useTimes } from '../../preferences/times.tsx';
import { AttentionList } from './attention-list.tsx';
import type { Minute, NodeState, Overview } from './overview.ts';

/** Figures are by minute, and those of nodes a few seconds old. The browser asks nothing while the page is hidden. */
const POLL_MS = 5000;

/** The state of the whole gateway, its last hour, and what needs a person. */
export function NowPage() {
  const { queue } = useTexts();
  const api = useApi();
  const query = useQuery({
    queryKey: ['overview'],
    queryFn: ({ signal }) => api.get<Overview>('/admin/v1/overview', undefined, signal),
    refetchInterval: POLL_MS,
  });
  return (
    <Page title={queue.now.title} intro={queue.now.intro}>
      <Loaded query={query}>
        {(overview) => (
          <Stack>
            <Totals overview={overview} />
            <Section title={queue.now.attention}>
              <Beginning rows={overview.attention} step={10}>
                {(shown) => <AttentionList entries={shown} />}
              </Beginning>
            </Section>
            <Section title={queue.now.perMinute}>
              <LastHour minutes={overview.minutes} />
            </Section>
            <Section title={queue.now.nodes}>
              <Nodes nodes={overview.nodes} />
            </Section>
          </Stack>
        )}
      </Loaded>
    </Page>
  );
}

function Totals({ overview }: { overview: Overview }) {
  const { queue } = useTexts();
  const text = queue.now;
  const times = useTimes();
  const { minutes, queue: waiting, webhooks } = overview;
  const hour = (name: keyof typeof STATE_COLORS) =>
    `${times.number(minutes.reduce((sum, minute) => sum + minute[name], 0))} ${text.lastHour}`;
  // The newest minute has just begun: the one before shows how much a minute brings.
  const last = minutes.at(-2);
  const figure = (name: keyof typeof STATE_COLORS) =>
    [
      text[name],
      <>
        {times.number(last?.[name] ?? 0)}
        <Text span size="sm" fw={400}>
          {' '}
          {text.aMinute}
        </Text>
      </>,
      hour(name),
    ] as const;
  return (
    <Figures
      figures={[
        [
          text.waiting,
          <TextLink key="queue" to="/queue">
            {waiting === null ? '–' : times.number(waiting.waiting)}
          </TextLink>,
          waiting !== null && waiting.waiting > 0
            ? `${text.oldest} ${times.duration(waiting.oldest_wait_seconds * 1000)}`
            : undefined,
        ],
        figure('accepted'),
        figure('sent'),
        figure('delivered'),
        figure('failed'),
        [
          text.webhookLag,
          times.duration(webhooks.oldest_wait_seconds * 1000),
          `${text.webhookWaiting}: ${times.number(webhooks.endpoints_waiting)}`,
        ],
      ]}
    />
  );
}

function LastHour({ minutes }: { minutes: readonly Minute[] }) {
  const { queue } = useTexts();
  const names = Object.keys(STATE_COLORS) as (keyof typeof STATE_COLORS)[];
  const lines = names.map(
    (name): Line => ({
      label: queue.now[name],
      color: STATE_COLORS[name],
      ...(name === 'accepted' && { dash: [6, 4] }),
      values: minutes.map((minute) => minute[name]),
    }),
  );
  return <Plot label={queue.now.perMinute} times={minutes.map(({ at }) => Date.parse(at))} lines={lines} />;
}

function Nodes({ nodes }: { nodes: readonly NodeState[] }) {
  const { queue } = useTexts();
  const text = queue.now;
  const times = useTimes();
  const columns: Column<NodeState>[] = [
    {
      title: text.node,
      cell: ({ id, alive }) => (
        <>
          <StateDot tone={alive ? 'good' : 'bad'}>{id.slice(0, 8)}</StateDot>
          {!alive && <Text size="xs">{text.lost}</Text>}
        </>
      ),
    },
    { title: text.roles, isWide: true, cell: ({ roles }) => roles.join(', ') },
    { title: text.numbersOf, align: 'right', cell: ({ report }) => report?.numbers ?? '–' },
    {
      title: text.perSecond,
      align: 'right',
      cell: ({ report }) => (report === null ? '–' : times.number(report.sent_per_second)),
    },
    { title: text.inFlight, align: 'right', isWide: true, cell: ({ report }) => report?.in_flight ?? '–' },
    {
      title: text.memory,
      align: 'right',
      isWide: true,
      cell: ({ report }) => (report === null ? '–' : `${times.number(Math.round(report.memory_bytes / 1e6))} MB`),
    },
    { title: text.seen, isWide: true, cell: ({ seen_at }) => <Time at={seen_at} /> },
  ];
  return <DataTable label={text.nodes} columns={columns} rows={nodes} keyOf={({ id }) => id} />;
}
