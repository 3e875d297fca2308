import { Anchor, Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { gatewayPath } from '../../api/paths.ts';
import type { AnswerOf, Schema } from '../../api/shapes.ts';
import { useApi, useOrganization } from '../../api/use-api.ts';
import { type Column, DataTable, Paging } from '../../parts/data-table.tsx';
import { useFilters, withoutEmpty } from '../../parts/filters.ts';
import { TextLink } from '../../parts/link.tsx';
import { Page } from '../../parts/page.tsx';
import { MessageStatus } from '../../parts/state-dot.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { useTexts } from '../../preferences/preferences.tsx';
import { Time } from '../../preferences/times.tsx';
import { MessageFilters } from './message-filters.tsx';
import { personOf, summaryOf } from './person.ts';

type Message = Schema<'Message'>;

const PAGE = 50;

/** All messages of the organization, with the filters in the address. */
export function MessagesPage() {
  const { messages, shell } = useTexts();
  const organization = useOrganization();
  const api = useApi();
  const { filters, setFilters } = useFilters();
  const { org: _, ...wanted } = filters;
  const query = useQuery({
    queryKey: ['messages', organization, wanted],
    enabled: organization !== undefined,
    queryFn: ({ signal }) => api.get<AnswerOf<'listMessages'>>('/v1/messages', { limit: PAGE, ...wanted }, signal),
  });
  const isFiltered = Object.keys(withoutEmpty(wanted)).length > 0;
  const clear = () => setFilters(Object.fromEntries(Object.keys(wanted).map((name) => [name, undefined])));
  return (
    <Page
      title={messages.title}
      intro={messages.intro}
      ofOrganization
      actions={
        <Button variant="default" size="xs" loading={query.isFetching} onClick={() => void query.refetch()}>
          {shell.refresh}
        </Button>
      }
    >
      <MessageFilters />
      <Loaded query={query} rows={10}>
        {({ data, next }) =>
          data.length === 0 ? (
            <Empty
              title={isFiltered ? messages.emptyTitle : messages.emptyAllTitle}
              action={
                isFiltered ? (
                  <Button variant="default" onClick={clear}>
                    {shell.clearFilters}
                  </Button>
                ) : (
                  <Anchor href={gatewayPath('/docs/guide')} target="_blank">
                    {shell.nav.docs}
                  </Anchor>
                )
              }
            >
              {isFiltered ? messages.empty : messages.emptyAll}
            </Empty>
          ) : (
            <>
              <MessageTable rows={data} />
              <Paging next={next} />
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

function MessageTable({ rows }: { rows: readonly Message[] }) {
  const { messages } = useTexts();
  const columns: Column<Message>[] = [
    {
      title: messages.columns.time,

      cell: ({ id, created_at }) => (
        <TextLink to="/messages/$id" params={{ id }}>
          <Time at={created_at} />
        </TextLink>
      ),
    },
    {
      title: messages.columns.person,
      cell: (message) => (
        <Group gap={6} wrap="nowrap">
          <Text inherit aria-hidden c="dimmed">
            {message.direction === 'outbound' ? '→' : '←'}
          </Text>
          <Text inherit title={messages.directions[message.direction]} style={{ whiteSpace: 'nowrap' }}>
            {personOf(message)}
          </Text>
        </Group>
      ),
    },
    { title: messages.columns.type, isWide: true, cell: ({ message_type }) => message_type },
    {
      title: messages.columns.content,
      isWide: true,
      cell: (message) => (
        <Text inherit lineClamp={1}>
          {summaryOf(message)}
        </Text>
      ),
    },
    {
      title: messages.columns.status,
      cell: ({ status, error_code }) => (
        <>
          <MessageStatus status={status} />
          {error_code !== undefined && (
            <Text size="xs" c="dimmed">
              {error_code}
            </Text>
          )}
        </>
      ),
    },
  ];
  return <DataTable label={messages.title} columns={columns} rows={rows} keyOf={({ id }) => id} />;
}
