import { Button, Select, SimpleGrid, Text, TextInput } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { may } from '../../api/session.ts';
import { useSession } from '../../api/session-context.ts';
import type { AnswerOf, Schema } from '../../api/shapes.ts';
import { useApi, useOrganization } from '../../api/use-api.ts';
import { type Column, DataTable, Paging } from '../../parts/data-table.tsx';
import { useFilters } from '../../parts/filters.ts';
import { ButtonLink, TextLink } from '../../parts/link.tsx';
import { Page } from '../../parts/page.tsx';
import { StateDot, type Tone } from '../../parts/state-dot.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { useTexts } from '../../preferences/preferences.tsx';
import { Time } from '../../preferences/times.tsx';

type Template = Schema<'Template'>;

const PAGE = 50;
const STATUSES = ['APPROVED', 'PENDING', 'REJECTED', 'PAUSED', 'DISABLED'];
const CATEGORIES = ['AUTHENTICATION', 'MARKETING', 'UTILITY'];
const TONES: Record<string, Tone> = {
  APPROVED: 'good',
  PENDING: 'warn',
  REJECTED: 'bad',
  PAUSED: 'bad',
  DISABLED: 'bad',
};

/** The status of a template: the platform's own word. */
export function TemplateStatus({ status }: { status: string }) {
  return <StateDot tone={TONES[status] ?? 'idle'}>{status}</StateDot>;
}

/** The templates of the organization's accounts. */
export function TemplatesPage() {
  const { templates, shell } = useTexts();
  const api = useApi();
  const session = useSession();
  const organization = useOrganization();
  const { filters, setFilters } = useFilters();
  const { org: _, ...wanted } = filters;
  const query = useQuery({
    queryKey: ['templates', organization, wanted],
    enabled: organization !== undefined,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => api.get<AnswerOf<'listTemplates'>>('/v1/templates', { limit: PAGE, ...wanted }, signal),
  });
  const columns: Column<Template>[] = [
    {
      title: templates.name,
      cell: ({ id, name, language }) => (
        <>
          <TextLink to="/templates/$id" params={{ id }}>
            {name}
          </TextLink>
          <Text size="xs" c="dimmed">
            {language}
          </Text>
        </>
      ),
    },
    { title: templates.category, isWide: true, cell: ({ category }) => category },
    {
      title: templates.status,
      cell: ({ status, rejected_reason }) => (
        <>
          <TemplateStatus status={status} />
          {rejected_reason !== null && rejected_reason !== 'NONE' && <Text size="xs">{rejected_reason}</Text>}
        </>
      ),
    },
    {
      title: templates.quality,
      isWide: true,
      cell: ({ quality_score: score }) => (score === null || score === 'UNKNOWN' ? templates.noneQuality : score),
    },
    { title: templates.account, isWide: true, cell: ({ waba_id }) => waba_id },
    { title: templates.updated, isWide: true, cell: ({ updated_at }) => <Time at={updated_at} /> },
  ];
  const clear = () => setFilters(Object.fromEntries(Object.keys(wanted).map((name) => [name, undefined])));
  return (
    <Page
      title={templates.title}
      intro={templates.intro}
      ofOrganization
      actions={
        may(session, 'templates:write') && (
          <ButtonLink to="/templates/new" size="xs">
            {templates.create}
          </ButtonLink>
        )
      }
    >
      <Filters />
      <Loaded query={query}>
        {({ data, paging }) =>
          data.length === 0 ? (
            <Empty
              title={templates.emptyTitle}
              action={
                Object.values(wanted).some(Boolean) && (
                  <Button variant="default" onClick={clear}>
                    {shell.clearFilters}
                  </Button>
                )
              }
            >
              {templates.empty}
            </Empty>
          ) : (
            <>
              <DataTable label={templates.title} columns={columns} rows={data} keyOf={({ id }) => id} />
              <Paging next={paging?.next === undefined ? null : paging.cursors.after} />
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

function Filters() {
  const { templates, messages } = useTexts();
  const { filters, setFilters } = useFilters();
  const [words, setWords] = useState(filters.name_or_content ?? '');
  useEffect(() => setWords(filters.name_or_content ?? ''), [filters.name_or_content]);
  const apply = () => {
    if (words.trim() !== (filters.name_or_content ?? '')) setFilters({ name_or_content: words.trim() });
  };
  return (
    <SimpleGrid cols={{ base: 2, sm: 4 }} spacing="xs" role="search">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          apply();
        }}
      >
        <TextInput
          size="xs"
          label={templates.contains}
          value={words}
          onChange={(event) => setWords(event.currentTarget.value)}
          onBlur={apply}
        />
      </form>
      <Select
        size="xs"
        label={templates.status}
        placeholder={messages.filters.any}
        data={STATUSES}
        value={filters.status ?? null}
        onChange={(status) => setFilters({ status: status ?? undefined })}
        clearable
      />
      <Select
        size="xs"
        label={templates.category}
        placeholder={messages.filters.any}
        data={CATEGORIES}
        value={filters.category ?? null}
        onChange={(category) => setFilters({ category: category ?? undefined })}
        clearable
      />
    </SimpleGrid>
  );
}
