import { Button, Group, MultiSelect, Select, Stack, Text, TextInput } from '@mantine/core';
import { useEffect, useState } from 'react';
import { numberOptions, useNumbers } from '../../api/numbers.ts';
import type { Schema } from '../../api/shapes.ts';
import { useOrganization } from '../../api/use-api.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { DialogButton } from '../../parts/dialog.tsx';
import { EventType } from '../../parts/event-type.tsx';
import { JsonBlock } from '../../parts/facts.tsx';
import { useFilters } from '../../parts/filters.ts';
import { TextLink } from '../../parts/link.tsx';
import { Page } from '../../parts/page.tsx';
import { StateDot } from '../../parts/state-dot.tsx';
import { Empty, FailureNote } from '../../parts/states.tsx';
import { useTexts } from '../../preferences/preferences.tsx';
import { Time } from '../../preferences/times.tsx';
import { EVENT_TYPES } from '../webhooks/event-types.ts';
import { useFeed } from './use-feed.ts';

type Event = Schema<'Event'>;

/** The events of the organization as they are recorded. */
export function EventsPage() {
  const { webhooks } = useTexts();
  const organization = useOrganization();
  return (
    <Page title={webhooks.feed.title} intro={webhooks.feed.intro} ofOrganization>
      {organization !== undefined && <Feed key={organization} />}
    </Page>
  );
}

function Feed() {
  const { webhooks, messages } = useTexts();
  const text = webhooks.feed;
  const { filters, setFilters } = useFilters();
  const numbers = useNumbers();
  const [isPaused, setPaused] = useState(false);
  const [words, setWords] = useState('');
  const feed = useFeed({ type: filters.type, number: filters.number }, isPaused);
  const wanted = words.trim().toLowerCase();
  const shown = feed.events.filter((event) => wanted === '' || JSON.stringify(event).toLowerCase().includes(wanted));
  useEffect(() => {
    if (feed.error !== undefined) setPaused(true);
  }, [feed.error]);
  const columns: Column<Event>[] = [
    { title: webhooks.recorded, cell: ({ timestamp }) => <Time at={timestamp} /> },
    { title: webhooks.type, cell: ({ type }) => <EventType type={type} /> },
    { title: 'Id', isWide: true, cell: (event) => <Subject event={event} /> },
    {
      title: '',
      align: 'right',
      cell: (event) => (
        <DialogButton label="JSON" size="compact-xs" wide>
          {() => <JsonBlock label={event.type} value={event} />}
        </DialogButton>
      ),
    },
  ];
  return (
    <Stack>
      <Group align="flex-end" gap="xs" role="search">
        <MultiSelect
          size="xs"
          label={text.type}
          placeholder={filters.type === undefined ? webhooks.eventsAll : undefined}
          data={EVENT_TYPES}
          value={filters.type?.split(',') ?? []}
          onChange={(types) => setFilters({ type: types.join(',') })}
          searchable
          clearable
          w={{ base: '100%', sm: 320 }}
        />
        <Select
          size="xs"
          label={text.number}
          placeholder={messages.filters.any}
          data={numberOptions(numbers.data, filters.number)}
          value={filters.number ?? null}
          onChange={(number) => setFilters({ number: number ?? undefined })}
          clearable
        />
        <TextInput
          size="xs"
          label={text.contains}
          value={words}
          onChange={(event) => setWords(event.currentTarget.value)}
        />
        <Button size="xs" variant="default" onClick={() => setPaused(!isPaused)}>
          {isPaused ? text.resume : text.pause}
        </Button>
      </Group>
      <Text size="sm" component="div" role="status">
        <StateDot tone={isPaused ? 'idle' : 'good'}>{isPaused ? text.paused : text.waiting}</StateDot>
      </Text>
      {feed.error !== undefined && isPaused && <FailureNote error={feed.error} onRetry={() => setPaused(false)} />}
      {shown.length === 0 ? (
        <Empty title={text.emptyTitle}>{text.empty}</Empty>
      ) : (
        <DataTable label={text.title} columns={columns} rows={shown} keyOf={({ id }) => id} />
      )}
    </Stack>
  );
}

/** The object of an event: a link if it is a message. */
function Subject({ event }: { event: Event }) {
  const id = event.data.id;
  if (typeof id !== 'string') return '–';
  if (!event.type.startsWith('message.')) return id;
  return (
    <TextLink to="/messages/$id" params={{ id }}>
      {id}
    </TextLink>
  );
}
