import { Button, Group, SegmentedControl, SimpleGrid, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useSession } from '../../api/session-context.ts';
import type { AnswerOf, Schema } from '../../api/shapes.ts';
import { useApi, useOrganization } from '../../api/use-api.ts';
import { type Column, DataTable, Paging } from '../../parts/data-table.tsx';
import { DialogButton } from '../../parts/dialog.tsx';
import { MomentFilter, TextFilter } from '../../parts/filter-fields.tsx';
import { useFilters } from '../../parts/filters.ts';
import { Page } from '../../parts/page.tsx';
import { StateDot } from '../../parts/state-dot.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { useTexts } from '../../preferences/preferences.tsx';
import { Time } from '../../preferences/times.tsx';
import { AuditExport } from './audit-export.tsx';
import { ChainVerdict } from './chain-verdict.tsx';
import { ChangeDetails } from './change-details.tsx';

type Change = Schema<'AuditedChange'>;
type Search = Record<string, string | undefined>;

const PAGE = 50;

/** The changes of the gateway, or of one organization, with the state of their chain. */
export function AuditPage() {
  const { governance, shell } = useTexts();
  const text = governance.audit;
  const isAdmin = useSession().role === 'admin';
  const organization = useOrganization();
  const { filters, setFilters } = useFilters();
  const { org: _org, chain: _chain, after, ...wanted } = filters;
  const isDeployment = isAdmin && filters.chain === 'deployment';
  // Operators below admin and keys read the part of one organization.
  const path = isAdmin ? '/admin/v1/audit' : '/v1/audit';
  const search: Search = {
    ...wanted,
    ...(isAdmin && { organization_id: isDeployment ? 'none' : organization }),
  };
  const api = useApi();
  const query = useQuery({
    queryKey: ['audit', organization, search, after],
    enabled: isAdmin || organization !== undefined,
    queryFn: ({ signal }) => api.get<AnswerOf<'listAudit'>>(path, { limit: PAGE, ...search, after }, signal),
  });
  const clear = () => setFilters(Object.fromEntries(Object.keys(wanted).map((name) => [name, undefined])));
  return (
    <Page
      title={text.title}
      intro={text.intro}
      ofOrganization={!isAdmin}
      actions={<AuditExport path={path} search={search} />}
    >
      <ChainVerdict path={path} organization={isDeployment ? undefined : organization} />
      <Stack gap="xs" role="search" aria-label={text.filters}>
        {isAdmin && (
          <Group gap="xs">
            <Text size="xs" fw={500} id="audit-of">
              {text.organization}
            </Text>
            <SegmentedControl
              size="xs"
              aria-labelledby="audit-of"
              value={isDeployment ? 'deployment' : 'one'}
              onChange={(value) => setFilters({ chain: value === 'deployment' ? value : undefined })}
              data={[
                { value: 'one', label: organization === undefined ? text.ofAll : text.ofOne },
                { value: 'deployment', label: text.ofDeployment },
              ]}
            />
          </Group>
        )}
        <SimpleGrid cols={{ base: 2, sm: 3, lg: 5 }} spacing="xs">
          <TextFilter name="operation" label={text.operation} />
          <TextFilter name="actor" label={text.actor} />
          <TextFilter name="object" label={text.object} />
          <MomentFilter name="from" label={text.from} />
          <MomentFilter name="to" label={text.to} />
        </SimpleGrid>
        {Object.values(wanted).some(Boolean) && (
          <div>
            <Button size="compact-xs" variant="default" onClick={clear}>
              {shell.clearFilters}
            </Button>
          </div>
        )}
      </Stack>
      <Loaded query={query} rows={8}>
        {({ data, next }) =>
          data.length === 0 ? (
            <Empty title={text.empty}>{text.emptyWhy}</Empty>
          ) : (
            <>
              <ChangeTable changes={data} />
              <Paging next={next} />
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

function ChangeTable({ changes }: { changes: readonly Change[] }) {
  const { governance } = useTexts();
  const text = governance.audit;
  const columns: Column<Change>[] = [
    { title: text.at, cell: ({ at }) => <Time at={at} /> },
    { title: text.action, cell: ({ operation }) => operation },
    { title: text.by, cell: (change) => <Actor change={change} /> },
    { title: text.on, isWide: true, cell: (change) => <ChangedObject change={change} /> },
    { title: text.result, isWide: true, cell: (change) => <Result change={change} /> },
    {
      title: '',
      align: 'right',
      cell: (change) => (
        <DialogButton label={text.show} size="compact-xs" wide>
          {() => <ChangeDetails change={change} />}
        </DialogButton>
      ),
    },
  ];
  return <DataTable label={text.title} columns={columns} rows={changes} keyOf={({ id }) => id} />;
}

function Actor({ change: { actor } }: { change: Change }) {
  const { governance } = useTexts();
  const text = governance.audit;
  const { setFilters } = useFilters();
  const name = actor.name ?? text.actors[actor.type] ?? actor.type;
  if (actor.id === null) return name;
  return (
    <Button
      size="compact-xs"
      variant="default"
      title={text.onlyActor}
      onClick={() => setFilters({ actor: actor.id ?? undefined })}
    >
      {name}
    </Button>
  );
}

function ChangedObject({ change: { object } }: { change: Change }) {
  const { governance } = useTexts();
  const { setFilters } = useFilters();
  if (object === null) return '–';
  return (
    <>
      {object.type}{' '}
      <Button
        size="compact-xs"
        variant="default"
        ff="monospace"
        title={governance.audit.onlyObject}
        onClick={() => setFilters({ object: object.id })}
      >
        {object.id}
      </Button>
    </>
  );
}

function Result({ change: { http_status: status } }: { change: Change }) {
  const { governance } = useTexts();
  const text = governance.audit;
  if (status === null) return <StateDot tone="warn">{text.unfinished}</StateDot>;
  return status < 400 ? (
    <StateDot tone="good">{String(status)}</StateDot>
  ) : (
    <StateDot tone="bad">
      {text.refused} ({status})
    </StateDot>
  );
}
