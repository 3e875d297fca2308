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
  const steps = inOrder(entries.filter(({ what }) => what !== 'webhook'));
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

const ORDER = ['queued', 'attempt', 'sent', 'delivered', 'read', 'failed'];

/** Orders statuses of the same moment: the platform reports whole seconds, in any order. */
function inOrder(entries: readonly Entry[]): Entry[] {
  const ordered = [...entries];
  for (let index = 1; index < ordered.length; index += 1) {
    const [before, entry] = [ordered[index - 1], ordered[index]];
    if (before === undefined || entry === undefined || before.at !== entry.at) continue;
    if (ORDER.indexOf(before.what) > ORDER.indexOf(entry.what)) ordered.splice(index - 1, 2, entry, before);
  }
  return ordered;
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
