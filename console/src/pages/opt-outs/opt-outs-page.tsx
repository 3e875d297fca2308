import { Select, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { numberOptions, useNumbers } from '../../api/numbers.ts';
import { may } from '../../api/session.ts';
import { useSession } from '../../api/session-context.ts';
import type { AnswerOf, Schema } from '../../api/shapes.ts';
import { useApi, useOrganization } from '../../api/use-api.ts';
import { ConfirmButton, useChange } from '../../parts/actions.tsx';
import { type Column, DataTable, Paging } from '../../parts/data-table.tsx';
import { DialogButton } from '../../parts/dialog.tsx';
import { TextFilter } from '../../parts/filter-fields.tsx';
import { useFilters } from '../../parts/filters.ts';
import { TextLink } from '../../parts/link.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty, FailureNote, Loaded } from '../../parts/states.tsx';
import { SubmitRow } from '../../parts/submit-row.tsx';
import { useTexts } from '../../preferences/preferences.tsx';
import { Time } from '../../preferences/times.tsx';

type OptOut = Schema<'OptOut'>;

const PAGE = 50;

/** The people who want no marketing from a number of the organization. */
export function OptOutsPage() {
  const { governance } = useTexts();
  const text = governance.optOuts;
  const api = useApi();
  const organization = useOrganization();
  const numbers = useNumbers();
  const { filters, setFilters } = useFilters();
  const { number, person, after } = filters;
  const canChange = may(useSession(), 'opt-outs');
  const query = useQuery({
    queryKey: ['opt-outs', organization, number, person, after],
    enabled: organization !== undefined,
    queryFn: ({ signal }) =>
      api.get<AnswerOf<'listOptOuts'>>('/v1/opt-outs', { limit: PAGE, number, person, after }, signal),
  });
  return (
    <Page
      title={text.title}
      intro={text.intro}
      ofOrganization
      actions={
        canChange &&
        organization !== undefined && (
          <DialogButton label={text.add} variant="filled">
            {(close) => <AddForm onDone={close} />}
          </DialogButton>
        )
      }
    >
      <SimpleGrid cols={{ base: 2, sm: 3, lg: 5 }} spacing="xs" role="search">
        <Select
          size="xs"
          label={text.number}
          placeholder={text.any}
          data={numberOptions(numbers.data, number)}
          value={number ?? null}
          onChange={(value) => setFilters({ number: value ?? undefined })}
          clearable
        />
        <TextFilter name="person" label={text.person} />
      </SimpleGrid>
      <Loaded query={query}>
        {({ data, next }) =>
          data.length === 0 ? (
            <Empty title={text.empty}>{text.emptyWhy}</Empty>
          ) : (
            <>
              <OptOutTable rows={data} canChange={canChange} />
              <Paging next={next} />
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

/** Returns the person of an opt-out: a phone number with `+`, or the user id. */
function nameOf({ person, user_id }: OptOut): string {
  return person === null ? (user_id ?? '–') : `+${person}`;
}

function OptOutTable({ rows, canChange }: { rows: readonly OptOut[]; canChange: boolean }) {
  const { governance } = useTexts();
  const text = governance.optOuts;
  const api = useApi();
  const numbers = useNumbers();
  const labelOf = (id: string) => numberOptions(numbers.data, id).find(({ value }) => value === id)?.label ?? id;
  const columns: Column<OptOut>[] = [
    {
      title: text.person,
      cell: (row) => (
        <TextLink to="/conversations" search={{ person: nameOf(row), account: row.phone_number_id }}>
          {nameOf(row)}
        </TextLink>
      ),
    },
    { title: text.number, isWide: true, cell: ({ phone_number_id }) => labelOf(phone_number_id) },
    { title: text.source, cell: ({ source }) => text.sources[source] ?? source },
    { title: text.since, isWide: true, cell: ({ opted_out_at }) => <Time at={opted_out_at} /> },
  ];
  if (canChange) {
    columns.push({
      title: '',
      isAction: true,
      align: 'right',
      cell: (row) => (
        <ConfirmButton
          label={text.lift}
          size="compact-xs"
          question={
            <>
              {text.liftAsk(nameOf(row))} {row.source === 'platform' && text.liftPlatform}
            </>
          }
          run={() => api.send('DELETE', `/v1/opt-outs/${row.id}`)}
        />
      ),
    });
  }
  return <DataTable label={text.title} columns={columns} rows={rows} keyOf={({ id }) => id} />;
}

function AddForm({ onDone }: { onDone: () => void }) {
  const { governance } = useTexts();
  const text = governance.optOuts;
  const api = useApi();
  const numbers = useNumbers();
  const [chosen, setChosen] = useState<string | null>(null);
  const [person, setPerson] = useState('');
  const options = numberOptions(numbers.data);
  const number = chosen ?? options[0]?.value ?? null;
  const add = useChange(
    () => api.send('POST', '/v1/opt-outs', { phone_number_id: number, person: person.trim() }),
    onDone,
  );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        add.mutate();
      }}
    >
      <Stack>
        <Text size="sm">{text.addHint}</Text>
        <Select
          label={text.number}
          data={options}
          value={number}
          onChange={setChosen}
          allowDeselect={false}
          searchable
          required
        />
        <TextInput
          label={text.person}
          description={text.personHint}
          value={person}
          onChange={(event) => setPerson(event.currentTarget.value)}
          required
          data-autofocus
        />
        {add.isError && <FailureNote error={add.error} title={text.add} />}
        <SubmitRow onCancel={onDone} isPending={add.isPending} label={text.add} />
      </Stack>
    </form>
  );
}
