import { Badge, Checkbox, Group, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { mayOperate } from '../../api/session.ts';
import { useSession } from '../../api/session-context.ts';
import type { AnswerOf, Schema } from '../../api/shapes.ts';
import { useApi } from '../../api/use-api.ts';
import { useChange } from '../../parts/actions.tsx';
import { type Column, DataTable, Paging } from '../../parts/data-table.tsx';
import { DialogButton } from '../../parts/dialog.tsx';
import { useFilters } from '../../parts/filters.ts';
import { TextLink } from '../../parts/link.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty, FailureNote, Loaded } from '../../parts/states.tsx';
import { SubmitRow } from '../../parts/submit-row.tsx';
import { useTexts } from '../../preferences/preferences.tsx';
import { Time, useTimes } from '../../preferences/times.tsx';

type Organization = Schema<'Organization'>;

const PAGE = 50;

/** The tenants of the gateway. */
export function OrganizationsPage() {
  const { tenants } = useTexts();
  const api = useApi();
  const session = useSession();
  const times = useTimes();
  const { filters } = useFilters();
  const { after } = filters;
  const query = useQuery({
    queryKey: ['organizations', 'list', after],
    queryFn: ({ signal }) =>
      api.get<AnswerOf<'listOrganizations'>>('/admin/v1/organizations', { limit: PAGE, after }, signal),
  });
  const columns: Column<Organization>[] = [
    {
      title: tenants.name,
      cell: ({ id, name, test }) => (
        <Group gap="xs">
          <TextLink to="/organizations/$id" params={{ id }}>
            {name}
          </TextLink>
          {test && <Badge variant="default">{tenants.test}</Badge>}
        </Group>
      ),
    },
    {
      title: '',
      cell: ({ id }) => (
        <TextLink to="/messages" search={{ org: id }} size="sm">
          {tenants.open}
        </TextLink>
      ),
    },
    { title: tenants.weight, isWide: true, align: 'right', cell: ({ weight }) => times.number(weight) },
    { title: tenants.created, isWide: true, cell: ({ created_at }) => <Time at={created_at} /> },
  ];
  return (
    <Page
      title={tenants.title}
      intro={tenants.intro}
      actions={
        mayOperate(session) && (
          <DialogButton label={tenants.create} variant="filled">
            {(close) => <CreateForm onDone={close} />}
          </DialogButton>
        )
      }
    >
      <Loaded query={query}>
        {({ data, next }) =>
          data.length === 0 ? (
            <Empty title={tenants.emptyTitle}>{tenants.empty}</Empty>
          ) : (
            <>
              <DataTable label={tenants.title} columns={columns} rows={data} keyOf={({ id }) => id} />
              <Paging next={next} />
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

function CreateForm({ onDone }: { onDone: () => void }) {
  const { tenants, shell } = useTexts();
  const api = useApi();
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [test, setTest] = useState(false);
  const create = useChange(
    () => api.send<Organization>('POST', '/admin/v1/organizations', { name: name.trim(), test }),
    ({ id }) => void navigate({ to: '/organizations/$id', params: { id }, search: { org: id } }),
  );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        create.mutate();
      }}
    >
      <Stack>
        <TextInput
          label={tenants.name}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          required
          data-autofocus
        />
        <Checkbox
          label={tenants.testChoice}
          description={tenants.testHint}
          checked={test}
          onChange={(event) => setTest(event.currentTarget.checked)}
        />
        {create.isError && <FailureNote error={create.error} title={tenants.create} />}
        <SubmitRow onCancel={onDone} isPending={create.isPending} label={shell.create} />
      </Stack>
    </form>
  );
}
