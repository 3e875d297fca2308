import { Checkbox, MultiSelect, Select, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Schema } from '../../api/shapes.ts';
import { useApi } from '../../api/use-api.ts';
import { SecretMade, useChange } from '../../parts/actions.tsx';
import { FailureNote } from '../../parts/states.tsx';
import { SubmitRow } from '../../parts/submit-row.tsx';
import { useTexts } from '../../preferences/preferences.tsx';
import { EVENT_TYPES } from './event-types.ts';

/** Asks for an endpoint, and shows its secret once it is created. */
export function CreateEndpoint({ onDone }: { onDone: () => void }) {
  const { webhooks, shell } = useTexts();
  const api = useApi();
  const [url, setUrl] = useState('https://');
  const [description, setDescription] = useState('');
  const [events, setEvents] = useState<string[]>([]);
  const [format, setFormat] = useState('standard');
  const [ordered, setOrdered] = useState(false);
  const create = useChange(() =>
    api.send<Schema<'WebhookEndpointWithSecret'>>('POST', '/v1/webhooks', {
      url: url.trim(),
      description: description.trim() || null,
      events: events.length === 0 ? null : events,
      format,
      ordered,
    }),
  );
  if (create.isSuccess) {
    return (
      <SecretMade label={webhooks.secret} value={create.data.secret ?? create.data.public_key ?? ''} onDone={onDone} />
    );
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        create.mutate();
      }}
    >
      <Stack>
        <TextInput
          label={webhooks.url}
          value={url}
          onChange={(event) => setUrl(event.currentTarget.value)}
          required
          data-autofocus
        />
        <TextInput
          label={webhooks.description}
          value={description}
          onChange={(event) => setDescription(event.currentTarget.value)}
        />
        <MultiSelect
          label={webhooks.events}
          placeholder={events.length === 0 ? webhooks.eventsAll : undefined}
          data={EVENT_TYPES}
          value={events}
          onChange={setEvents}
          searchable
        />
        <Select
          label={webhooks.format}
          data={Object.entries(webhooks.formats).map(([value, label]) => ({ value, label }))}
          value={format}
          onChange={(value) => setFormat(value ?? 'standard')}
          allowDeselect={false}
        />
        <Checkbox
          label={webhooks.ordered}
          checked={ordered}
          onChange={(event) => setOrdered(event.currentTarget.checked)}
        />
        {create.isError && <FailureNote error={create.error} title={webhooks.create} />}
        <SubmitRow onCancel={onDone} isPending={create.isPending} label={shell.create} />
      </Stack>
    </form>
  );
}
