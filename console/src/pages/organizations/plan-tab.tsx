import { Checkbox, NumberInput, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { mayOperate } from '../../api/session.ts';
import { useSession } from '../../api/session-context.ts';
import type { Schema } from '../../api/shapes.ts';
import { useApi } from '../../api/use-api.ts';
import { useChange } from '../../parts/actions.tsx';
import { SaveRow } from '../../parts/save-row.tsx';
import { Loaded } from '../../parts/states.tsx';
import { useTexts } from '../../preferences/preferences.tsx';

type Plan = Schema<'Plan'>;

const NUMBERS = {
  monthly_message_limit: 'monthlyLimit',
  monthly_budget: 'budget',
  requests_per_second: 'requests',
  key_requests_per_second: 'keyRequests',
  queue_max: 'queueMax',
  free_service_messages: 'freeService',
} as const;

/** The plan of a tenant. */
export function PlanTab({ id }: { id: string }) {
  const api = useApi();
  const query = useQuery({
    queryKey: ['plan', id],
    queryFn: ({ signal }) => api.get<Plan>(`/admin/v1/organizations/${id}/plan`, undefined, signal),
  });
  return <Loaded query={query}>{(plan) => <PlanForm id={id} plan={plan} />}</Loaded>;
}

function PlanForm({ id, plan }: { id: string; plan: Plan }) {
  const { tenants, shell } = useTexts();
  const text = tenants.plan;
  const api = useApi();
  const isLocked = !mayOperate(useSession());
  const [draft, setDraft] = useState(plan);
  const save = useChange(() => {
    const numbers = Object.fromEntries(Object.keys(NUMBERS).map((name) => [name, draft[name as keyof typeof NUMBERS]]));
    return api.send('PUT', `/admin/v1/organizations/${id}/plan`, {
      name: draft.name,
      active: draft.active,
      ...numbers,
    });
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <Stack maw={640}>
        <Text size="sm" c="dimmed">
          {isLocked ? shell.readOnly : text.hint}
        </Text>
        <TextInput
          label={text.name}
          value={draft.name}
          readOnly={isLocked}
          onChange={(event) => setDraft({ ...draft, name: event.currentTarget.value })}
        />
        <Checkbox
          label={text.active}
          checked={draft.active}
          disabled={isLocked}
          onChange={(event) => setDraft({ ...draft, active: event.currentTarget.checked })}
        />
        <SimpleGrid cols={{ base: 1, sm: 2 }} className="bottom-line">
          {(Object.keys(NUMBERS) as (keyof typeof NUMBERS)[]).map((name) => (
            <NumberInput
              key={name}
              label={text[NUMBERS[name]]}
              placeholder={shell.unlimited}
              value={draft[name] ?? ''}
              readOnly={isLocked}
              min={0}
              onChange={(value) => setDraft({ ...draft, [name]: value === '' ? null : Number(value) })}
            />
          ))}
        </SimpleGrid>
        <SaveRow save={save} isLocked={isLocked} />
      </Stack>
    </form>
  );
}
