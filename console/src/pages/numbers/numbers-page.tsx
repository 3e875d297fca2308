import { Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { useNumbers } from '../../api/numbers.ts';
import { mayOperate } from '../../api/session.ts';
import { useSession } from '../../api/session-context.ts';
import type { AnswerOf } from '../../api/shapes.ts';
import { useApi, useOrganization } from '../../api/use-api.ts';
import { ActionButton, ConfirmButton, useChange } from '../../parts/actions.tsx';
import { Paging } from '../../parts/data-table.tsx';
import { DialogButton } from '../../parts/dialog.tsx';
import { useFilters } from '../../parts/filters.ts';
import { TextLink } from '../../parts/link.tsx';
import { Page, Section } from '../../parts/page.tsx';
import { StateDot } from '../../parts/state-dot.tsx';
import { Empty, FailureNote, Loaded } from '../../parts/states.tsx';
import { SubmitRow } from '../../parts/submit-row.tsx';
import { useTexts } from '../../preferences/preferences.tsx';
import { DoctorChecks } from './doctor-checks.tsx';
import { KeyNumbers, NumberTable } from './number-table.tsx';

/** Accounts of one page: each has a section of its own. */
const PAGE = 25;

type Account = AnswerOf<'listWabas'>['data'][number];

/** The accounts of the organization with their numbers, and the doctor's checks of them. */
export function NumbersPage() {
  const { accounts } = useTexts();
  const session = useSession();
  return (
    <Page
      title={accounts.title}
      intro={accounts.intro}
      ofOrganization
      actions={
        mayOperate(session) && (
          <DialogButton label={accounts.connect} variant="filled">
            {(close) => <ConnectForm onDone={close} />}
          </DialogButton>
        )
      }
    >
      {session.kind === 'operator' ? <Accounts /> : <NumbersOfKey />}
    </Page>
  );
}

function Accounts() {
  const { accounts } = useTexts();
  const api = useApi();
  const organization = useOrganization();
  const { after } = useFilters().filters;
  const query = useQuery({
    queryKey: ['accounts', organization, after],
    enabled: organization !== undefined,
    queryFn: ({ signal }) =>
      api.get<AnswerOf<'listWabas'>>(`/admin/v1/organizations/${organization}/wabas`, { limit: PAGE, after }, signal),
  });
  return (
    <Loaded query={query}>
      {({ data, next }) =>
        data.length === 0 ? (
          <Empty title={accounts.emptyTitle}>{accounts.empty}</Empty>
        ) : (
          <Stack>
            {data.map((account) => (
              <AccountSection key={account.waba_id} account={account} />
            ))}
            <Paging next={next} />
            <DoctorChecks />
          </Stack>
        )
      }
    </Loaded>
  );
}

function AccountSection({ account }: { account: Account }) {
  const { accounts } = useTexts();
  const session = useSession();
  const { waba_id: id, webhooks_subscribed: subscribed } = account;
  return (
    <Section
      title={accounts.account(id)}
      actions={
        <Group gap="xs">
          <TextLink to="/templates" search={{ waba_id: id }} size="sm">
            {accounts.templatesOf}
          </TextLink>
          {mayOperate(session) && (
            <>
              <ActionButton label={accounts.sync} run={() => call('POST', `/admin/v1/wabas/${id}/sync`)} />
              <ConfirmButton
                label={accounts.disconnect}
                question={accounts.disconnectAsk}
                run={() => call('DELETE', `/admin/v1/wabas/${id}`)}
                isDangerous
              />
            </>
          )}
        </Group>
      }
    >
      <Stack>
        <Group gap="xs">
          <Text size="sm" c="dimmed">
            {accounts.webhooks}:
          </Text>
          <Text size="sm" component="span">
            {subscribed === null ? (
              <StateDot tone="idle">{accounts.webhooksUnknown}</StateDot>
            ) : subscribed ? (
              <StateDot tone="good">{accounts.webhooksOn}</StateDot>
            ) : (
              <>
                <StateDot tone="bad">{null}</StateDot>
                {accounts.webhooksOff}
              </>
            )}
          </Text>
        </Group>
        <NumberTable numbers={account.numbers} />
      </Stack>
    </Section>
  );
}

function NumbersOfKey() {
  const { accounts } = useTexts();
  const query = useNumbers();
  return (
    <Loaded query={query}>
      {(numbers) =>
        numbers.length === 0 ? (
          <Empty title={accounts.emptyTitle}>{accounts.emptyKey}</Empty>
        ) : (
          <KeyNumbers numbers={numbers} />
        )
      }
    </Loaded>
  );
}

function ConnectForm({ onDone }: { onDone: () => void }) {
  const { accounts } = useTexts();
  const api = useApi();
  const organization = useOrganization();
  const [wabaId, setWabaId] = useState('');
  const [token, setToken] = useState('');
  const body = { waba_id: wabaId.trim(), access_token: token.trim() };
  const connect = useChange(() => api.send('POST', `/admin/v1/organizations/${organization}/wabas`, body), onDone);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        connect.mutate();
      }}
    >
      <Stack>
        <TextInput
          label={accounts.wabaId}
          value={wabaId}
          onChange={(event) => setWabaId(event.currentTarget.value)}
          required
          data-autofocus
        />
        <PasswordInput
          label={accounts.accessToken}
          description={accounts.accessTokenHint}
          value={token}
          onChange={(event) => setToken(event.currentTarget.value)}
          autoComplete="off"
          required
        />
        {connect.isError && <FailureNote error={connect.error} title={accounts.connect} />}
        <SubmitRow onCancel={onDone} isPending={connect.isPending} label={accounts.connect} />
      </Stack>
    </form>
  );
}
