import { Group, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { may } from '../../api/session.ts';
import { useSession } from '../../api/session-context.ts';
import type { Schema } from '../../api/shapes.ts';
import { useApi, useOrganization } from '../../api/use-api.ts';
import { ActionButton, ConfirmButton, SecretOnce } from '../../parts/actions.tsx';
import { DialogButton } from '../../parts/dialog.tsx';
import { Copyable, Facts } from '../../parts/facts.tsx';
import { Page, Section } from '../../parts/page.tsx';
import { Loaded } from '../../parts/states.tsx';
import { useTexts } from '../../preferences/preferences.tsx';
import { Time } from '../../preferences/times.tsx';
import { DeliveryList } from './delivery-list.tsx';
import { EndpointForm } from './endpoint-form.tsx';
import { ReplayDialog } from './replay-dialog.tsx';
import { EndpointStatus } from './webhooks-page.tsx';

type Endpoint = Schema<'WebhookEndpoint'>;

/** One endpoint: its state, its deliveries, and the ways to mend it. */
export function WebhookPage() {
  const { webhooks } = useTexts();
  const { id } = useParams({ strict: false }) as { id: string };
  const api = useApi();
  const session = useSession();
  const organization = useOrganization();
  const query = useQuery({
    queryKey: ['webhook', organization, id],
    enabled: organization !== undefined,
    queryFn: ({ signal }) => api.get<Endpoint>(`/v1/webhooks/${encodeURIComponent(id)}`, undefined, signal),
    refetchInterval: 5000,
  });
  return (
    <Page
      title={query.data?.url ?? webhooks.title}
      intro={query.data?.description ?? undefined}
      ofOrganization
      actions={query.data && may(session, 'webhooks') && <Actions endpoint={query.data} />}
    >
      <Loaded query={query}>
        {(endpoint) => (
          <Stack>
            <Section title={webhooks.status} actions={<EndpointStatus endpoint={endpoint} />}>
              <Facts
                facts={[
                  ['Id', <Copyable key="id" value={endpoint.id} />],
                  [webhooks.events, endpoint.events?.join(', ') ?? webhooks.eventsAll],
                  [webhooks.rate, endpoint.rate_per_second],
                  [webhooks.format, webhooks.formats[endpoint.format] ?? endpoint.format],
                  ['Public key', endpoint.public_key && <Copyable key="key" value={endpoint.public_key} />],
                  [webhooks.failingSince, endpoint.failing_since && <Time key="since" at={endpoint.failing_since} />],
                ]}
              />
            </Section>
            <DeliveryList id={id} />
          </Stack>
        )}
      </Loaded>
    </Page>
  );
}

function Actions({ endpoint }: { endpoint: Endpoint }) {
  const { webhooks, shell } = useTexts();
  const api = useApi();
  const navigate = useNavigate();
  const path = `/v1/webhooks/${endpoint.id}`;
  const rotate = () => api.send<Schema<'WebhookEndpointWithSecret'>>('POST', `${path}/rotate-secret`, {});
  const remove = async () => {
    await api.send('DELETE', path);
    await navigate({ to: '/webhooks', search: ((before: object) => before) as never });
  };
  return (
    <Group gap="xs">
      <DialogButton label={webhooks.change}>
        {(close) => <EndpointForm endpoint={endpoint} onDone={close} />}
      </DialogButton>
      <ActionButton label={webhooks.test} done={webhooks.tested} run={() => api.send('POST', `${path}/test`)} />
      <DialogButton label={webhooks.replay}>
        {(close) => <ReplayDialog id={endpoint.id} failingSince={endpoint.failing_since} onDone={close} />}
      </DialogButton>
      <ConfirmButton
        label={webhooks.rotate}
        question={webhooks.rotateAsk}
        run={rotate}
        result={(answer) => {
          const { secret, public_key } = answer as Schema<'WebhookEndpointWithSecret'>;
          return <SecretOnce label={webhooks.secret} value={secret ?? public_key ?? ''} />;
        }}
      />
      {endpoint.status === 'disabled' ? (
        <ActionButton label={webhooks.enable} run={() => api.send('POST', `${path}/enable`)} />
      ) : (
        <ConfirmButton
          label={webhooks.disable}
          question={webhooks.disableAsk}
          run={() => api.send('PATCH', path, { disabled: true })}
        />
      )}
      <ConfirmButton label={shell.delete} question={webhooks.removeAsk} run={remove} isDangerous />
    </Group>
  );
}
