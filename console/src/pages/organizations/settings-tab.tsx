import { Checkbox, NumberInput, Select, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { mayOperate } from '../../api/session.ts';
import { useSession } from '../../api/session-context.ts';
import type { Schema } from '../../api/shapes.ts';
import { useApi } from '../../api/use-api.ts';
import { useChange } from '../../parts/actions.tsx';
import { SaveRow } from '../../parts/save-row.tsx';
import { useTexts } from '../../preferences/preferences.tsx';

type Organization = Schema<'Organization'>;

/** The settings of a tenant. A reader sees them in locked fields. */
export function SettingsTab({ organization }: { organization: Organization }) {
  const { tenants, shell } = useTexts();
  const api = useApi();
  const isLocked = !mayOperate(useSession());
  const [draft, setDraft] = useState(organization);
  const set = (change: Partial<Organization>) => setDraft((before) => ({ ...before, ...change }));
  const { name, weight, unknown_outcome_policy, message_ttl_seconds, direct_send, to_without_plus } = draft;
  const save = useChange(() =>
    api.send('PATCH', `/admin/v1/organizations/${organization.id}`, {
      name,
      weight,
      unknown_outcome_policy,
      message_ttl_seconds,
      direct_send,
      to_without_plus,
    }),
  );
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
        <Checkbox
          label={tenants.directSend}
          checked={direct_send}
          disabled={isLocked}
          onChange={(event) => set({ direct_send: event.currentTarget.checked })}
        />
        <Checkbox
          label={tenants.toWithoutPlus}
          checked={to_without_plus}
          disabled={isLocked}
          onChange={(event) => set({ to_without_plus: event.currentTarget.checked })}
        />
        <SaveRow save={save} isLocked={isLocked} />
      </Stack>
    </form>
  );
}
