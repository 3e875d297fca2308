import { useOrganization } from '../../api/use-api.ts';
import { Page } from '../../parts/page.tsx';
import { useTexts } from '../../preferences/preferences.tsx';
import { UsageTab } from './usage-tab.tsx';

/** The usage of the key's own organization. */
export function UsagePage() {
  const { shell, tenants } = useTexts();
  const organization = useOrganization();
  return (
    <Page title={shell.nav.usage} intro={tenants.usage.intro} ofOrganization>
      {organization !== undefined && <UsageTab id={organization} isOwn />}
    </Page>
  );
}
