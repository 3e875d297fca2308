import { Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { gatewayPath } from '../../api/paths.ts';
import type { AnswerOf, Schema } from '../../api/shapes.ts';
import { useApi } from '../../api/use-api.ts';
import { ConfirmButton } from '../../parts/actions.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { DialogButton } from '../../parts/dialog.tsx';
import { Copyable } from '../../parts/facts.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { useTexts } from '../../preferences/preferences.tsx';
import { Time } from '../../preferences/times.tsx';
import { AppForm } from './app-form.tsx';
import { SecretsForm } from './secrets-form.tsx';

type MetaApp = Schema<'MetaApp'>;

/** The Meta apps beside that of the environment, for an admin. */
export function AppsPage() {
  const { apps: text } = useTexts();
  return (
    <Page
      title={text.title}
      intro={text.intro}
      actions={
        <DialogButton label={text.create} variant="filled">
          {(close) => <AppForm onDone={close} />}
        </DialogButton>
      }
    >
      <AppList />
    </Page>
  );
}

function AppList() {
  const { apps: text } = useTexts();
  const api = useApi();
  const query = useQuery({
    queryKey: ['apps'],
    queryFn: ({ signal }) => api.get<AnswerOf<'listApps'>>('/admin/v1/apps', {}, signal),
  });
  const columns: Column<MetaApp>[] = [
    {
      title: text.name,
      cell: ({ name, app_id }) => (
        <>
          {name}
          <Text size="xs" c="dimmed" ff="monospace" style={{ whiteSpace: 'nowrap' }}>
            {app_id}
          </Text>
        </>
      ),
    },
    {
      title: text.secrets,
      cell: ({ secrets, secrets_changed_at }) => (
        <>
          {secrets === 1 ? text.one : text.rotation}
          <Text size="xs" c="dimmed">
            {text.changed} <Time at={secrets_changed_at} />
          </Text>
        </>
      ),
    },
    {
      title: text.proofTitle,
      isWide: true,
      cell: ({ secret_proof }) => (secret_proof ? text.required : text.notRequired),
    },
    {
      title: text.signupTitle,
      isWide: true,
      cell: ({ signup_configuration_id }) => signup_configuration_id ?? text.noSignup,
    },
    { title: text.address, isWide: true, cell: ({ app_id }) => <Copyable value={addressOf(app_id)} /> },
    { title: '', isAction: true, align: 'right', cell: (app) => <AppActions app={app} /> },
  ];
  return (
    <Loaded query={query}>
      {({ data, default_app_id }) => (
        <>
          {data.length === 0 ? (
            <Empty title={text.empty}>{text.emptyWhy}</Empty>
          ) : (
            <DataTable label={text.title} columns={columns} rows={data} keyOf={({ app_id }) => app_id} />
          )}
          <Text size="sm" c="dimmed" mt="md">
            {default_app_id === null ? text.noDefault : text.ofEnvironment(default_app_id)}
          </Text>
        </>
      )}
    </Loaded>
  );
}

function AppActions({ app }: { app: MetaApp }) {
  const { apps: text } = useTexts();
  const api = useApi();
  return (
    <Group gap={6} justify="flex-end">
      <DialogButton label={text.change} size="compact-xs">
        {(close) => <AppForm app={app} onDone={close} />}
      </DialogButton>
      <DialogButton label={text.changeSecret} size="compact-xs">
        {(close) => <SecretsForm app={app} onDone={close} />}
      </DialogButton>
      <ConfirmButton
        label={text.delete}
        size="compact-xs"
        question={text.deleteAsk(app.name)}
        run={() => api.send('DELETE', `/admin/v1/apps/${app.app_id}`)}
        isDangerous
      />
    </Group>
  );
}

/** Returns the webhook address of an app, at the host of this page. */
function addressOf(appId: string): string {
  return new URL(gatewayPath(`/webhooks/upstream/${appId}`), location.href).href;
}
