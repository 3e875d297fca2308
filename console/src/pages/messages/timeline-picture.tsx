import { Timeline as Steps, Text } from '@mantine/core';
import { useTexts } from '../../preferences/preferences.tsx';
import { Time, useTimes } from '../../preferences/times.tsx';
import type { Timeline } from './timeline.ts';

type Entry = Timeline['data'][number];

const COLORS: Record<string, string> = {
  queued: 'gray',
  attempt: 'orange',
  sent: 'blue',
  delivered: 'green',
  read: 'green',
  failed: 'red',
  contradiction: 'red',
};

/** The history of a message as a line with a point for each entry, and the time between two of them. */
export function TimelinePicture({ entries }: { entries: readonly Entry[] }) {
  const { messages } = useTexts();
  const times = useTimes();
  const steps = entries
    .filter(({ what }) => what !== 'webhook')
    // The platform reports whole seconds: statuses of the same second stand in their natural order.
    .toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at) || rank(a.what) - rank(b.what));
  return (
    <Steps active={steps.length} bulletSize={16} lineWidth={2}>
      {steps.map((entry, index) => {
        const before = steps[index - 1];
        const gapMs = before === undefined ? undefined : Date.parse(entry.at) - Date.parse(before.at);
        return (
          <Steps.Item
            key={`${entry.at} ${entry.what} ${entry.sequence ?? index}`}
            title={messages.steps[entry.what] ?? entry.what}
            color={COLORS[entry.what] ?? 'gray'}
          >
            <Text size="sm" c="dimmed">
              <Time at={entry.at} /> {gapMs !== undefined && gapMs > 0 && `· +${times.duration(gapMs)}`}
            </Text>
            <Detail entry={entry} />
          </Steps.Item>
        );
      })}
    </Steps>
  );
}

function rank(what: string): number {
  return ['queued', 'attempt', 'sent', 'delivered', 'read', 'failed'].indexOf(what);
}

function Detail({ entry }: { entry: Entry }) {
  const { messages } = useTexts();
  const facts = [
    entry.outcome && (messages.outcomes[entry.outcome] ?? entry.outcome),
    [entry.error_code, entry.error_message].filter(Boolean).join(' '),
    entry.told,
    entry.upstream_status,
    entry.source && messages.sources[entry.source],
  ].filter(Boolean);
  return (
    <>
      {facts.length > 0 && <Text size="sm">{facts.join(' · ')}</Text>}
      {entry.next_attempt_at && (
        <Text size="sm">
          {messages.one.nextTry}: <Time at={entry.next_attempt_at} />
        </Text>
      )}
    </>
  );
}
