import { Button, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { call } from '../../api/call.ts';
import type { AnswerOf, BodyOf } from '../../api/shapes.ts';
import { FailureNote } from '../../parts/states.tsx';
import { SubmitRow } from '../../parts/submit-row.tsx';
import { useTexts } from '../../preferences/preferences.tsx';

type Filter = BodyOf<'cancelMessages'>;
type Progress = { state: 'asking' | 'running' | 'done'; count: number; error?: unknown };

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
  const { queue, messages, shell } = useTexts();
  const text = queue.queue;
  const client = useQueryClient();
  const [filter, setFilter] = useState<Partial<Filter>>({});
  const [progress, setProgress] = useState<Progress>({ state: 'asking', count: 0 });

  const run = async (event: FormEvent) => {
    event.preventDefault();
    const filled = Object.entries(filter).filter(([, value]) => value !== undefined && value !== '');
    let body: unknown = { number, ...Object.fromEntries(filled) };
    let count = 0;
    try {
      while (body !== null) {
        setProgress({ state: 'running', count });
        const answer: AnswerOf<'cancelMessages'> = await call('POST', '/v1/messages/cancel', { body, organization });
        count += answer.cancelled;
        body = answer.next;
      }
      setProgress({ state: 'done', count });
    } catch (error) {
      setProgress({ state: 'asking', count, error });
    }
    await client.invalidateQueries({ queryKey: ['queue'] });
  };

  if (progress.state !== 'asking') {
    return (
      <Stack>
        <Text role="status">
          {progress.state === 'running' ? text.cancelProgress(progress.count) : text.cancelDone(progress.count)}
        </Text>
        <Group justify="flex-end">
          <Button onClick={onDone} loading={progress.state === 'running'} data-autofocus>
            {shell.close}
          </Button>
        </Group>
      </Stack>
    );
  }
  const field = (name: 'recipient' | 'template' | 'biz_opaque_callback_data', label: string) => (
    <TextInput
      label={label}
      value={filter[name] ?? ''}
      onChange={({ currentTarget: { value } }) => setFilter((before) => ({ ...before, [name]: value }))}
    />
  );
  return (
    <form onSubmit={(event) => void run(event)}>
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
