import { AppShell, Burger, Button, Divider, Group, Menu, ScrollArea, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Outlet, useLocation, useMatches } from '@tanstack/react-router';
import { Suspense, useEffect } from 'react';
import { gatewayPath } from '../api/paths.ts';
import { changeSession, signOut } from '../api/session.ts';
import { useSession } from '../api/session-context.ts';
import icon from '../icon.svg';
import { ForeignPage } from '../pages/not-found-page.tsx';
import { MenuLink, TextLink } from '../parts/link.tsx';
import { LoadingPage } from '../parts/states.tsx';
import { usePreferences, useTexts } from '../preferences/preferences.tsx';
import { mayOpen, pagesFor } from './navigation.ts';
import { OrganizationPicker } from './organization-picker.tsx';
import { PreferencesMenu } from './preferences-menu.tsx';
import { SearchDialog } from './search-dialog.tsx';
import classes from './shell.module.css';

/** The frame of the console: header, menu and the chosen page. */
export function Shell() {
  const { shell } = useTexts();
  const [opened, { toggle, close }] = useDisclosure();
  const { pathname } = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: every new page closes the menu of a phone
  useEffect(close, [pathname]);
  return (
    <AppShell
      header={{ height: { base: 92, sm: 52 } }}
      navbar={{ width: 220, breakpoint: 'sm', collapsed: { mobile: !opened } }}
      padding="md"
    >
      <a href="#content" className={classes.skip}>
        {shell.skip}
      </a>
      <AppShell.Header>
        <Group h="100%" px="md" gap="xs" justify="space-between">
          <Group gap="xs" wrap="nowrap">
            <Burger opened={opened} onClick={toggle} hiddenFrom="sm" size="sm" aria-label={shell.openMenu} />
            <TextLink to="/" fw={700} c="var(--mantine-color-text)" underline="never" className={classes.brand}>
              <img src={icon} alt="" width="22" height="22" />
              Fairway
            </TextLink>
            <OrganizationPicker />
          </Group>
          <Group gap="xs" wrap="nowrap">
            <SearchDialog />
            <PreferencesMenu />
            <AccountMenu />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar aria-label={shell.nav.label}>
        <ScrollArea p="xs">
          <Navigation />
        </ScrollArea>
      </AppShell.Navbar>
      <AppShell.Main id="content">
        <Suspense fallback={<LoadingPage />}>
          <PageOfRoute />
        </Suspense>
      </AppShell.Main>
    </AppShell>
  );
}

/** The chosen page, or the reason for which the caller cannot open it. */
function PageOfRoute() {
  const { shell } = useTexts();
  const session = useSession();
  const route = useMatches({ select: (matches) => matches.at(-1)?.routeId ?? '' });
  return mayOpen(route, session, shell) ? <Outlet /> : <ForeignPage />;
}

function Navigation() {
  const { shell } = useTexts();
  const session = useSession();
  const { timeZone } = usePreferences();
  const pages = pagesFor(session, shell);
  const links = (group: string) =>
    pages
      .filter((page) => page.group === group)
      .map(({ to, label }) => (
        <MenuLink
          key={to}
          to={to}
          label={label}
          activeProps={{ active: true, 'aria-current': 'page' }}
          variant="filled"
        />
      ));
  const ofGateway = links('gateway');
  return (
    <>
      {ofGateway.length > 0 && (
        <>
          <Heading>{shell.nav.groupGateway}</Heading>
          {ofGateway}
          <Divider my="xs" />
        </>
      )}
      <Heading>{shell.nav.groupOrganization}</Heading>
      {links('organization')}
      <Divider my="xs" />
      <a href={gatewayPath('/docs')} target="_blank" rel="noreferrer" className="mantine-focus-auto docs-link">
        {shell.nav.docs}
      </a>
      <Text size="xs" c="dimmed" px="sm">
        {shell.timesIn(timeZone === 'local' ? Intl.DateTimeFormat().resolvedOptions().timeZone : timeZone)}
      </Text>
    </>
  );
}

function Heading({ children }: { children: string }) {
  return (
    <Text size="xs" c="dimmed" fw={600} px="sm" py={4}>
      {children}
    </Text>
  );
}

function AccountMenu() {
  const { shell } = useTexts();
  const session = useSession();
  const client = useQueryClient();
  const leave = useMutation({
    mutationFn: signOut,
    onSuccess: (url) => url !== undefined && location.assign(url),
    onSettled: () => changeSession(client, null),
  });
  return (
    <Menu position="bottom-end" withArrow>
      <Menu.Target>
        <Button variant="subtle" color="gray" size="compact-sm" maw={160}>
          <Text inherit truncate c="var(--mantine-color-text)">
            {session.name}
          </Text>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          {shell.signedInAs} {session.name}
          <br />
          {shell.roles[session.role ?? 'key']}
        </Menu.Label>
        <Menu.Item onClick={() => leave.mutate()}>{shell.signOut}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
