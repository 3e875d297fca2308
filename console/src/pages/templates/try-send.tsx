import { Button, Select, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { numberOptions, useNumbers } from '../../api/numbers.ts';
import type { Schema } from '../../api/shapes.ts';
import { useApi } from '../../api/use-api.ts';
import { TextLink } from '../../parts/link.tsx';
import { FailureNote } from '../../parts/states.tsx';
import { useTexts } from '../../preferences/preferences.tsx';
import { examplesOf, placeholdersOf } from './template-draft.ts';

type Template = Schema<'Template'>;

/** Sends a template with its examples as parameters. */
export function TrySend({ template }: { template: Template }) {
  const { templates } = useTexts();
  const api = useApi();
  const numbers = useNumbers();
  const own = (numbers.data ?? []).filter(({ wabaId }) => wabaId === null || wabaId === template.waba_id);
  const [to, setTo] = useState('+');
  const [chosen, setChosen] = useState<string | null>(null);
  const number = chosen ?? own[0]?.id ?? null;
  const send = useMutation({
    mutationFn: () =>
      api.send<{ messages: { id: string }[] }>('POST', `/v1/${number}/messages`, {
        messaging_product: 'whatsapp',
        to: to.trim(),
        type: 'template',
        template: {
          name: template.name,
          language: { code: template.language },
          components: exampleComponents(template),
        },
      }),
  });
  const id = send.data?.messages[0]?.id;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        send.mutate();
      }}
    >
      <Stack>
        <Text size="sm" c="dimmed">
          {templates.tryHint}
        </Text>
        <TextInput
          label={templates.tryTo}
          value={to}
          onChange={(event) => setTo(event.currentTarget.value)}
          inputMode="tel"
          required
          data-autofocus
        />
        <Select label={templates.tryNumber} data={numberOptions(own)} value={number} onChange={setChosen} />
        {send.isError && <FailureNote error={send.error} title={templates.trySend} />}
        {id !== undefined && (
          <Text size="sm" role="status">
            {templates.tryDone}{' '}
            <TextLink to="/messages/$id" params={{ id }} underline="always">
              {templates.tryOpen}
            </TextLink>
          </Text>
        )}
        <Button type="submit" loading={send.isPending} disabled={number === null}>
          {templates.trySendGo}
        </Button>
      </Stack>
    </form>
  );
}

function exampleComponents({ components }: Template): unknown[] {
  const body = components.find(({ type }) => type === 'BODY') ?? {};
  const examples = examplesOf(body);
  const placeholders = placeholdersOf(String(body.text ?? ''));
  if (placeholders.length === 0) return [];
  const parameters = placeholders.map((name) => ({
    type: 'text',
    ...(!/^\d+$/.test(name) && { parameter_name: name }),
    text: examples[name] || name,
  }));
  return [{ type: 'body', parameters }];
}
