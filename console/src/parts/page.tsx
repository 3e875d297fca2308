import { Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { useOrganization } from '../api/use-api.ts';
import { useTexts } from '../preferences/preferences.tsx';
import { OrganizationChoice } from '../shell/organization-picker.tsx';

interface PageProps {
  title: string;
  intro?: ReactNode;
  actions?: ReactNode;
  /** True if the page shows data of one organization. */
  ofOrganization?: boolean;
  children: ReactNode;
}

/** The frame of every page: its heading, its actions, and the choice of an organization if it needs one. */
export function Page({ title, intro, actions, ofOrganization = false, children }: PageProps) {
  const { shell } = useTexts();
  const organization = useOrganization();
  const asksFirst = ofOrganization && organization === undefined;
  useDocumentTitle(`${title} · ${shell.product}`);
  return (
    <Stack gap="md">
      <Group justify="space-between" align="flex-start" gap="sm">
        <div>
          <Title order={1} id="page-title" tabIndex={-1}>
            {title}
          </Title>
          {intro !== undefined && (
            <Text c="dimmed" size="sm">
              {intro}
            </Text>
          )}
        </div>
        {actions !== undefined && !asksFirst && <Group gap="xs">{actions}</Group>}
      </Group>
      {asksFirst ? <OrganizationChoice /> : children}
    </Stack>
  );
}

/** A part of a page under a heading of its own. */
export function Section({ title, actions, children }: { title: string; actions?: ReactNode; children: ReactNode }) {
  return (
    <Paper withBorder p="md" component="section" aria-label={title}>
      <Group justify="space-between" mb="sm" gap="xs">
        <Title order={2}>{title}</Title>
        {actions}
      </Group>
      {children}
    </Paper>
  );
}
