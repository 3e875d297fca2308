import { Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import type { OwnNumber } from '../../api/numbers.ts';
import { mayOperate } from '../../api/session.ts';
import { useSession } from '../../api/session-context.ts';
import type { Schema } from '../../api/shapes.ts';
import { useApi, useOrganization } from '../../api/use-api.ts';
import { ConfirmButton } from '../../parts/actions.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { DialogButton } from '../../parts/dialog.tsx';
import { TextLink } from '../../parts/link.tsx';
import { StateDot } from '../../parts/state-dot.tsx';
import { useTexts } from '../../preferences/preferences.tsx';
import { PaceForm } from '../queue/pace-form.tsx';

type Listed = Schema<'ListedNumber'> & { messages_per_second?: number };

const FIELDS =
  'verified_name,quality_rating,throughput,status,whatsapp_business_manager_messaging_limit,messaging_limit_tier';

/** The numbers of an account: their state here and at the platform. */
export function NumberTable({ numbers }: { numbers: readonly Listed[] }) {
  const { accounts } = useTexts();
  const session = useSession();
  const columns: Column<Listed>[] = [
    {
      title: accounts.number,
      cell: ({ phone_number, phone_number_id }) => (
        <>
          <TextLink to="/messages" search={{ number: phone_number_id }}>
            {/^\d/.test(phone_number) ? `+${phone_number}` : phone_number}
          </TextLink>
          <Text size="xs" c="dimmed">
            {phone_number_id}
          </Text>
        </>
      ),
    },
    { title: accounts.state, cell: (number) => <NumberState number={number} /> },
    {
      title: accounts.name,
      isWide: true,
      cell: ({ phone_number_id: id }) => <NodeFact id={id} name="verified_name" />,
    },
    {
      title: accounts.quality,
      isWide: true,
      cell: ({ phone_number_id: id }) => <NodeFact id={id} name="quality_rating" />,
    },
    {
      title: accounts.limit,
      isWide: true,
      cell: ({ phone_number_id: id }) => <NodeFact id={id} name="whatsapp_business_manager_messaging_limit" />,
    },
    {
      title: accounts.throughput,
      isWide: true,
      cell: ({ phone_number_id: id }) => <NodeFact id={id} name="throughput" />,
    },
  ];
  if (mayOperate(session))
    columns.push({ title: '', isAction: true, cell: (number) => <NumberActions number={number} /> });
  return <DataTable label={accounts.number} columns={columns} rows={numbers} keyOf={(one) => one.phone_number_id} />;
}

/** The numbers of a key, as far as its scopes show them. */
export function KeyNumbers({ numbers }: { numbers: readonly OwnNumber[] }) {
  const { accounts } = useTexts();
  const columns: Column<OwnNumber>[] = [
    {
      title: accounts.number,
      cell: ({ id, phone }) => (
        <>
          <TextLink to="/messages" search={{ number: id }}>
            {phone === null ? id : `+${phone}`}
          </TextLink>
          <Text size="xs" c="dimmed">
            {id}
          </Text>
        </>
      ),
    },
    { title: accounts.state, cell: ({ id }) => <NodeFact id={id} name="status" /> },
    { title: accounts.name, isWide: true, cell: ({ id }) => <NodeFact id={id} name="verified_name" /> },
    { title: accounts.quality, isWide: true, cell: ({ id }) => <NodeFact id={id} name="quality_rating" /> },
    { title: accounts.throughput, isWide: true, cell: ({ id }) => <NodeFact id={id} name="throughput" /> },
  ];
  return <DataTable label={accounts.title} columns={columns} rows={numbers} keyOf={({ id }) => id} />;
}

/** A member of a number's node at the platform. All cells of a number share one call. */
function NodeFact({ id, name }: { id: string; name: string }) {
  const api = useApi();
  const organization = useOrganization();
  const { data } = useQuery({
    queryKey: ['number-node', organization, id],
    staleTime: 60_000,
    retry: false,
    queryFn: ({ signal }) => api.get<Record<string, unknown>>(`/v1/${id}`, { fields: FIELDS }, signal),
  });
  const value = data?.[name];
  const shown = typeof value === 'object' && value !== null ? (value as { level?: string }).level : value;
  if (typeof shown !== 'string' || shown === '') return <Text c="dimmed">–</Text>;
  if (name !== 'quality_rating') return shown;
  return <StateDot tone={({ GREEN: 'good', YELLOW: 'warn', RED: 'bad' } as const)[shown] ?? 'idle'}>{shown}</StateDot>;
}

function NumberState({ number }: { number: Listed }) {
  const { accounts } = useTexts();
  const { paused, parked, registered, webhook_override: override } = number;
  return (
    <>
      {parked !== null ? (
        <StateDot tone="bad">{accounts.parked}</StateDot>
      ) : paused ? (
        <StateDot tone="warn">{accounts.paused}</StateDot>
      ) : registered ? (
        <StateDot tone="good">{accounts.sending}</StateDot>
      ) : (
        <StateDot tone="bad">{accounts.unregistered}</StateDot>
      )}
      {parked !== null && (
        <Text size="xs">
          {parked.code}: {parked.reason}
        </Text>
      )}
      {override !== null && (
        <Text size="xs">
          {accounts.override}: {override.url}
        </Text>
      )}
    </>
  );
}

function NumberActions({ number }: { number: Listed }) {
  const { queue } = useTexts();
  const text = queue.queue;
  const setPaused = (paused: boolean) => () =>
    call('PATCH', `/admin/v1/numbers/${number.phone_number_id}`, { body: { paused } });
  return (
    <Group gap={6} justify="flex-end">
      {number.paused ? (
        <ConfirmButton label={text.resume} question={number.phone_number_id} run={setPaused(false)} size="compact-xs" />
      ) : (
        <ConfirmButton label={text.pause} question={text.pauseAsk} run={setPaused(true)} size="compact-xs" />
      )}
      <DialogButton label={text.setPace} size="compact-xs">
        {(close) => (
          <PaceForm
            row={{
              phone_number_id: number.phone_number_id,
              messages_per_second: number.messages_per_second ?? null,
            }}
            onDone={close}
          />
        )}
      </DialogButton>
    </Group>
  );
}
