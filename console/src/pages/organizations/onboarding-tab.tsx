import { Group, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { mayOperate } from '../../api/session.ts';
import { useSession } from '../../api/session-context.ts';
import type { AnswerOf, Schema } from '../../api/shapes.ts';
import { useApi } from '../../api/use-api.ts';
import { ConfirmButton, SecretMade, SecretOnce, useChange } from '../../parts/actions.tsx';
import { Paging } from '../../parts/data-table.tsx';
import { DialogButton } from '../../parts/dialog.tsx';
import { useFilters } from '../../parts/filters.ts';
import { StateDot, type Tone } from '../../parts/state-dot.tsx';
import { Empty, FailureNote, Loaded } from '../../parts/states.tsx';
import { SubmitRow } from '../../parts/submit-row.tsx';
import { useTexts } from '../../preferences/preferences.tsx';
import { Time } from '../../preferences/times.tsx';
import { AppChoice } from './app-choice.tsx';
import { OnboardingSteps } from './onboarding-steps.tsx';

type Onboarding = Schema<'Onboarding'>;

const TONES: Record<Onboarding['state'], Tone> = {
  running: 'info',
  waiting: 'warn',
  failed: 'bad',
  done: 'good',
  ended: 'idle',
};
/** Interval of looks while a step is in progress, in ms. */
const LOOK_MS = 1_000;
const PAGE = 10;

/** The onboardings of a tenant, with their steps. */
export function OnboardingTab({ id }: { id: string }) {
  const { tenants } = useTexts();
  const text = tenants.onboarding;
  const api = useApi();
  const canChange = mayOperate(useSession());
  const path = `/admin/v1/organizations/${id}/onboardings`;
  const { after } = useFilters().filters;
  const query = useQuery({
    queryKey: ['onboardings', id, after],
    queryFn: ({ signal }) => api.get<AnswerOf<'listOnboardings'>>(path, { limit: PAGE, after }, signal),
    refetchInterval: ({ state }) => (state.data?.data.some((one) => one.state === 'running') ? LOOK_MS : false),
  });
  return (
    <Stack>
      <Text size="sm">{text.intro}</Text>
      {canChange && (
        <Group>
          <DialogButton label={text.begin} variant="filled">
            {(close) => <BeginForm path={path} onDone={close} />}
          </DialogButton>
          <DialogButton label={text.link}>{(close) => <LinkForm id={id} onDone={close} />}</DialogButton>
        </Group>
      )}
      <Loaded query={query}>
        {({ data, next }) =>
          data.length === 0 ? (
            <Empty title={text.empty}>{text.emptyWhy}</Empty>
          ) : (
            <>
              {data.map((one) => (
                <OneOnboarding key={one.id} onboarding={one} path={`${path}/${one.id}`} />
              ))}
              <Paging next={next} />
            </>
          )
        }
      </Loaded>
    </Stack>
  );
}

function OneOnboarding({ onboarding, path }: { onboarding: Onboarding; path: string }) {
  const { tenants } = useTexts();
  const text = tenants.onboarding;
  const api = useApi();
  const session = useSession();
  const canChange = mayOperate(session) && onboarding.state !== 'ended';
  return (
    <Stack gap="xs" component="section">
      <Group>
        <StateDot tone={TONES[onboarding.state]}>{text.state[onboarding.state]}</StateDot>
        <Text size="sm">
          <Time at={onboarding.created_at} />
        </Text>
        {onboarding.has_pin && session.role === 'admin' && (
          <ConfirmButton
            label={text.pin}
            size="compact-xs"
            question={text.pinAsk}
            run={() => api.send<AnswerOf<'takeOnboardingPin'>>('POST', `${path}/pin`)}
            result={(answer) => (
              <SecretOnce label={text.pinLabel} value={(answer as AnswerOf<'takeOnboardingPin'>).pin} />
            )}
          />
        )}
        {canChange && onboarding.state !== 'done' && (
          <ConfirmButton
            label={text.end}
            size="compact-xs"
            question={text.endAsk}
            run={() => api.send('DELETE', path)}
            isDangerous
          />
        )}
      </Group>
      <OnboardingSteps onboarding={onboarding} path={path} canChange={canChange} />
    </Stack>
  );
}

function BeginForm({ path, onDone }: { path: string; onDone: () => void }) {
  const { tenants } = useTexts();
  const text = tenants.onboarding;
  const api = useApi();
  const [token, setToken] = useState('');
  const [app, setApp] = useState('');
  const [recipient, setRecipient] = useState('');
  const begin = useChange(
    () =>
      api.send('POST', path, {
        access_token: token.trim(),
        ...(app !== '' && { app_id: app }),
        ...(recipient.trim() !== '' && { test_recipient: recipient.trim() }),
      }),
    onDone,
  );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        begin.mutate();
      }}
    >
      <Stack>
        <TextInput
          label={text.token}
          type="password"
          autoComplete="off"
          required
          value={token}
          onChange={(event) => setToken(event.currentTarget.value)}
          data-autofocus
        />
        <AppChoice fallback={text.appOfToken} value={app} onChange={setApp} />
        <TextInput
          label={text.recipient}
          value={recipient}
          onChange={(event) => setRecipient(event.currentTarget.value)}
        />
        {begin.isError && <FailureNote error={begin.error} title={text.begin} />}
        <SubmitRow onCancel={onDone} isPending={begin.isPending} label={text.begin} />
      </Stack>
    </form>
  );
}

function LinkForm({ id, onDone }: { id: string; onDone: () => void }) {
  const { tenants, shell } = useTexts();
  const text = tenants.onboarding;
  const api = useApi();
  const [app, setApp] = useState('');
  const [recipient, setRecipient] = useState('');
  const create = useChange(() =>
    api.send<Schema<'SetupLinkWithUrl'>>('POST', `/admin/v1/organizations/${id}/setup-links`, {
      ...(app !== '' && { app_id: app }),
      ...(recipient.trim() !== '' && { test_recipient: recipient.trim() }),
    }),
  );
  if (create.isSuccess) return <SecretMade label={text.linkUrl} value={create.data.url} onDone={onDone} />;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        create.mutate();
      }}
    >
      <Stack>
        <TextInput
          label={text.recipient}
          value={recipient}
          onChange={(event) => setRecipient(event.currentTarget.value)}
          data-autofocus
        />
        <AppChoice fallback={text.appOfGateway} value={app} onChange={setApp} />
        {create.isError && <FailureNote error={create.error} title={text.link} />}
        <SubmitRow onCancel={onDone} isPending={create.isPending} label={shell.create} />
      </Stack>
    </form>
  );
}
