import { Progress, Stack, Text } from '@mantine/core';
import type { Schema } from '../../api/shapes.ts';
import { Section } from '../../parts/page.tsx';
import { useTexts } from '../../preferences/preferences.tsx';
import { useTimes } from '../../preferences/times.tsx';
import type { QueuedNumber } from './queued-number.ts';
import { useTints } from './tints.ts';

const SHOWN_MAX = 12;

/** Reasons for which nothing of a number can go, whatever its turn. */
const STOPPED = /^(?:paused|parked|disconnected|no node)/;

/** The organizations whose messages can go now, with the share of turns that their weights give them. */
export function FairShares({
  numbers,
  organizations,
  placeOf,
}: {
  numbers: readonly QueuedNumber[];
  organizations: readonly Schema<'Organization'>[];
  placeOf: (id: string) => number;
}) {
  const { queue } = useTexts();
  const times = useTimes();
  const tintOf = useTints();
  const waiting = new Map<string, number>();
  for (const { organization_id, queued, waits_for } of numbers) {
    if (waits_for.some((reason) => STOPPED.test(reason))) continue;
    waiting.set(organization_id, (waiting.get(organization_id) ?? 0) + queued);
  }
  const rows = [...waiting].map(([id, queued]) => {
    const organization = organizations.find((one) => one.id === id);
    return { id, queued, name: organization?.name ?? id, weight: organization?.weight ?? 1 };
  });
  const total = rows.reduce((sum, { weight }) => sum + weight, 0);
  const shown = rows.toSorted((a, b) => b.weight - a.weight).slice(0, SHOWN_MAX);
  if (rows.length === 0) return null;
  return (
    <Section title={queue.queue.shares}>
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          {queue.queue.sharesIntro}
        </Text>
        <Progress.Root size={22} aria-hidden>
          {shown.map(({ id, name, weight }) => (
            <Progress.Section key={id} value={(weight / total) * 100} color={tintOf(placeOf(id))} title={name} />
          ))}
        </Progress.Root>
        {shown.map(({ id, name, queued, weight }) => (
          <Text size="sm" key={id}>
            <strong>{name}</strong>: {times.number(Math.round((weight / total) * 100))} % {queue.queue.share},{' '}
            {times.number(queued)} {queue.queue.waiting.toLowerCase()}
          </Text>
        ))}
      </Stack>
    </Section>
  );
}
