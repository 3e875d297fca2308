import { Checkbox, MultiSelect, NumberInput, Select, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Schema } from '../../api/shapes.ts';
import { useApi } from '../../api/use-api.ts';
import { SecretMade, useChange } from '../../parts/actions.tsx';
import { FailureNote } from '../../parts/states.tsx';
import { SubmitRow } from '../../parts/submit-row.tsx';
import { useTexts } from '../../preferences/preferences.tsx';
import { EVENT_TYPES } from './event-types.ts';

type Endpoint = Schema<'WebhookEndpoint'>;

/** Asks for a new endpoint, and shows its secret once it is created. With `endpoint`, changes that one. */
export function EndpointForm({ endpoint, onDone }: { endpoint?: Endpoint; onDone: () => void }) {
  const { webhooks, shell } = useTexts();
  const api = useApi();
  const [url, setUrl] = useState(endpoint?.url ?? 'https://');
  const [description, setDescription] = useState(endpoint?.description ?? '');
  const [events, setEvents] = useState<string[]>(endpoint?.events ?? []);
  const [format, setFormat] = useState('standard');
  const [ordered, setOrdered] = useState(endpoint?.ordered ?? false);
  const [rate, setRate] = useState<number | string>(endpoint?.rate_per_second ?? '');
  const title = endpoint === undefined ? webhooks.create : webhooks.change;
  const save = useChange(
    (): Promise<Endpoint | Schema<'WebhookEndpointWithSecret'>> => {
      const body = {
        url: url.trim(),
        description: description.trim() || null,
        events: events.length === 0 ? null : events,
        ordered,
        rate_per_second: rate === '' ? null : Number(rate),
      };
      return endpoint === undefined
        ? api.send<Schema<'WebhookEndpointWithSecret'>>('POST', '/v1/webhooks', { ...body, format })
        : api.send<Endpoint>('PATCH', `/v1/webhooks/${endpoint.id}`, body);
    },
    () => endpoint !== undefined && onDone(),
  );
  if (save.isSuccess && endpoint === undefined) {
    const { secret, public_key } = save.data as Schema<'WebhookEndpointWithSecret'>;
    return <SecretMade label={webhooks.secret} value={secret ?? public_key ?? ''} onDone={onDone} />;
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
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
        {endpoint === undefined && (
          <Select
            label={webhooks.format}
            data={Object.entries(webhooks.formats).map(([value, label]) => ({ value, label }))}
            value={format}
            onChange={(value) => setFormat(value ?? 'standard')}
            allowDeselect={false}
          />
        )}
        <NumberInput label={webhooks.rate} placeholder={shell.unlimited} value={rate} onChange={setRate} min={0.01} />
        <Checkbox
          label={webhooks.ordered}
          checked={ordered}
          onChange={(event) => setOrdered(event.currentTarget.checked)}
        />
        {save.isError && <FailureNote error={save.error} title={title} />}
        <SubmitRow
          onCancel={onDone}
          isPending={save.isPending}
          label={endpoint === undefined ? shell.create : shell.save}
        />
      </Stack>
    </form>
  );
}
