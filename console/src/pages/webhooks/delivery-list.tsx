import { Group, SegmentedControl, Select, Stack, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { may } from '../../api/session.ts';
import { useSession } from '../../api/session-context.ts';
import type { AnswerOf, Schema } from '../../api/shapes.ts';
import { useApi, useOrganization } from '../../api/use-api.ts';
import { ActionButton } from '../../parts/actions.tsx';
import { type Column, DataTable, Paging } from '../../parts/data-table.tsx';
import { DialogButton } from '../../parts/dialog.tsx';
import { EventType } from '../../parts/event-type.tsx';
import { Facts, JsonBlock } from '../../parts/facts.tsx';
import { useFilters } from '../../parts/filters.ts';
import { Section } from '../../parts/page.tsx';
import { StateDot } from '../../parts/state-dot.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { useTexts } from '../../preferences/preferences.tsx';
import { Time, useTimes } from '../../preferences/times.tsx';
import { EVENT_TYPES } from './event-types.ts';

type Delivery = Schema<'Delivery'>;

const PAGE = 30;
const TONES = { pending: 'warn', delivered: 'good', failed: 'bad' } as const;

/** The deliveries of an endpoint, newest first, with every attempt. */
export function DeliveryList({ id }: { id: string }) {
  const { webhooks } = useTexts();
  const api = useApi();
  const organization = useOrganization();
  const { filters, setFilters } = useFilters();
  const { status, type, after } = filters;
  const query = useQuery({
    queryKey: ['deliveries', organization, id, status, type, after],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      api.get<AnswerOf<'listWebhookDeliveries'>>(
        `/v1/webhooks/${encodeURIComponent(id)}/deliveries`,
        { limit: PAGE, status, type, after },
        signal,
      ),
    refetchInterval: after === undefined ? 3000 : false,
  });
  return (
    <Section
      title={webhooks.deliveries}
      actions={
        <Group gap="xs">
          <Select
            size="xs"
            aria-label={webhooks.type}
            placeholder={webhooks.eventsAll}
            data={EVENT_TYPES}
            value={type ?? null}
            onChange={(value) => setFilters({ type: value ?? undefined })}
            searchable
            clearable
            w={220}
          />
          <SegmentedControl
            size="xs"
            aria-label={webhooks.status}
            value={status ?? ''}
            onChange={(value) => setFilters({ status: value || undefined })}
            data={[
              { value: '', label: webhooks.all },
              ...Object.entries(webhooks.deliveryStatuses).map(([value, label]) => ({ value, label })),
            ]}
          />
        </Group>
      }
    >
      <Loaded query={query}>
        {({ data, next }) =>
          data.length === 0 ? (
            <Empty title={webhooks.noDeliveries}>{webhooks.noDeliveriesWhy}</Empty>
          ) : (
            <>
              <DeliveryTable id={id} rows={data} />
              <Paging next={next} />
            </>
          )
        }
      </Loaded>
    </Section>
  );
}

function DeliveryTable({ id, rows }: { id: string; rows: readonly Delivery[] }) {
  const { webhooks, messages } = useTexts();
  const times = useTimes();
  const session = useSession();
  const api = useApi();
  const columns: Column<Delivery>[] = [
    { title: webhooks.recorded, cell: ({ recorded_at }) => <Time at={recorded_at} /> },
    { title: webhooks.type, cell: ({ event_type }) => <EventType type={event_type} /> },
    {
      title: webhooks.status,
      cell: ({ status, next_attempt_at }) => (
        <>
          <StateDot tone={TONES[status]}>{webhooks.deliveryStatuses[status] ?? status}</StateDot>
          {next_attempt_at !== null && (
            <Text size="xs" c="dimmed">
              {webhooks.nextAttempt}: <Time at={next_attempt_at} />
            </Text>
          )}
        </>
      ),
    },
    {
      title: webhooks.answer,
      isWide: true,
      cell: ({ attempts }) => {
        const last = attempts.at(-1);
        return last === undefined ? '–' : (last.http_status ?? last.failure ?? webhooks.noAnswer);
      },
    },
    {
      title: messages.one.took,
      isWide: true,
      cell: ({ attempts }) => {
        const last = attempts.at(-1);
        return last === undefined ? '–' : times.duration(last.latency_ms);
      },
    },
    {
      title: '',
      isAction: true,
      align: 'right',
      cell: (delivery) => (
        <Group gap={6} justify="flex-end">
          <DialogButton label={`${webhooks.attempts}: ${delivery.attempts.length}`} size="compact-xs" wide>
            {() => <AttemptList delivery={delivery} />}
          </DialogButton>
          {may(session, 'webhooks') && (
            <ActionButton
              label={webhooks.replayOne}
              size="compact-xs"
              run={() => api.send('POST', `/v1/webhooks/${id}/replay`, { event_id: delivery.event_id })}
            />
          )}
        </Group>
      ),
    },
  ];
  return <DataTable label={webhooks.deliveries} columns={columns} rows={rows} keyOf={({ event_id }) => event_id} />;
}

function AttemptList({ delivery }: { delivery: Delivery }) {
  const { webhooks, messages } = useTexts();
  const times = useTimes();
  const request = (delivery as Delivery & { request?: unknown }).request;
  return (
    <Stack>
      <Facts
        facts={[
          [webhooks.recorded, <Time key="at" at={delivery.recorded_at} />],
          [webhooks.type, delivery.event_type],
          [messages.one.event, delivery.event_id],
        ]}
      />
      {request !== undefined && <JsonBlock label={webhooks.request} value={request} />}
      {delivery.attempts.map(({ at, http_status, failure, latency_ms, answer }, index) => (
        <section key={at} aria-label={`${webhooks.attempt} ${index + 1}`}>
          <Text size="sm" fw={600}>
            {webhooks.attempt} {index + 1}: {http_status ?? failure ?? webhooks.noAnswer} · {times.duration(latency_ms)}{' '}
            · <Time at={at} />
          </Text>
          {failure !== null && http_status !== null && <Text size="sm">{failure}</Text>}
          {answer !== null && answer !== '' && <JsonBlock label={webhooks.answer} value={answer} />}
        </section>
      ))}
    </Stack>
  );
}
