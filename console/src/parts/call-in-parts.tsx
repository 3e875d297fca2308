import { Button, Group, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTexts } from '../preferences/preferences.tsx';

/** State of a change that each call makes a part of, with the number of things that are done. */
export interface PartsProgress {
  state: 'asking' | 'running' | 'done';
  count: number;
  error?: unknown;
}

/**
 * Returns the progress of a change in parts, and a function that makes it from its first body. `callPart` makes one part, and returns its
 * number of things and the body of the next part; null ends the change.
 */
export function useCallInParts(
  queryKey: string,
  callPart: (body: unknown) => Promise<{ count: number; next: unknown }>,
): { progress: PartsProgress; run: (first: unknown) => Promise<void> } {
  const client = useQueryClient();
  const [progress, setProgress] = useState<PartsProgress>({ state: 'asking', count: 0 });
  const run = async (first: unknown) => {
    let body = first;
    let count = 0;
    try {
      while (body !== null) {
        setProgress({ state: 'running', count });
        const part = await callPart(body);
        count += part.count;
        body = part.next;
      }
      setProgress({ state: 'done', count });
    } catch (error) {
      setProgress({ state: 'asking', count, error });
    }
    await client.invalidateQueries({ queryKey: [queryKey] });
  };
  return { progress, run };
}

/** Shows the progress of a change that has begun. */
export function PartsRunning({
  progress: { state, count },
  running,
  done,
  onDone,
}: {
  progress: PartsProgress;
  running: (count: number) => string;
  done: (count: number) => string;
  onDone: () => void;
}) {
  const { shell } = useTexts();
  return (
    <Stack>
      <Text role="status">{state === 'running' ? running(count) : done(count)}</Text>
      <Group justify="flex-end">
        <Button onClick={onDone} loading={state === 'running'} data-autofocus>
          {shell.close}
        </Button>
      </Group>
    </Stack>
  );
}
