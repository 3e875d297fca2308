import { Button, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { may } from '../../api/session.ts';
import { useSession } from '../../api/session-context.ts';
import type { AnswerOf, Schema } from '../../api/shapes.ts';
import { useApi, useOrganization } from '../../api/use-api.ts';
import { ConfirmButton, useChange } from '../../parts/actions.tsx';
import { DialogButton } from '../../parts/dialog.tsx';
import { Copyable, Facts, JsonBlock } from '../../parts/facts.tsx';
import { TextLink } from '../../parts/link.tsx';
import { Page, Section } from '../../parts/page.tsx';
import { FailureNote, Loaded } from '../../parts/states.tsx';
import { templateBubble } from '../../phone/bubble.ts';
import { BubbleView, Phone } from '../../phone/phone.tsx';
import { useTexts } from '../../preferences/preferences.tsx';
import { Time } from '../../preferences/times.tsx';
import { componentsOf, type Draft, draftOf, problemsOf } from './template-draft.ts';
import { TemplateForm } from './template-form.tsx';
import { TemplateStatus } from './templates-page.tsx';
import { TrySend } from './try-send.tsx';

type Template = Schema<'Template'>;

/** One template: its state and picture, and the ways to change and try it. */
export function TemplatePage() {
  const { templates } = useTexts();
  const { id } = useParams({ strict: false }) as { id: string };
  const api = useApi();
  const organization = useOrganization();
  const [draft, setDraft] = useState<Draft | undefined>();
  const query = useQuery({
    queryKey: ['template', organization, id],
    enabled: organization !== undefined,
    queryFn: ({ signal }) => api.get<Template>(`/v1/templates/${encodeURIComponent(id)}`, undefined, signal),
    refetchInterval: ({ state }) => (state.data?.status === 'PENDING' ? 3000 : false),
  });
  return (
    <Page
      title={query.data?.name ?? templates.title}
      ofOrganization
      actions={query.data && <Actions template={query.data} onEdit={setDraft} />}
    >
      <Loaded query={query}>
        {(template) =>
          draft === undefined ? (
            <Details template={template} />
          ) : (
            <Editor template={template} draft={draft} onChange={setDraft} />
          )
        }
      </Loaded>
    </Page>
  );
}

function Actions({ template, onEdit }: { template: Template; onEdit: (draft: Draft) => void }) {
  const { templates } = useTexts();
  const api = useApi();
  const session = useSession();
  const navigate = useNavigate();
  const draft = draftOf(template);
  const remove = async () => {
    await api.send('DELETE', `/v1/templates/${template.id}`);
    await navigate({ to: '/templates', search: ((before: object) => before) as never });
  };
  return (
    <>
      {template.status === 'APPROVED' && may(session, 'messages:send') && (
        <DialogButton label={templates.trySend}>{() => <TrySend template={template} />}</DialogButton>
      )}
      {may(session, 'templates:write') && (
        <>
          {draft !== undefined && (
            <Button size="xs" variant="default" onClick={() => onEdit(draft)}>
              {templates.edit}
            </Button>
          )}
          <ConfirmButton label={templates.delete} question={templates.deleteAsk} run={remove} isDangerous />
        </>
      )}
    </>
  );
}

function Details({ template }: { template: Template }) {
  const { templates } = useTexts();
  return (
    <Stack>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Section title={template.name} actions={<TemplateStatus status={template.status} />}>
          <Stack>
            <Facts
              facts={[
                ['Id', <Copyable key="id" value={template.id} />],
                [templates.account, template.waba_id],
                [templates.language, template.language],
                [templates.category, template.category],
                [templates.quality, template.quality_score ?? templates.noneQuality],
                [templates.rejected, template.rejected_reason],
                [templates.updated, <Time key="at" at={template.updated_at} />],
              ]}
            />
            <Versions template={template} />
          </Stack>
        </Section>
        <Phone label={templates.preview} title={template.name}>
          <BubbleView bubble={templateBubble(template.components)} side="received" />
        </Phone>
      </SimpleGrid>
      <Section title={templates.components}>
        <JsonBlock label={templates.components} value={template.components} />
      </Section>
    </Stack>
  );
}

/** The other languages of a template's name. */
function Versions({ template }: { template: Template }) {
  const { templates } = useTexts();
  const api = useApi();
  const organization = useOrganization();
  const { name, waba_id } = template;
  const { data } = useQuery({
    queryKey: ['template-versions', organization, waba_id, name],
    queryFn: ({ signal }) => api.get<AnswerOf<'listTemplates'>>('/v1/templates', { name, waba_id, limit: 100 }, signal),
  });
  const others = (data?.data ?? []).filter(({ id }) => id !== template.id);
  if (others.length === 0) return null;
  return (
    <Text size="sm">
      {templates.versions}:{' '}
      {others.map(({ id, language, status }, index) => (
        <span key={id}>
          {index > 0 && ', '}
          <TextLink to="/templates/$id" params={{ id }} underline="always">
            {language}
          </TextLink>{' '}
          ({status})
        </span>
      ))}
    </Text>
  );
}

function Editor({
  template,
  draft,
  onChange,
}: {
  template: Template;
  draft: Draft;
  onChange: (draft: Draft | undefined) => void;
}) {
  const { templates, shell } = useTexts();
  const api = useApi();
  const body = { category: draft.category, components: componentsOf(draft) };
  const save = useChange(
    () => api.send('POST', `/v1/templates/${template.id}`, body),
    () => onChange(undefined),
  );
  return (
    <Stack>
      <Text size="sm" c="dimmed">
        {templates.editHint}
      </Text>
      <TemplateForm draft={draft} onChange={onChange} isEdit />
      {save.isError && <FailureNote error={save.error} title={templates.edit} />}
      <Group>
        <Button variant="default" onClick={() => onChange(undefined)}>
          {shell.cancel}
        </Button>
        <Button onClick={() => save.mutate()} loading={save.isPending} disabled={problemsOf(draft).length > 0}>
          {templates.save}
        </Button>
      </Group>
    </Stack>
  );
}
