import { Text } from '@mantine/core';
import { may } from '../../api/session.ts';
import { useSession } from '../../api/session-context.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { TextLink } from '../../parts/link.tsx';
import { Section } from '../../parts/page.tsx';
import { StateDot } from '../../parts/state-dot.tsx';
import { useTexts } from '../../preferences/preferences.tsx';
import { Time, useTimes } from '../../preferences/times.tsx';
import type { Timeline } from './timeline.ts';

type Entry = Timeline['data'][number];

const OF_PLATFORM = new Set(['attempt', 'sent', 'failed']);

/** The attempts at the platform, with its answers. */
export function Attempts({ entries }: { entries: readonly Entry[] }) {
  const { messages } = useTexts();
  const text = messages.one;
  const attempts = entries.filter(({ what, source }) => OF_PLATFORM.has(what) && source !== 'webhook');
  const columns: Column<Entry>[] = [
    { title: messages.columns.time, cell: ({ at }) => <Time at={at} /> },
    {
      title: text.outcome,
      cell: ({ what, outcome }) => (
        <StateDot tone={what === 'sent' ? 'good' : what === 'failed' ? 'bad' : 'warn'}>
          {outcome ?? messages.statuses[what] ?? what}
        </StateDot>
      ),
    },
    {
      title: text.answer,
      cell: (entry) =>
        [entry.http_status, entry.error_code, entry.error_message, entry.upstream_status, entry.message_id]
          .filter(Boolean)
          .join(' · '),
    },
  ];
  return (
    <Section title={text.attempts}>
      {attempts.length === 0 ? (
        <Text size="sm" c="dimmed">
          {text.noAttempts}
        </Text>
      ) : (
        <DataTable label={text.attempts} columns={columns} rows={attempts} keyOf={keyOf} />
      )}
    </Section>
  );
}

/** The attempts to deliver the events of the message to endpoints. */
export function Deliveries({ entries }: { entries: readonly Entry[] }) {
  const { messages } = useTexts();
  const times = useTimes();
  const text = messages.one;
  const seesEndpoints = may(useSession(), 'webhooks');
  const deliveries = entries.filter(({ what }) => what === 'webhook');
  const eventOf = ({ event_id: id }: Entry) =>
    entries.find(({ what, event_id }) => what !== 'webhook' && event_id === id);
  const columns: Column<Entry>[] = [
    { title: messages.columns.time, cell: ({ at }) => <Time at={at} /> },
    {
      title: text.event,
      isWide: true,
      cell: (delivery) => {
        const event = eventOf(delivery);
        return event === undefined ? '–' : (messages.steps[event.what] ?? event.what);
      },
    },
    {
      title: text.outcome,
      cell: ({ outcome }) => (
        <StateDot tone={outcome === 'delivered' ? 'good' : outcome === 'retry' ? 'warn' : 'bad'}>
          {messages.outcomes[outcome ?? ''] ?? outcome}
        </StateDot>
      ),
    },
    { title: text.answer, cell: ({ http_status, failure }) => http_status ?? failure ?? '–' },
    {
      title: text.took,
      isWide: true,
      cell: ({ latency_ms }) => (latency_ms == null ? '–' : times.duration(latency_ms)),
    },
    {
      title: text.endpoint,
      cell: ({ webhook_id }) =>
        webhook_id &&
        (seesEndpoints ? (
          <TextLink to="/webhooks/$id" params={{ id: webhook_id }}>
            {webhook_id.slice(0, 8)}…
          </TextLink>
        ) : (
          `${webhook_id.slice(0, 8)}…`
        )),
    },
  ];
  return (
    <Section title={text.deliveries}>
      {deliveries.length === 0 ? (
        <Text size="sm" c="dimmed">
          {text.noDeliveries}
        </Text>
      ) : (
        <DataTable label={text.deliveries} columns={columns} rows={deliveries} keyOf={keyOf} />
      )}
    </Section>
  );
}

function keyOf(entry: Entry): string {
  return [entry.at, entry.what, entry.webhook_id, entry.event_id, entry.sequence].join(' ');
}
