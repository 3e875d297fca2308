import { Button, Group, Paper, Select, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useEffect, useState } from 'react';
import { numberOptions, useNumbers, withPlus } from '../../api/numbers.ts';
import type { AnswerOf, Schema } from '../../api/shapes.ts';
import { useApi, useOrganization } from '../../api/use-api.ts';
import { Paging } from '../../parts/data-table.tsx';
import { useFilters } from '../../parts/filters.ts';
import { TextLink } from '../../parts/link.tsx';
import { Page } from '../../parts/page.tsx';
import { StateDot } from '../../parts/state-dot.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import type { Bubble } from '../../phone/bubble.ts';
import { BubbleView, Phone } from '../../phone/phone.tsx';
import { useBubbles } from '../../phone/use-bubbles.ts';
import { useTexts } from '../../preferences/preferences.tsx';
import { Time, useNow, useTimes } from '../../preferences/times.tsx';

type Message = Schema<'Message'>;

const PAGE = 40;
const POLL_MS = 5000;

/** The messages of a person with one number, as a phone shows them, and the clock of the window. */
export function ConversationPage() {
  const { messages } = useTexts();
  const text = messages.conversation;
  const { filters } = useFilters();
  const numbers = useNumbers();
  const person = filters.person;
  const number = filters.number ?? numbers.data?.[0]?.id;
  const phone = numbers.data?.find(({ id }) => id === number)?.phone ?? null;
  const business = phone === null ? (number ?? '–') : withPlus(phone);
  return (
    <Page title={text.title} intro={text.intro} ofOrganization>
      <Choice number={number} />
      {person === undefined ? (
        <Empty title={text.title}>{text.ask}</Empty>
      ) : (
        <Stack>
          {number !== undefined && <WindowClock number={number} person={person} />}
          <Talk number={number} business={business} person={person} />
        </Stack>
      )}
    </Page>
  );
}

function Choice({ number }: { number: string | undefined }) {
  const { messages } = useTexts();
  const text = messages.conversation;
  const { filters, setFilters } = useFilters();
  const numbers = useNumbers();
  const [person, setPerson] = useState(filters.person ?? '');
  useEffect(() => setPerson(filters.person ?? ''), [filters.person]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setFilters({ person: person.trim() });
  };
  return (
    <form onSubmit={submit}>
      <Group align="flex-end" gap="xs">
        <TextInput
          size="xs"
          label={text.person}
          value={person}
          onChange={(event) => setPerson(event.currentTarget.value)}
          required
          w={260}
        />
        <Select
          size="xs"
          label={text.number}
          data={numberOptions(numbers.data, number)}
          value={number ?? null}
          onChange={(value) => setFilters({ number: value ?? undefined })}
          w={220}
        />
        <Button type="submit" size="xs">
          {text.open}
        </Button>
      </Group>
    </form>
  );
}

function WindowClock({ number, person }: { number: string; person: string }) {
  const { messages } = useTexts();
  const text = messages.conversation;
  const api = useApi();
  const organization = useOrganization();
  const times = useTimes();
  const now = useNow();
  const query = useQuery({
    queryKey: ['window', organization, number, person],
    queryFn: ({ signal }) =>
      api.get<Schema<'Window'>>(`/v1/${number}/windows/${encodeURIComponent(person)}`, undefined, signal),
    refetchInterval: POLL_MS,
  });
  return (
    <Paper withBorder p="sm">
      <Loaded query={query} rows={1}>
        {({ open, expires_at, opened_by }) => {
          const leftMs = expires_at === null ? 0 : Date.parse(expires_at) - now;
          if (!open || leftMs <= 0) {
            return (
              <Text size="sm" component="div">
                <StateDot tone="idle">{null}</StateDot> {text.windowClosed}
              </Text>
            );
          }
          return (
            <Group gap="md">
              <Text size="sm" component="div">
                <StateDot tone="good">{text.windowOpen}</StateDot>
              </Text>
              <Text size="sm">
                {text.windowOpenUntil} <Time at={expires_at} /> ·{' '}
                <strong role="timer">
                  {times.duration(leftMs)} {text.windowLeft}
                </strong>
                {opened_by !== null && ` · ${text.openedBy[opened_by] ?? opened_by}`}
              </Text>
            </Group>
          );
        }}
      </Loaded>
    </Paper>
  );
}

function Talk({ number, business, person }: { number: string | undefined; business: string; person: string }) {
  const { messages } = useTexts();
  const text = messages.conversation;
  const api = useApi();
  const organization = useOrganization();
  const { filters } = useFilters();
  const isUserId = /^[A-Z]{2}\./.test(person);
  const wanted = { number, [isUserId ? 'user_id' : 'recipient']: person, after: filters.after, limit: PAGE };
  const query = useQuery({
    queryKey: ['conversation', organization, wanted],
    queryFn: ({ signal }) => api.get<AnswerOf<'listMessages'>>('/v1/messages', wanted, signal),
    refetchInterval: filters.after === undefined ? POLL_MS : false,
  });
  const bubbleFor = useBubbles(query.data?.data ?? []);
  return (
    <Loaded query={query}>
      {({ data, next }) =>
        data.length === 0 ? (
          <Empty title={text.emptyTitle}>{text.empty}</Empty>
        ) : (
          <>
            <Phone label={text.title} title={business}>
              {data.toReversed().map((message) => (
                <Entry key={message.id} message={message} bubble={bubbleFor(message)} />
              ))}
            </Phone>
            <Paging next={next} />
          </>
        )
      }
    </Loaded>
  );
}

function Entry({ message, bubble }: { message: Message; bubble: Bubble | undefined }) {
  const isOutbound = message.direction === 'outbound';
  return (
    <>
      <TextLink to="/messages/$id" params={{ id: message.id }} size="xs" c="#37434a" ta={isOutbound ? 'left' : 'right'}>
        <Time at={message.created_at} />
      </TextLink>
      <BubbleView
        bubble={bubble}
        side={isOutbound ? 'received' : 'own'}
        status={isOutbound ? message.status : undefined}
      />
    </>
  );
}
