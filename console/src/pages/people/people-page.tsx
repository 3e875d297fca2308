import { Button, Group, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useEffect, useState } from 'react';
import type { AnswerOf } from '../../api/shapes.ts';
import { useApi, useOrganization } from '../../api/use-api.ts';
import { DialogButton } from '../../parts/dialog.tsx';
import { Facts } from '../../parts/facts.tsx';
import { useFilters } from '../../parts/filters.ts';
import { TextLink } from '../../parts/link.tsx';
import { Page, Section } from '../../parts/page.tsx';
import { saveFile } from '../../parts/save-file.ts';
import { Empty, FailureNote, Loaded } from '../../parts/states.tsx';
import { useTexts } from '../../preferences/preferences.tsx';
import { Time, useTimes } from '../../preferences/times.tsx';
import { EraseForm } from './erase-form.tsx';
import { ErasureReceipt } from './erasure-receipt.tsx';

type PersonData = AnswerOf<'exportPerson'>;

/** The stored data of a person: its extent, the export, and the erasure with its receipt. */
export function PeoplePage() {
  const { governance } = useTexts();
  const text = governance.people;
  const { filters, setFilters } = useFilters();
  const { person = '', receipt } = filters;
  const [draft, setDraft] = useState(person);
  useEffect(() => setDraft(person), [person]);
  const find = (event: FormEvent) => {
    event.preventDefault();
    setFilters({ person: draft.trim() || undefined, receipt: undefined });
  };
  return (
    <Page title={text.title} intro={text.intro} ofOrganization>
      <form onSubmit={find}>
        <Group align="flex-end" gap="xs" role="search">
          <TextInput
            label={text.person}
            value={draft}
            onChange={(event) => setDraft(event.currentTarget.value)}
            inputMode="tel"
          />
          <Button type="submit" variant="default">
            {text.find}
          </Button>
        </Group>
      </form>
      {receipt !== undefined && <ErasureReceipt id={receipt} />}
      {person !== '' && <StoredData key={person} person={person} />}
      {person === '' && receipt === undefined && <Empty title={text.choose}>{text.chooseWhy}</Empty>}
    </Page>
  );
}

function StoredData({ person }: { person: string }) {
  const { governance } = useTexts();
  const text = governance.people;
  const api = useApi();
  const organization = useOrganization();
  const query = useQuery({
    queryKey: ['person-data', organization, person],
    enabled: organization !== undefined,
    queryFn: ({ signal }) => api.get<PersonData>(pathOf(person), undefined, signal),
  });
  return (
    <Section title={text.stored} actions={<ExportButton person={person} />}>
      <Loaded query={query}>{(data) => <Extent person={person} data={data} />}</Loaded>
    </Section>
  );
}

function pathOf(person: string): string {
  return `/v1/people/${encodeURIComponent(person)}/data`;
}

function Extent({ person, data }: { person: string; data: PersonData }) {
  const { governance } = useTexts();
  const text = governance.people;
  const times = useTimes();
  const { messages, windows, next } = data;
  const count = times.number(messages.length);
  const names = windows.map(({ contact }) => (contact as { profile?: { name?: string } } | null)?.profile?.name);
  const lastWrote = windows.map(({ last_inbound_at }) => last_inbound_at).toSorted();
  return (
    <>
      {messages.length === 0 && windows.length === 0 && <Text c="dimmed">{text.nothing}</Text>}
      <Facts
        facts={[
          [text.numbers, data.phone_numbers.map((digits) => `+${digits}`).join(', ')],
          [text.userIds, data.user_ids.join(', ')],
          [text.names, [...new Set(names.filter(Boolean))].join(', ')],
          [text.lastWrote, lastWrote.length > 0 && <Time key="wrote" at={lastWrote.at(-1)} />],
          [
            text.messages,
            <TextLink key="messages" to="/conversations" search={{ person }}>
              {next === null ? count : text.atLeast(count)}
            </TextLink>,
          ],
        ]}
      />
      <Group mt="md">
        <DialogButton label={text.erase} variant="default">
          {(close) => <EraseForm person={person} onDone={close} />}
        </DialogButton>
      </Group>
    </>
  );
}

/** Reads all pages of the person's data, and offers them as one JSON file. */
function ExportButton({ person }: { person: string }) {
  const { governance } = useTexts();
  const text = governance.people;
  const api = useApi();
  const [count, setCount] = useState(0);
  const save = useMutation({
    mutationFn: async () => {
      const first = await api.get<PersonData>(pathOf(person));
      const messages = [...first.messages];
      let after = first.next;
      while (after !== null) {
        setCount(messages.length);
        const page: PersonData = await api.get(pathOf(person), { after });
        messages.push(...page.messages);
        after = page.next;
      }
      const { next: _, ...data } = first;
      saveFile('person.json', JSON.stringify({ ...data, messages }, null, 2), 'application/json');
    },
  });
  return (
    <Group gap="xs">
      {save.isPending && (
        <Text size="xs" role="status">
          {text.exporting(count)}
        </Text>
      )}
      <Button size="xs" variant="default" loading={save.isPending} onClick={() => save.mutate()}>
        {text.export}
      </Button>
      {save.isError && <FailureNote error={save.error} title={text.export} />}
    </Group>
  );
}
