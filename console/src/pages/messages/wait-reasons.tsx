import { Alert, List, Stack, Text } from '@mantine/core';
import { mayOperate } from '../../api/session.ts';
import { useSession } from '../../api/session-context.ts';
import { Facts } from '../../parts/facts.tsx';
import { TextLink } from '../../parts/link.tsx';
import { useTexts } from '../../preferences/preferences.tsx';
import { Time } from '../../preferences/times.tsx';
import type { Texts } from '../../texts/index.ts';
import type { Timeline } from './timeline.ts';

/** Returns the meaning of a reason for a wait; undefined for a reason that is unknown here. */
export function meaningOf(reason: string, { waits }: Texts['messages']): string | undefined {
  if (reason.startsWith('parked')) return waits.parked;
  if (reason.endsWith('earlier to the same recipient')) return waits.earlier;
  return waits[reason];
}

/** Says why a message still waits, and until when. */
export function WaitReasons({ waiting }: { waiting: NonNullable<Timeline['waiting']> }) {
  const { messages, shell } = useTexts();
  const session = useSession();
  return (
    <Alert color="var(--fairway-warn)" variant="outline" title={messages.one.waiting}>
      <Stack gap="xs">
        <List size="sm">
          {waiting.reasons.map((reason) => (
            <List.Item key={reason}>
              <strong>{reason}</strong>
              <Text size="sm">
                {meaningOf(reason, messages)}{' '}
                {/^paused/.test(reason) && mayOperate(session) && (
                  <TextLink to="/queue" underline="always">
                    {messages.one.resume}
                  </TextLink>
                )}
                {/^parked/.test(reason) && (
                  <TextLink to="/numbers" underline="always">
                    {shell.nav.numbers}
                  </TextLink>
                )}
              </Text>
            </List.Item>
          ))}
        </List>
        <Facts
          facts={[
            [messages.one.nextTry, waiting.next_attempt_at && <Time key="next" at={waiting.next_attempt_at} />],
            [messages.one.expires, <Time key="expires" at={waiting.expires_at} />],
          ]}
        />
      </Stack>
    </Alert>
  );
}
