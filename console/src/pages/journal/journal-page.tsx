import { Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { mayOperate } from '../../api/session.ts';
import { useSession } from '../../api/session-context.ts';
import type { AnswerOf } from '../../api/shapes.ts';
import { useApi } from '../../api/use-api.ts';
import { ConfirmButton } from '../../parts/actions.tsx';
import { type Column, DataTable, Paging } from '../../parts/data-table.tsx';
import { DialogButton } from '../../parts/dialog.tsx';
import { JsonBlock } from '../../parts/facts.tsx';
import { MomentFilter } from '../../parts/filter-fields.tsx';
import { useFilters } from '../../parts/filters.ts';
import { Page } from '../../parts/page.tsx';
import { StateDot } from '../../parts/state-dot.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { useTexts } from '../../preferences/preferences.tsx';
import { Time } from '../../preferences/times.tsx';

type Payload = AnswerOf<'listUpstreamPayloads'>['data'][number];

const PAGE = 30;
const HOUR_MS = 3_600_000;

/** The webhooks of the platform as they arrived, and the way to apply those of a time once more. */
export function JournalPage() {
  const { tools } = useTexts();
  const text = tools.journal;
  const api = useApi();
  const session = useSession();
  const { filters } = useFilters();
  const { after, from = startOfHour(), to } = filters;
  const query = useQuery({
    queryKey: ['journal', from, to, after],
    queryFn: ({ signal }) =>
      api.get<AnswerOf<'listUpstreamPayloads'>>('/admin/v1/upstream-journal', { limit: PAGE, from, to, after }, signal),
  });
  const columns: Column<Payload>[] = [
    { title: text.received, cell: ({ received_at }) => <Time at={received_at} /> },
    { title: text.state, cell: (payload) => <PayloadState payload={payload} /> },
    { title: text.payload, isWide: true, cell: ({ payload }) => <Text size="sm">{subjectOf(payload)}</Text> },
    {
      title: '',
      align: 'right',
      cell: ({ payload, payload_base64 }) => (
        <DialogButton label={text.show} size="compact-xs" wide>
          {() => <JsonBlock label={text.payload} value={payload ?? payload_base64} />}
        </DialogButton>
      ),
    },
  ];
  return (
    <Page title={text.title} intro={text.intro} actions={mayOperate(session) && <Replay from={filters.from} to={to} />}>
      <Group align="flex-end" gap="xs" role="search">
        <MomentFilter name="from" label={text.from} fallback={from} />
        <MomentFilter name="to" label={text.to} />
      </Group>
      <Loaded query={query}>
        {({ data, next }) =>
          data.length === 0 ? (
            <Empty title={text.empty}>{text.emptyWhy}</Empty>
          ) : (
            <>
              <DataTable label={text.title} columns={columns} rows={data} keyOf={({ id }) => String(id)} />
              <Paging next={data.length === 0 ? null : next} />
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

/** The start of the hour before, so that the address stays the same for an hour. */
function startOfHour(): string {
  return new Date(Math.floor(Date.now() / HOUR_MS) * HOUR_MS - HOUR_MS).toISOString();
}

function Replay({ from, to }: { from: string | undefined; to: string | undefined }) {
  const { tools } = useTexts();
  const text = tools.journal;
  const api = useApi();
  if (from === undefined || to === undefined) {
    return (
      <Text size="xs" c="dimmed" maw={260}>
        {text.replayNeeds}
      </Text>
    );
  }
  const replay = () => api.send<{ payloads: number }>('POST', '/admin/v1/upstream-journal/replay', { from, to });
  return (
    <ConfirmButton
      label={text.replay}
      question={text.replayAsk}
      run={replay}
      result={(answer) => text.replayDone((answer as { payloads: number }).payloads)}
    />
  );
}

function PayloadState({ payload: { pending, failure } }: { payload: Payload }) {
  const { tools } = useTexts();
  const text = tools.journal;
  if (failure !== null) {
    return (
      <>
        <StateDot tone="bad">{text.failed}</StateDot>
        <Text size="xs">{failure}</Text>
      </>
    );
  }
  return pending ? <StateDot tone="warn">{text.pending}</StateDot> : <StateDot tone="good">{text.applied}</StateDot>;
}

/** Returns the fields and kinds of changes in a payload. */
function subjectOf(payload: Payload['payload']): string {
  const entries = Array.isArray(payload?.entry)
    ? (payload.entry as { changes?: { field?: string; value?: object }[] }[])
    : [];
  const changes = entries.flatMap(({ changes = [] }) => changes);
  const names = changes.map(({ field, value = {} }) => {
    const kind = ['statuses', 'messages', 'errors'].find((key) => key in value);
    return kind === undefined || kind === field ? (field ?? '?') : `${field}: ${kind}`;
  });
  return [...new Set(names)].join(', ');
}
