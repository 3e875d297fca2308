import { Group, MultiSelect, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { mayOperate } from '../../api/session.ts';
import { useSession } from '../../api/session-context.ts';
import type { AnswerOf, Schema } from '../../api/shapes.ts';
import { useApi } from '../../api/use-api.ts';
import { ConfirmButton, SecretMade, SecretOnce, useChange } from '../../parts/actions.tsx';
import { type Column, DataTable, Paging } from '../../parts/data-table.tsx';
import { DialogButton } from '../../parts/dialog.tsx';
import { useFilters } from '../../parts/filters.ts';
import { StateDot } from '../../parts/state-dot.tsx';
import { Empty, FailureNote, Loaded } from '../../parts/states.tsx';
import { SubmitRow } from '../../parts/submit-row.tsx';
import { useTexts } from '../../preferences/preferences.tsx';
import { Time } from '../../preferences/times.tsx';

type ApiKey = Schema<'ApiKey'>;

const PAGE = 50;

/** Every scope; the compiler asks for a new one. */
const SCOPES: Record<NonNullable<Schema<'ApiKeyRequest'>['scopes']>[number], true> = {
  'messages:send': true,
  'messages:read': true,
  'templates:read': true,
  'templates:write': true,
  media: true,
  webhooks: true,
  'events:read': true,
  'number:read': true,
  'number:manage': true,
  'opt-outs': true,
  'audit:read': true,
  people: true,
};

/** The API keys of a tenant. */
export function KeysTab({ id }: { id: string }) {
  const { tenants } = useTexts();
  const text = tenants.keys;
  const api = useApi();
  const canChange = mayOperate(useSession());
  const { after } = useFilters().filters;
  const query = useQuery({
    queryKey: ['keys', id, after],
    queryFn: ({ signal }) =>
      api.get<AnswerOf<'listApiKeys'>>(`/admin/v1/organizations/${id}/api-keys`, { limit: PAGE, after }, signal),
  });
  const columns: Column<ApiKey>[] = [
    {
      title: text.name,
      cell: ({ name, hint }) => (
        <>
          {name ?? '–'}
          <Text size="xs" c="dimmed" ff="monospace">
            {hint}…
          </Text>
        </>
      ),
    },
    { title: text.state, cell: (key) => <KeyState apiKey={key} /> },
    { title: text.scopes, isWide: true, cell: ({ scopes }) => scopes?.join(', ') ?? text.scopesAll },
    { title: text.numbers, isWide: true, cell: ({ phone_number_ids: ids }) => ids?.join(', ') ?? text.numbersAll },
    {
      title: text.used,
      isWide: true,
      cell: ({ last_used_at }) => (last_used_at === null ? text.neverUsed : <Time at={last_used_at} />),
    },
  ];
  if (canChange)
    columns.push({ title: '', isAction: true, align: 'right', cell: (key) => <KeyActions apiKey={key} /> });
  return (
    <Stack>
      {canChange && (
        <div>
          <DialogButton label={text.create} variant="filled">
            {(close) => <CreateKey id={id} onDone={close} />}
          </DialogButton>
        </div>
      )}
      <Loaded query={query}>
        {({ data, next }) =>
          data.length === 0 ? (
            <Empty title={text.empty}>{text.emptyWhy}</Empty>
          ) : (
            <>
              <DataTable label={tenants.tabs.keys} columns={columns} rows={data} keyOf={(key) => key.id} />
              <Paging next={next} />
            </>
          )
        }
      </Loaded>
    </Stack>
  );
}

function KeyState({ apiKey: { disabled_at, expires_at } }: { apiKey: ApiKey }) {
  const { tenants } = useTexts();
  const text = tenants.keys;
  if (disabled_at !== null) return <StateDot tone="idle">{text.disabled}</StateDot>;
  if (expires_at !== null && Date.parse(expires_at) < Date.now()) return <StateDot tone="bad">{text.expired}</StateDot>;
  return (
    <>
      <StateDot tone="good">{text.works}</StateDot>
      {expires_at !== null && (
        <Text size="xs">
          {text.expires} <Time at={expires_at} />
        </Text>
      )}
    </>
  );
}

function KeyActions({ apiKey }: { apiKey: ApiKey }) {
  const { tenants } = useTexts();
  const text = tenants.keys;
  const api = useApi();
  if (apiKey.disabled_at !== null) return null;
  const path = `/admin/v1/api-keys/${apiKey.id}`;
  return (
    <Group gap={6} justify="flex-end">
      <ConfirmButton
        label={text.rotate}
        size="compact-xs"
        question={text.rotateAsk}
        run={() => api.send<Schema<'RotatedApiKey'>>('POST', `${path}/rotate`, {})}
        result={(answer) => <SecretOnce label={text.key} value={(answer as Schema<'RotatedApiKey'>).key} />}
      />
      <ConfirmButton
        label={text.disable}
        size="compact-xs"
        question={text.disableAsk}
        run={() => api.send('DELETE', path)}
        isDangerous
      />
    </Group>
  );
}

function CreateKey({ id, onDone }: { id: string; onDone: () => void }) {
  const { tenants, shell } = useTexts();
  const text = tenants.keys;
  const api = useApi();
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<string[]>([]);
  const create = useChange(() =>
    api.send<Schema<'NewApiKey'>>('POST', `/admin/v1/organizations/${id}/api-keys`, {
      ...(name.trim() !== '' && { name: name.trim() }),
      scopes: scopes.length === 0 ? null : scopes,
    }),
  );
  if (create.isSuccess) {
    return <SecretMade label={text.key} value={create.data.key} onDone={onDone} />;
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
          label={text.name}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          data-autofocus
        />
        <MultiSelect
          label={text.scopes}
          placeholder={scopes.length === 0 ? text.scopesAll : undefined}
          data={Object.keys(SCOPES)}
          value={scopes}
          onChange={setScopes}
        />
        {create.isError && <FailureNote error={create.error} title={text.create} />}
        <SubmitRow onCancel={onDone} isPending={create.isPending} label={shell.create} />
      </Stack>
    </form>
  );
}
