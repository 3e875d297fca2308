import { Button, CopyButton, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { may } from '../../api/session.ts';
import { useSession } from '../../api/session-context.ts';
import type { Schema } from '../../api/shapes.ts';
import { useApi, useOrganization } from '../../api/use-api.ts';
import { ConfirmButton } from '../../parts/actions.tsx';
import { Copy, Copyable, Facts, JsonBlock } from '../../parts/facts.tsx';
import { ButtonLink, TextLink } from '../../parts/link.tsx';
import { Page, Section } from '../../parts/page.tsx';
import { MessageStatus } from '../../parts/state-dot.tsx';
import { Loaded } from '../../parts/states.tsx';
import { BubbleView, Phone } from '../../phone/phone.tsx';
import { useBubbles } from '../../phone/use-bubbles.ts';
import { useTexts } from '../../preferences/preferences.tsx';
import { Time, useTimes } from '../../preferences/times.tsx';
import { FailureAdvice } from './failure-advice.tsx';
import { Attempts, Deliveries } from './message-deliveries.tsx';
import { businessOf, personOf } from './person.ts';
import { RawBody } from './raw-body.tsx';
import type { Timeline } from './timeline.ts';
import { TimelinePicture } from './timeline-picture.tsx';
import { WaitReasons } from './wait-reasons.tsx';

type Message = Schema<'Message'>;

const POLL_MS = 2000;

/** One message: its state, its picture, its history and the reason for a wait or failure. */
export function MessagePage() {
  const { messages, shell } = useTexts();
  const { id } = useParams({ strict: false }) as { id: string };
  const api = useApi();
  const organization = useOrganization();
  const path = `/v1/messages/${encodeURIComponent(id)}`;
  const enabled = organization !== undefined;
  const message = useQuery({
    queryKey: ['message', organization, id],
    enabled,
    queryFn: ({ signal }) => api.get<Message>(path, undefined, signal),
    // Later statuses come for days; only a message that waits changes while somebody looks.
    refetchInterval: ({ state }) => (state.data && ['queued', 'sent'].includes(state.data.status) ? POLL_MS : false),
  });
  const timeline = useQuery({
    queryKey: ['timeline', organization, id, message.data?.status],
    enabled: enabled && message.data !== undefined,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => api.get<Timeline>(`${path}/timeline`, undefined, signal),
    refetchInterval: message.data?.status === 'queued' ? POLL_MS : false,
  });
  return (
    <Page
      title={messages.one.title}
      ofOrganization
      actions={
        <CopyButton value={shareableAddress(organization)}>
          {({ copied, copy }) => (
            <Button variant="default" size="xs" onClick={copy}>
              {copied ? shell.copied : shell.copyLink}
            </Button>
          )}
        </CopyButton>
      }
    >
      <Loaded query={message}>
        {(one) => (
          <Stack>
            <SimpleGrid cols={{ base: 1, md: 2 }}>
              <Stack>
                <Head message={one} timeline={timeline.data} />
                {one.error_code !== undefined && (
                  <FailureAdvice code={one.error_code} message={one.error_message ?? null} />
                )}
                {timeline.data?.waiting && <WaitReasons waiting={timeline.data.waiting} />}
                <Section title={messages.one.timeline}>
                  <Loaded query={timeline} rows={4}>
                    {({ data }) => <TimelinePicture entries={data} />}
                  </Loaded>
                </Section>
              </Stack>
              <Picture message={one} />
            </SimpleGrid>
            <Loaded query={timeline} rows={2}>
              {({ data }) => (
                <>
                  <Attempts entries={data} />
                  <Deliveries entries={data} />
                </>
              )}
            </Loaded>
            <Section title={messages.one.body} actions={<Copy value={JSON.stringify(bodyOf(one), null, 2)} />}>
              <JsonBlock label={messages.one.body} value={bodyOf(one)} />
              <RawBody id={one.id} isOutbound={one.direction === 'outbound'} />
            </Section>
          </Stack>
        )}
      </Loaded>
    </Page>
  );
}

/** Returns the address of this page with its organization, so that another operator sees the same. */
function shareableAddress(organization: string | undefined): string {
  const url = new URL(location.href);
  if (organization !== undefined) url.searchParams.set('org', organization);
  return url.href;
}

/** Returns what was sent: the contents of a message and, for a template, its components. */
function bodyOf({ content, components, message_type, template_name }: Message): unknown {
  return { type: message_type, ...content, ...(template_name !== undefined && { components: components ?? [] }) };
}

function Head({ message, timeline }: { message: Message; timeline: Timeline | undefined }) {
  const { messages } = useTexts();
  const text = messages.one;
  const api = useApi();
  const session = useSession();
  const isOutbound = message.direction === 'outbound';
  const times = useTimes();
  const price = timeline?.price;
  const person = isOutbound ? message.recipient_phone : message.sender_phone;
  const cancel = () => api.send<{ cancelled: number }>('POST', `/v1/messages/${message.id}/cancel`);
  return (
    <Section
      title={`${isOutbound ? text.to : text.from} ${personOf(message)}`}
      actions={<MessageStatus status={message.status} />}
    >
      <Stack>
        <Facts
          facts={[
            [text.id, <Copyable key="id" value={message.id} />],
            [text.wamid, message.message_id && <Copyable key="wamid" value={message.message_id} />],
            [messages.columns.time, <Time key="time" at={message.created_at} />],
            [messages.columns.type, message.message_type],
            [
              text.template,
              message.template_name && (
                <TextLink key="template" to="/templates" search={{ name: message.template_name }}>
                  {message.template_name}
                </TextLink>
              ),
            ],
            [text.userId, message.user_id],
            [text.origin, message.origin === 'api' ? undefined : message.origin],
            [text.category, message.conversation_category],
            [text.pricing, message.pricing_type],
            [text.cost, price && times.number(price.micros / 1e6)],
            [messages.filters.biz_opaque_callback_data, timeline?.biz_opaque_callback_data],
          ]}
        />
        <Group gap="xs">
          {(person ?? message.user_id) && (
            <ButtonLink
              to="/conversations"
              search={{ person: person ?? message.user_id ?? '', account: message.account_id }}
              variant="default"
              size="xs"
            >
              {text.conversation}
            </ButtonLink>
          )}
          {message.status === 'queued' && may(session, 'messages:send') && (
            <ConfirmButton
              label={text.cancel}
              question={text.cancelAsk}
              run={cancel}
              result={(answer) => text.cancelled((answer as { cancelled: number }).cancelled)}
              isDangerous
            />
          )}
          {session.role === 'support' && (
            <Text size="sm" c="dimmed">
              {text.masked}
            </Text>
          )}
        </Group>
      </Stack>
    </Section>
  );
}

/** The message as the person's phone shows it. */
function Picture({ message }: { message: Message }) {
  const { messages } = useTexts();
  const bubble = useBubbles([message])(message);
  return (
    <div>
      <Phone label={messages.one.phone} title={businessOf(message)}>
        <BubbleView
          bubble={bubble}
          side={message.direction === 'outbound' ? 'received' : 'own'}
          at={message.sent_at ?? message.created_at}
          status={message.direction === 'outbound' ? message.status : undefined}
        />
      </Phone>
    </div>
  );
}
