import { Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useSession } from '../../api/session-context.ts';
import type { Schema } from '../../api/shapes.ts';
import { useApi } from '../../api/use-api.ts';
import { ConfirmButton } from '../../parts/actions.tsx';
import { useFilters } from '../../parts/filters.ts';
import { ButtonLink } from '../../parts/link.tsx';
import { Page } from '../../parts/page.tsx';
import { Loaded } from '../../parts/states.tsx';
import { useTexts } from '../../preferences/preferences.tsx';
import { KeysTab } from './keys-tab.tsx';
import { OnboardingTab } from './onboarding-tab.tsx';
import { PlanTab } from './plan-tab.tsx';
import { RatesTab } from './rates-tab.tsx';
import { SettingsTab } from './settings-tab.tsx';
import { UsageTab } from './usage-tab.tsx';

const TABS = ['settings', 'onboarding', 'keys', 'plan', 'usage', 'rates'] as const;

/** One tenant: its settings, keys, plan, usage and prices. */
export function OrganizationPage() {
  const { tenants } = useTexts();
  const { id } = useParams({ strict: false }) as { id: string };
  const api = useApi();
  const session = useSession();
  const navigate = useNavigate();
  const { filters, setFilters } = useFilters();
  const tab = TABS.find((name) => name === filters.tab) ?? 'settings';
  const path = `/admin/v1/organizations/${encodeURIComponent(id)}`;
  const query = useQuery({
    queryKey: ['organization', id],
    queryFn: ({ signal }) => api.get<Schema<'Organization'>>(path, undefined, signal),
  });
  const close = async () => {
    await api.send('DELETE', path);
    await navigate({ to: '/organizations', search: {} });
  };
  return (
    <Page
      title={query.data?.name ?? tenants.title}
      intro={query.data?.test ? `${tenants.testChoice} · ${id}` : id}
      actions={
        <>
          <ButtonLink to="/messages" search={{ org: id }} size="xs" variant="default">
            {tenants.open}
          </ButtonLink>
          {session.role === 'admin' && (
            <ConfirmButton label={tenants.close} question={tenants.closeAsk} run={close} isDangerous />
          )}
        </>
      }
    >
      <Loaded query={query}>
        {(organization) => (
          <Tabs value={tab} onChange={(value) => setFilters({ tab: value ?? undefined })} keepMounted={false}>
            <Tabs.List mb="md">
              {TABS.map((name) => (
                <Tabs.Tab key={name} value={name}>
                  {tenants.tabs[name]}
                </Tabs.Tab>
              ))}
            </Tabs.List>
            <Tabs.Panel value="settings">
              <SettingsTab organization={organization} />
            </Tabs.Panel>
            <Tabs.Panel value="onboarding">
              <OnboardingTab id={id} />
            </Tabs.Panel>
            <Tabs.Panel value="keys">
              <KeysTab id={id} />
            </Tabs.Panel>
            <Tabs.Panel value="plan">
              <PlanTab id={id} />
            </Tabs.Panel>
            <Tabs.Panel value="usage">
              <UsageTab id={id} />
            </Tabs.Panel>
            <Tabs.Panel value="rates">
              <RatesTab id={id} />
            </Tabs.Panel>
          </Tabs>
        )}
      </Loaded>
    </Page>
  );
}
