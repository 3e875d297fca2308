import { Checkbox, NumberInput, Select, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { mayOperate } from '../../api/session.ts';
import { useSession } from '../../api/session-context.ts';
import type { Schema } from '../../api/shapes.ts';
import { useApi } from '../../api/use-api.ts';
import { useChange } from '../../parts/actions.tsx';
import { SaveRow } from '../../parts/save-row.tsx';
import { useTexts } from '../../preferences/preferences.tsx';

type Organization = Schema<'Organization'>;
type Retention = Organization['retention'];

const CHOICES = ['marketing_messages', 'keep_bodies', 'phone_numbers'] as const;
const SWITCHES = ['direct_send', 'to_without_plus', 'contacts_as_text', 'cloud_api_credentials'] as const;
/** Days that the API accepts, by member. */
const RETENTION = { messages_days: [8, 3650], events_days: [6, 30], media_names_days: [1, 3650] } as const;

/** The settings of a tenant. A reader sees them in locked fields. */
export function SettingsTab({ organization }: { organization: Organization }) {
  const { tenants, shell } = useTexts();
  const api = useApi();
  const isLocked = !mayOperate(useSession());
  const [draft, setDraft] = useState(organization);
  const [words, setWords] = useState(organization.opt_out_words.join(', '));
  const set = (change: Partial<Organization>) => setDraft((before) => ({ ...before, ...change }));
  const { name, weight, unknown_outcome_policy, message_ttl_seconds } = draft;
  const save = useChange(() => {
    const { id, test: _test, created_at: _createdAt, ...settings } = draft;
    return api.send('PATCH', `/admin/v1/organizations/${id}`, { ...settings, opt_out_words: wordsOf(words) });
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <Stack maw={520}>
        {isLocked && <Text size="sm">{shell.readOnly}</Text>}
        <TextInput
          label={tenants.name}
          value={name}
          onChange={(event) => set({ name: event.currentTarget.value })}
          readOnly={isLocked}
          required
        />
        <NumberInput
          label={tenants.weight}
          description={tenants.weightHint}
          value={weight}
          onChange={(value) => set({ weight: Number(value) })}
          min={0}
          readOnly={isLocked}
        />
        <Select
          label={tenants.unknownOutcome}
          data={Object.entries(tenants.unknownOutcomes).map(([value, label]) => ({ value, label }))}
          value={unknown_outcome_policy}
          onChange={(value) => set({ unknown_outcome_policy: value as Organization['unknown_outcome_policy'] })}
          allowDeselect={false}
          readOnly={isLocked}
        />
        <NumberInput
          label={tenants.ttl}
          value={message_ttl_seconds}
          onChange={(value) => set({ message_ttl_seconds: Number(value) })}
          min={1}
          readOnly={isLocked}
        />
        <TextInput
          label={tenants.optOutWords}
          description={tenants.optOutWordsHint}
          value={words}
          onChange={(event) => setWords(event.currentTarget.value)}
          readOnly={isLocked}
        />
        {CHOICES.map((member) => (
          <Select
            key={member}
            label={tenants.choices[member].label}
            data={Object.entries(tenants.choices[member].values).map(([value, label]) => ({ value, label }))}
            value={draft[member]}
            onChange={(value) => set({ [member]: value })}
            allowDeselect={false}
            readOnly={isLocked}
          />
        ))}
        <RetentionFields retention={draft.retention} onChange={(retention) => set({ retention })} isLocked={isLocked} />
        {SWITCHES.map((member) => (
          <Checkbox
            key={member}
            label={tenants.switches[member]}
            checked={draft[member]}
            disabled={isLocked}
            onChange={(event) => set({ [member]: event.currentTarget.checked })}
          />
        ))}
        <SaveRow save={save} isLocked={isLocked} />
      </Stack>
    </form>
  );
}

/** The organization's own times of keeping data, in days. An empty field follows the gateway. */
function RetentionFields({
  retention,
  onChange,
  isLocked,
}: {
  retention: Retention;
  onChange: (retention: Retention) => void;
  isLocked: boolean;
}) {
  const { tenants } = useTexts();
  const change = (member: keyof Retention, value: string | number) => {
    const { [member]: _before, ...others } = retention;
    onChange(value === '' ? others : { ...others, [member]: Number(value) });
  };
  return (
    <SimpleGrid cols={{ base: 1, sm: 3 }} className="bottom-line">
      {(Object.keys(RETENTION) as (keyof typeof RETENTION)[]).map((member) => (
        <NumberInput
          key={member}
          label={tenants.retention[member]}
          placeholder={tenants.retention.asGateway}
          value={retention[member] ?? ''}
          min={RETENTION[member][0]}
          max={RETENTION[member][1]}
          allowDecimal={false}
          onChange={(value) => change(member, value)}
          readOnly={isLocked}
        />
      ))}
    </SimpleGrid>
  );
}

/** Returns the words of a text in which commas separate them. */
function wordsOf(text: string): string[] {
  return text
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean);
}
