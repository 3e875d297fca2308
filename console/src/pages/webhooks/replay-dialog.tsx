import { Button, Group, Radio, Stack, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { AnswerOf } from '../../api/shapes.ts';
import { useApi } from '../../api/use-api.ts';
import { toLocalMoment } from '../../parts/filter-fields.tsx';
import { FailureNote } from '../../parts/states.tsx';
import { SubmitRow } from '../../parts/submit-row.tsx';
import { useTexts } from '../../preferences/preferences.tsx';

type Progress = { state: 'asking' | 'running' | 'done'; count: number; error?: unknown };

const DAY_MS = 86_400_000;

/** Replays the failed deliveries, or all events of a time. A call queues a part of them; the count grows with each. */
export function ReplayDialog({
  id,
  failingSince,
  onDone,
}: {
  id: string;
  failingSince: string | null;
  onDone: () => void;
}) {
  const { webhooks, shell } = useTexts();
  const api = useApi();
  const client = useQueryClient();
  const [kind, setKind] = useState('failed');
  const [from, setFrom] = useState(
    toLocalMoment(new Date(failingSince === null ? Date.now() - DAY_MS : Date.parse(failingSince))),
  );
  const [to, setTo] = useState('');
  const [progress, setProgress] = useState<Progress>({ state: 'asking', count: 0 });

  const run = async (event: FormEvent) => {
    event.preventDefault();
    const start = new Date(from).toISOString();
    let body: unknown =
      kind === 'failed'
        ? { failed_since: start }
        : { from: start, ...(to !== '' && { to: new Date(to).toISOString() }) };
    let count = 0;
    try {
      while (body !== null) {
        setProgress({ state: 'running', count });
        const answer: AnswerOf<'replayWebhook'> = await api.send('POST', `/v1/webhooks/${id}/replay`, body);
        count += answer.queued;
        body = answer.next;
      }
      setProgress({ state: 'done', count });
    } catch (error) {
      setProgress({ state: 'asking', count, error });
    }
    await client.invalidateQueries({ queryKey: ['deliveries'] });
  };

  if (progress.state !== 'asking') {
    return (
      <Stack>
        <Text role="status">
          {progress.state === 'running' ? webhooks.replayProgress(progress.count) : webhooks.replayDone(progress.count)}
        </Text>
        <Group justify="flex-end">
          <Button onClick={onDone} loading={progress.state === 'running'} data-autofocus>
            {shell.close}
          </Button>
        </Group>
      </Stack>
    );
  }
  return (
    <form onSubmit={(event) => void run(event)}>
      <Stack>
        <Radio.Group value={kind} onChange={setKind} label={webhooks.replayTitle}>
          <Stack gap="xs" mt="xs">
            <Radio value="failed" label={webhooks.replayFailed} />
            <Radio value="range" label={webhooks.replayRange} />
          </Stack>
        </Radio.Group>
        <TextInput
          type="datetime-local"
          label={webhooks.replayFrom}
          value={from}
          onChange={(event) => setFrom(event.currentTarget.value)}
          required
        />
        {kind === 'range' && (
          <TextInput
            type="datetime-local"
            label={webhooks.replayTo}
            value={to}
            onChange={(event) => setTo(event.currentTarget.value)}
          />
        )}
        {progress.error !== undefined && <FailureNote error={progress.error} title={webhooks.replayTitle} />}
        <SubmitRow onCancel={onDone} isPending={false} label={webhooks.replayGo} />
      </Stack>
    </form>
  );
}
