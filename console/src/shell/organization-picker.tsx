import { Paper, Select, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { organizationsQuery } from '../api/organizations.ts';
import { useSession } from '../api/session-context.ts';
import { useOrganization } from '../api/use-api.ts';
import { useFilters } from '../parts/filters.ts';
import { ButtonLink, TextLink } from '../parts/link.tsx';
import { Loaded } from '../parts/states.tsx';
import { useTexts } from '../preferences/preferences.tsx';

/** Shows the key's organization, or lets an operator choose one. */
export function OrganizationPicker() {
  const { shell, tenants } = useTexts();
  const session = useSession();
  const organization = useOrganization();
  const { setFilters } = useFilters();
  const { data } = useQuery({ ...organizationsQuery, enabled: session.kind === 'operator' });
  if (session.organization !== null) {
    return (
      <Text size="sm" fw={600} truncate maw={220}>
        {session.organization.name}
      </Text>
    );
  }
  const options = (data ?? []).map(({ id, name, test }) => ({
    value: id,
    label: test ? `${name} (${tenants.test})` : name,
  }));
  const isKnown = organization === undefined || options.some(({ value }) => value === organization);
  return (
    <Select
      aria-label={shell.organization}
      placeholder={shell.organizationAll}
      data={isKnown ? options : [...options, { value: organization, label: organization }]}
      value={organization ?? null}
      onChange={(org) => setFilters({ org: org ?? undefined })}
      searchable
      clearable
      limit={50}
      size="xs"
      w={{ base: 150, sm: 240 }}
    />
  );
}

/** Stands in place of a page that needs an organization. */
export function OrganizationChoice() {
  const { shell } = useTexts();
  const query = useQuery(organizationsQuery);
  return (
    <Paper withBorder p="lg" maw={560}>
      <Stack gap="sm">
        <Title order={2}>{shell.chooseOrganization}</Title>
        <Text size="sm" c="dimmed">
          {shell.chooseOrganizationWhy}
        </Text>
        <Loaded query={query} rows={3}>
          {(organizations) =>
            organizations.length === 0 ? (
              <Text>
                {shell.noOrganizations}{' '}
                <TextLink to="/organizations" underline="always">
                  {shell.nav.tenants}
                </TextLink>
              </Text>
            ) : (
              <Stack gap="xs" align="stretch">
                {organizations.slice(0, 10).map(({ id, name }) => (
                  <ButtonLink
                    key={id}
                    to="."
                    search={((before: object) => ({ ...before, org: id })) as never}
                    variant="default"
                    justify="flex-start"
                  >
                    {name}
                  </ButtonLink>
                ))}
              </Stack>
            )
          }
        </Loaded>
      </Stack>
    </Paper>
  );
}
