import { Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { may } from '../../api/session.ts';
import { useSession } from '../../api/session-context.ts';
import type { AnswerOf, Schema } from '../../api/shapes.ts';
import { useApi, useOrganization } from '../../api/use-api.ts';
import { type Column, DataTable, Paging } from '../../parts/data-table.tsx';
import { DialogButton } from '../../parts/dialog.tsx';
import { useFilters } from '../../parts/filters.ts';
import { TextLink } from '../../parts/link.tsx';
import { Page } from '../../parts/page.tsx';
import { StateDot } from '../../parts/state-dot.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { useTexts } from '../../preferences/preferences.tsx';
import { Time } from '../../preferences/times.tsx';
import { EndpointForm } from './endpoint-form.tsx';
import { Sparkline } from './sparkline.tsx';

type Endpoint = Schema<'WebhookEndpoint'>;

/** Endpoints of one page: each reads its latest deliveries. */
const PAGE = 25;

/** The endpoints of the organization, with their health. */
export function WebhooksPage() {
  const { webhooks } = useTexts();
  const api = useApi();
  const session = useSession();
  const organization = useOrganization();
  const { after } = useFilters().filters;
  const query = useQuery({
    queryKey: ['webhooks', organization, after],
    enabled: organization !== undefined,
    queryFn: ({ signal }) => api.get<AnswerOf<'listWebhooks'>>('/v1/webhooks', { limit: PAGE, after }, signal),
    refetchInterval: 10_000,
  });
  const columns: Column<Endpoint>[] = [
    {
      title: webhooks.address,
      cell: ({ id, url, description }) => (
        <>
          <TextLink to="/webhooks/$id" params={{ id }}>
            {url}
          </TextLink>
          {description !== null && (
            <Text size="xs" c="dimmed">
              {description}
            </Text>
          )}
        </>
      ),
    },
    { title: webhooks.status, cell: (endpoint) => <EndpointStatus endpoint={endpoint} /> },
    { title: webhooks.recent, isWide: true, cell: ({ id }) => <Sparkline id={id} /> },
    {
      title: webhooks.events,
      isWide: true,
      cell: ({ events }) => (events === null ? webhooks.eventsAll : events.join(', ')),
    },
    { title: webhooks.format, isWide: true, cell: ({ format }) => webhooks.formats[format] ?? format },
  ];
  return (
    <Page
      title={webhooks.title}
      intro={webhooks.intro}
      ofOrganization
      actions={
        may(session, 'webhooks') && (
          <DialogButton label={webhooks.create} variant="filled">
            {(close) => <EndpointForm onDone={close} />}
          </DialogButton>
        )
      }
    >
      <Loaded query={query}>
        {({ data, next }) =>
          data.length === 0 ? (
            <Empty title={webhooks.emptyTitle}>{webhooks.empty}</Empty>
          ) : (
            <>
              <DataTable label={webhooks.title} columns={columns} rows={data} keyOf={({ id }) => id} />
              <Paging next={next} />
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

/** The state of an endpoint, with its reason. */
export function EndpointStatus({ endpoint }: { endpoint: Endpoint }) {
  const { webhooks } = useTexts();
  const { status, disabled_reason: reason, failing_since: since } = endpoint;
  const tone = ({ enabled: 'good', failing: 'bad', disabled: 'idle' } as const)[status];
  return (
    <Stack gap={2}>
      <StateDot tone={tone}>{webhooks.statuses[status] ?? status}</StateDot>
      {reason !== null && <Text size="xs">{webhooks.reasons[reason] ?? reason}</Text>}
      {since !== null && status !== 'enabled' && (
        <Group gap={4}>
          <Text size="xs">
            {webhooks.failingSince} <Time at={since} />
          </Text>
        </Group>
      )}
    </Stack>
  );
}
