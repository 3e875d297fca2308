import { Select, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { call } from '../../api/call.ts';
import type { AnswerOf, BodyOf } from '../../api/shapes.ts';
import { PartsRunning, useCallInParts } from '../../parts/call-in-parts.tsx';
import { FailureNote } from '../../parts/states.tsx';
import { SubmitRow } from '../../parts/submit-row.tsx';
import { useTexts } from '../../preferences/preferences.tsx';

type Filter = BodyOf<'cancelMessages'>;

const TYPES = ['text', 'template', 'image', 'video', 'audio', 'document', 'interactive'];

/** Cancels the waiting messages of a number that match a filter. A call takes a part of them; the count grows with each. */
export function CancelDialog({
  organization,
  number,
  onDone,
}: {
  organization: string;
  number: string;
  onDone: () => void;
}) {
  const { queue, messages } = useTexts();
  const text = queue.queue;
  const [filter, setFilter] = useState<Partial<Filter>>({});
  const { progress, run } = useCallInParts('queue', async (body) => {
    const { cancelled, next }: AnswerOf<'cancelMessages'> = await call('POST', '/v1/messages/cancel', {
      body,
      organization,
    });
    return { count: cancelled, next };
  });

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const filled = Object.entries(filter).filter(([, value]) => value !== undefined && value !== '');
    void run({ number, ...Object.fromEntries(filled) });
  };

  if (progress.state !== 'asking') {
    return <PartsRunning progress={progress} running={text.cancelProgress} done={text.cancelDone} onDone={onDone} />;
  }
  const field = (name: 'recipient' | 'template' | 'biz_opaque_callback_data', label: string) => (
    <TextInput
      label={label}
      value={filter[name] ?? ''}
      onChange={({ currentTarget: { value } }) => setFilter((before) => ({ ...before, [name]: value }))}
    />
  );
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text size="sm">{text.cancelHint}</Text>
        <Text size="sm">
          {messages.filters.number}: <strong>{number}</strong>
        </Text>
        {field('recipient', messages.filters.recipient)}
        {field('template', messages.filters.template)}
        {field('biz_opaque_callback_data', messages.filters.biz_opaque_callback_data)}
        <Select
          label={messages.filters.type}
          data={TYPES}
          clearable
          placeholder={messages.filters.any}
          value={filter.type ?? null}
          onChange={(type) => setFilter((before) => ({ ...before, type: type ?? undefined }))}
        />
        {progress.error !== undefined && <FailureNote error={progress.error} title={text.cancelTitle} />}
        <SubmitRow onCancel={onDone} isPending={false} label={text.cancelGo} />
      </Stack>
    </form>
  );
}
