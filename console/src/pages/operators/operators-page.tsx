import { Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { AnswerOf, Schema } from '../../api/shapes.ts';
import { useApi } from '../../api/use-api.ts';
import { ConfirmButton, SecretOnce } from '../../parts/actions.tsx';
import { type Column, DataTable, Paging } from '../../parts/data-table.tsx';
import { DialogButton } from '../../parts/dialog.tsx';
import { useFilters } from '../../parts/filters.ts';
import { Page } from '../../parts/page.tsx';
import { StateDot } from '../../parts/state-dot.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { useTexts } from '../../preferences/preferences.tsx';
import { Time } from '../../preferences/times.tsx';
import { OperatorForm } from './operator-form.tsx';

type Operator = Schema<'Operator'>;

const PAGE = 50;

/** The people and programs that run the gateway, for an admin. */
export function OperatorsPage() {
  const { governance } = useTexts();
  const text = governance.operators;
  return (
    <Page
      title={text.title}
      intro={text.intro}
      actions={
        <DialogButton label={text.create} variant="filled">
          {(close) => <OperatorForm onDone={close} />}
        </DialogButton>
      }
    >
      <OperatorList />
    </Page>
  );
}

function OperatorList() {
  const { governance, shell } = useTexts();
  const text = governance.operators;
  const api = useApi();
  const { after } = useFilters().filters;
  const query = useQuery({
    queryKey: ['operators', after],
    queryFn: ({ signal }) => api.get<AnswerOf<'listOperators'>>('/admin/v1/operators', { limit: PAGE, after }, signal),
  });
  const columns: Column<Operator>[] = [
    {
      title: text.name,
      cell: ({ name, hint, identity }) => (
        <>
          {name}
          {identity === null ? (
            <Text size="xs" c="dimmed" ff="monospace">
              {hint}…
            </Text>
          ) : (
            <Text size="xs" c="dimmed">
              {text.byProvider(identity.email ?? identity.subject)}
            </Text>
          )}
        </>
      ),
    },
    { title: text.role, cell: ({ role }) => shell.roles[role] },
    { title: text.state, cell: (operator) => <OperatorState operator={operator} /> },
    {
      title: text.used,
      isWide: true,
      cell: ({ last_used_at }) => (last_used_at === null ? text.never : <Time at={last_used_at} />),
    },
    { title: text.created, isWide: true, cell: ({ created_at }) => <Time at={created_at} /> },
    { title: '', isAction: true, align: 'right', cell: (operator) => <OperatorActions operator={operator} /> },
  ];
  return (
    <Loaded query={query}>
      {({ data, next }) =>
        data.length === 0 ? (
          <Empty title={text.empty}>{text.emptyWhy}</Empty>
        ) : (
          <>
            <DataTable label={text.title} columns={columns} rows={data} keyOf={({ id }) => id} />
            <Paging next={next} />
          </>
        )
      }
    </Loaded>
  );
}

function OperatorState({ operator: { revoked_at, expires_at } }: { operator: Operator }) {
  const { governance } = useTexts();
  const text = governance.operators;
  if (revoked_at !== null) return <StateDot tone="idle">{text.revoked}</StateDot>;
  if (expires_at !== null && Date.parse(expires_at) < Date.now()) return <StateDot tone="bad">{text.expired}</StateDot>;
  return (
    <>
      <StateDot tone="good">{text.works}</StateDot>
      {expires_at !== null && (
        <Text size="xs">
          {text.until} <Time at={expires_at} />
        </Text>
      )}
    </>
  );
}

function OperatorActions({ operator }: { operator: Operator }) {
  const { governance } = useTexts();
  const text = governance.operators;
  const api = useApi();
  if (operator.revoked_at !== null) return null;
  const path = `/admin/v1/operators/${operator.id}`;
  return (
    <Group gap={6} justify="flex-end">
      <DialogButton label={text.change} size="compact-xs">
        {(close) => <OperatorForm operator={operator} onDone={close} />}
      </DialogButton>
      {operator.identity === null && (
        <ConfirmButton
          label={text.rotate}
          size="compact-xs"
          question={text.rotateAsk}
          run={() => api.send<Schema<'OperatorWithToken'>>('POST', `${path}/rotate`)}
          result={(answer) => <SecretOnce label={text.token} value={(answer as Schema<'OperatorWithToken'>).token} />}
        />
      )}
      <ConfirmButton
        label={text.revoke}
        size="compact-xs"
        question={text.revokeAsk(operator.name)}
        run={() => api.send('DELETE', path)}
        isDangerous
      />
    </Group>
  );
}
