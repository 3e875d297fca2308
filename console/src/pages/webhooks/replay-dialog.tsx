import { Radio, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { AnswerOf } from '../../api/shapes.ts';
import { useApi } from '../../api/use-api.ts';
import { PartsRunning, useCallInParts } from '../../parts/call-in-parts.tsx';
import { FailureNote } from '../../parts/states.tsx';
import { SubmitRow } from '../../parts/submit-row.tsx';
import { useMoments } from '../../preferences/moments.ts';
import { useTexts } from '../../preferences/preferences.tsx';

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
  const { webhooks } = useTexts();
  const api = useApi();
  const [kind, setKind] = useState('failed');
  const { toField, fromField } = useMoments();
  const [from, setFrom] = useState(
    toField(new Date(failingSince === null ? Date.now() - DAY_MS : Date.parse(failingSince))),
  );
  const [to, setTo] = useState('');
  const { progress, run } = useCallInParts('deliveries', async (body) => {
    const { queued, next }: AnswerOf<'replayWebhook'> = await api.send('POST', `/v1/webhooks/${id}/replay`, body);
    return { count: queued, next };
  });

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const start = fromField(from).toISOString();
    void run(
      kind === 'failed'
        ? { failed_since: start }
        : { from: start, ...(to !== '' && { to: fromField(to).toISOString() }) },
    );
  };

  if (progress.state !== 'asking') {
    return (
      <PartsRunning progress={progress} running={webhooks.replayProgress} done={webhooks.replayDone} onDone={onDone} />
    );
  }
  return (
    <form onSubmit={submit}>
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
