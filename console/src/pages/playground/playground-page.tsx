import { Button, Group, Select, SimpleGrid, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { numberOptions, useNumbers } from '../../api/numbers.ts';
import { mayOperate } from '../../api/session.ts';
import { useSession } from '../../api/session-context.ts';
import type { AnswerOf, Schema } from '../../api/shapes.ts';
import { useApi, useOrganization } from '../../api/use-api.ts';
import { useChange } from '../../parts/actions.tsx';
import { useFilters } from '../../parts/filters.ts';
import { TextLink } from '../../parts/link.tsx';
import { Page, Section } from '../../parts/page.tsx';
import { Empty, FailureNote, Loaded } from '../../parts/states.tsx';
import { BubbleView, Phone } from '../../phone/phone.tsx';
import { useBubbles } from '../../phone/use-bubbles.ts';
import { useTexts } from '../../preferences/preferences.tsx';
import { Faults } from './faults.tsx';
import { PlatformSends } from './platform-sends.tsx';
import { simulate } from './simulate.ts';

type Message = Schema<'Message'>;

const DEMO_PERSON = '+12025550123';
const SHOWN = 20;
const POLL_MS = 1000;

/** A phone of the simulated platform, and the faults of the platform. */
export function PlaygroundPage() {
  const { tools } = useTexts();
  const text = tools.playground;
  const session = useSession();
  if (!session.simulator || !mayOperate(session)) {
    return (
      <Page title={text.title}>
        <Empty title={text.absent}>{text.absentWhy}</Empty>
      </Page>
    );
  }
  return (
    <Page title={text.title} intro={text.intro} ofOrganization>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <PersonPhone />
        <Faults />
      </SimpleGrid>
      <PlatformSends />
    </Page>
  );
}

function PersonPhone() {
  const { tools, accounts } = useTexts();
  const text = tools.playground;
  const { filters, setFilters } = useFilters();
  const numbers = useNumbers();
  const person = filters.person ?? DEMO_PERSON;
  const number = filters.number ?? numbers.data?.[0]?.id;
  const label = numberOptions(numbers.data, number).find(({ value }) => value === number)?.label ?? '';
  return (
    <Section title={`${text.person} ${person}`}>
      <Stack>
        <Group gap="xs" align="flex-end">
          <TextInput
            size="xs"
            label={text.person}
            defaultValue={person}
            inputMode="tel"
            onBlur={({ currentTarget: { value } }) => value.trim() !== person && setFilters({ person: value.trim() })}
          />
          <Select
            size="xs"
            label={text.number}
            data={numberOptions(numbers.data, number)}
            value={number ?? null}
            onChange={(value) => setFilters({ number: value ?? undefined })}
            allowDeselect={false}
          />
        </Group>
        {number !== undefined && <Talk number={number} name={label} person={person} />}
        {numbers.data?.length === 0 && <Empty title={accounts.emptyTitle}>{accounts.empty}</Empty>}
      </Stack>
    </Section>
  );
}

function Talk({ number, name, person }: { number: string; name: string; person: string }) {
  const { tools, messages } = useTexts();
  const text = tools.playground;
  const api = useApi();
  const organization = useOrganization();
  const [words, setWords] = useState('');
  const query = useQuery({
    queryKey: ['playground', organization, number, person],
    refetchInterval: POLL_MS,
    queryFn: ({ signal }) =>
      api.get<AnswerOf<'listMessages'>>('/v1/messages', { number, recipient: person, limit: SHOWN }, signal),
  });
  const bubbleFor = useBubbles(query.data?.data ?? []);
  const write = useChange((seed: object) =>
    simulate('POST', 'inbound', { phone_number_id: number, from: person.replace(/\D/g, ''), ...seed }),
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (words.trim() === '') return;
    write.mutate({ text: words });
    setWords('');
  };
  return (
    <Stack>
      <Loaded query={query} rows={3}>
        {({ data }) => (
          <Phone label={`${text.person} ${person}`} title={name}>
            {data.length === 0 && <Text c="#37434a">{text.noTalk}</Text>}
            {data.toReversed().map((message) => (
              <div key={message.id} style={{ display: 'contents' }}>
                <BubbleView
                  bubble={bubbleFor(message)}
                  side={message.direction === 'outbound' ? 'received' : 'own'}
                  at={message.created_at}
                  status={message.direction === 'outbound' ? message.status : undefined}
                  onPress={(button) => write.mutate(pressOf(message, button))}
                />
                {message.direction === 'outbound' && (
                  <TextLink to="/messages/$id" params={{ id: message.id }} fz={11} c="#1b4b91">
                    {messages.statuses[message.status] ?? message.status} {message.error_code}
                  </TextLink>
                )}
              </div>
            ))}
          </Phone>
        )}
      </Loaded>
      <form onSubmit={submit}>
        <Stack gap="xs">
          <Textarea
            label={text.message}
            value={words}
            onChange={(event) => setWords(event.currentTarget.value)}
            autosize
            minRows={1}
            maxRows={5}
          />
          {write.isError && <FailureNote error={write.error} title={text.send} />}
          <div>
            <Button type="submit" size="xs" loading={write.isPending}>
              {text.send}
            </Button>
          </div>
        </Stack>
      </form>
    </Stack>
  );
}

/** Returns the inbound message of a pressed button: a reply to the template or the interactive message. */
function pressOf(message: Message, button: string): object {
  const context = message.message_id === null ? {} : { context: { id: message.message_id } };
  if (message.message_type === 'template') {
    return { type: 'button', content: { text: button, payload: button }, ...context };
  }
  return {
    type: 'interactive',
    content: { type: 'button_reply', button_reply: { id: button, title: button } },
    ...context,
  };
}
