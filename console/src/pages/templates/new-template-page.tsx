import { Button, Group, Select, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useNumbers } from '../../api/numbers.ts';
import { may } from '../../api/session.ts';
import { useSession } from '../../api/session-context.ts';
import type { AnswerOf } from '../../api/shapes.ts';
import { useApi, useOrganization } from '../../api/use-api.ts';
import { useChange } from '../../parts/actions.tsx';
import { Page } from '../../parts/page.tsx';
import { FailureNote } from '../../parts/states.tsx';
import { useTexts } from '../../preferences/preferences.tsx';
import { componentsOf, EMPTY_DRAFT, problemsOf } from './template-draft.ts';
import { TemplateForm } from './template-form.tsx';

/** Creates a template: fields, picture, checks, and the platform's own judgement. */
export function NewTemplatePage() {
  const { templates, accounts: words, shell } = useTexts();
  const canCreate = may(useSession(), 'templates:write');
  const api = useApi();
  const navigate = useNavigate();
  const { accounts, isKnown } = useAccounts();
  const [draft, setDraft] = useState(EMPTY_DRAFT);
  const [chosen, setChosen] = useState<string | null>(null);
  const account = chosen ?? accounts[0] ?? null;
  const create = useChange(
    () =>
      api.send<{ id: string }>('POST', `/v1/${account}/templates`, {
        name: draft.name,
        language: draft.language,
        category: draft.category,
        components: componentsOf(draft),
      }),
    ({ id }) => void navigate({ to: '/templates/$id', params: { id }, search: ((before: object) => before) as never }),
  );
  return (
    <Page title={templates.create} ofOrganization>
      <Stack>
        {!canCreate && <Text size="sm">{shell.readOnly}</Text>}
        {isKnown && accounts.length === 0 && <Text size="sm">{words.empty}</Text>}
        <Select
          label={templates.account}
          data={accounts}
          value={account}
          onChange={setChosen}
          allowDeselect={false}
          maw={320}
        />
        <TemplateForm draft={draft} onChange={setDraft} />
        {create.isError && <FailureNote error={create.error} title={templates.create} />}
        <Group>
          <Button
            onClick={() => create.mutate()}
            loading={create.isPending}
            disabled={!canCreate || account === null || problemsOf(draft).length > 0}
          >
            {templates.save}
          </Button>
        </Group>
      </Stack>
    </Page>
  );
}

/** Returns the ids of the organization's accounts that the caller can learn. */
function useAccounts(): { accounts: string[]; isKnown: boolean } {
  const api = useApi();
  const organization = useOrganization();
  const numbers = useNumbers();
  const { data, isFetched } = useQuery({
    queryKey: ['template-accounts', organization],
    enabled: organization !== undefined,
    queryFn: ({ signal }) => api.get<AnswerOf<'listTemplates'>>('/v1/templates', { limit: 100 }, signal),
  });
  const ids = [
    ...(numbers.data ?? []).map(({ wabaId }) => wabaId),
    ...(data?.data ?? []).map(({ waba_id }) => waba_id),
  ].filter((id) => id !== null);
  return { accounts: [...new Set(ids)], isKnown: isFetched && numbers.isFetched };
}
