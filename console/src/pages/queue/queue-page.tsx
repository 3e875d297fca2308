import { Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import { organizationsQuery } from '../../api/organizations.ts';
import { mayOperate } from '../../api/session.ts';
import { useSession } from '../../api/session-context.ts';
import { useApi, useOrganization } from '../../api/use-api.ts';
import { ConfirmButton } from '../../parts/actions.tsx';
import { Beginning, type Column, DataTable } from '../../parts/data-table.tsx';
import { DialogButton } from '../../parts/dialog.tsx';
import { TextLink } from '../../parts/link.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { useTexts } from '../../preferences/preferences.tsx';
import { Time, useTimes } from '../../preferences/times.tsx';
import { meaningOf } from '../messages/wait-reasons.tsx';
import { CancelDialog } from './cancel-dialog.tsx';
import { FairShares } from './fair-shares.tsx';
import { NextTurns } from './next-turns.tsx';
import { PaceForm } from './pace-form.tsx';
import type { QueuedNumber } from './queued-number.ts';
import { usePlaces } from './tints.ts';

const POLL_MS = 2000;

/** The waiting messages by number: why they wait, and the ways to act on them. */
export function QueuePage() {
  const { queue } = useTexts();
  const text = queue.queue;
  const api = useApi();
  const organization = useOrganization();
  const query = useQuery({
    queryKey: ['queue', organization],
    queryFn: ({ signal }) =>
      api.get<{ numbers_waiting: number; numbers: QueuedNumber[] }>(
        '/admin/v1/queue',
        { organization_id: organization },
        signal,
      ),
    refetchInterval: POLL_MS,
  });
  const organizations = useQuery(organizationsQuery);
  const placeOf = usePlaces();
  return (
    <Page title={text.title} intro={text.intro}>
      <Loaded query={query}>
        {({ numbers, numbers_waiting: all }) =>
          numbers.length === 0 ? (
            <Empty title={text.empty}>{text.emptyWhy}</Empty>
          ) : (
            <Stack>
              <Beginning rows={numbers.toSorted((a, b) => b.queued - a.queued)} step={25}>
                {(shown) => <QueueTable numbers={shown} />}
              </Beginning>
              {all > numbers.length && <Text size="sm">{text.moreNumbers(all - numbers.length)}</Text>}
              <NextTurns organizations={organizations.data ?? []} placeOf={placeOf} />
              <FairShares numbers={numbers} organizations={organizations.data ?? []} placeOf={placeOf} />
            </Stack>
          )
        }
      </Loaded>
    </Page>
  );
}

function QueueTable({ numbers }: { numbers: readonly QueuedNumber[] }) {
  const { queue } = useTexts();
  const text = queue.queue;
  const times = useTimes();
  const session = useSession();
  const organizations = useQuery(organizationsQuery);
  const nameOf = (id: string) => organizations.data?.find((one) => one.id === id)?.name ?? id;
  const columns: Column<QueuedNumber>[] = [
    {
      title: text.number,
      cell: (row) => (
        <>
          <TextLink to="/messages" search={{ org: row.organization_id, number: row.phone_number_id, status: 'queued' }}>
            {row.phone_number_id}
          </TextLink>
          <Text size="xs" c="dimmed">
            {nameOf(row.organization_id)}
          </Text>
        </>
      ),
    },
    { title: text.waiting, align: 'right', cell: ({ queued }) => times.number(queued) },
    {
      title: text.oldest,
      align: 'right',
      isWide: true,
      cell: ({ oldest_wait_seconds }) => times.duration(oldest_wait_seconds * 1000),
    },
    {
      title: text.pace,
      align: 'right',
      isWide: true,
      cell: ({ messages_per_second, used_per_second }) =>
        `${times.number(used_per_second)} / ${times.number(messages_per_second)}`,
    },
    { title: text.why, cell: (row) => <Reasons row={row} /> },
    { title: text.flows, isWide: true, cell: ({ flows }) => <Flows flows={flows} /> },
  ];
  if (mayOperate(session)) columns.push({ title: '', isAction: true, cell: (row) => <Actions row={row} /> });
  return <DataTable label={text.title} columns={columns} rows={numbers} keyOf={(row) => row.phone_number_id} />;
}

function Reasons({ row }: { row: QueuedNumber }) {
  const { queue, messages } = useTexts();
  const { parked_until: until } = row;
  return (
    <Stack gap={2}>
      {row.waits_for.map((reason) => (
        <Text size="sm" key={reason} title={meaningOf(reason, messages)}>
          {reason}
        </Text>
      ))}
      {until !== null && (
        <Text size="xs" c="dimmed">
          {Number.isNaN(Date.parse(until)) ? (
            queue.queue.someone
          ) : (
            <>
              {queue.queue.until} <Time at={until} />
            </>
          )}
        </Text>
      )}
    </Stack>
  );
}

function Flows({ flows }: { flows: QueuedNumber['flows'] }) {
  const { queue } = useTexts();
  const times = useTimes();
  return (
    <Stack gap={2}>
      {flows.slice(0, 6).map(({ api_key_id, traffic_class, queued }) => (
        <Text size="xs" key={`${api_key_id} ${traffic_class}`} title={api_key_id ?? undefined}>
          {queue.queue.classes[traffic_class] ?? traffic_class}: {times.number(queued)}
        </Text>
      ))}
    </Stack>
  );
}

function Actions({ row }: { row: QueuedNumber }) {
  const { queue } = useTexts();
  const text = queue.queue;
  const isPaused = row.waits_for.includes('paused');
  const setPaused = (paused: boolean) => () =>
    call('PATCH', `/admin/v1/numbers/${row.phone_number_id}`, { body: { paused } });
  return (
    <Group gap={6} justify="flex-end">
      {isPaused ? (
        <ConfirmButton label={text.resume} question={row.phone_number_id} run={setPaused(false)} size="compact-xs" />
      ) : (
        <ConfirmButton label={text.pause} question={text.pauseAsk} run={setPaused(true)} size="compact-xs" />
      )}
      <DialogButton label={text.setPace} size="compact-xs">
        {(close) => <PaceForm row={row} onDone={close} />}
      </DialogButton>
      <DialogButton label={text.cancel} size="compact-xs">
        {(close) => <CancelDialog organization={row.organization_id} number={row.phone_number_id} onDone={close} />}
      </DialogButton>
    </Group>
  );
}
