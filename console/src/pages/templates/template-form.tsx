import { List, Select, SimpleGrid, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { Section } from '../../parts/page.tsx';
import { StateDot } from '../../parts/state-dot.tsx';
import { templateBubble } from '../../phone/bubble.ts';
import { BubbleView, Phone } from '../../phone/phone.tsx';
import { useTexts } from '../../preferences/preferences.tsx';
import { componentsOf, type Draft, placeholdersOf, problemsOf } from './template-draft.ts';

const LANGUAGES = ['de', 'en', 'en_GB', 'en_US', 'es', 'fr', 'it', 'nl', 'pl', 'pt_BR', 'tr'];

interface TemplateFormProps {
  draft: Draft;
  onChange: (draft: Draft) => void;
  /** True if name and language are already decided. */
  isEdit?: boolean;
}

/** The fields of a template beside its picture and the checks. */
export function TemplateForm({ draft, onChange, isEdit = false }: TemplateFormProps) {
  const { templates } = useTexts();
  const set = (change: Partial<Draft>) => onChange({ ...draft, ...change });
  const text = (name: 'name' | 'header' | 'footer', label: string, isLocked = false) => (
    <TextInput
      label={label}
      value={draft[name]}
      disabled={isLocked}
      onChange={({ currentTarget: { value } }) => set({ [name]: value })}
    />
  );
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }}>
      <Stack>
        {text('name', templates.name, isEdit)}
        <SimpleGrid cols={2}>
          <Select
            label={templates.language}
            data={LANGUAGES.includes(draft.language) ? LANGUAGES : [...LANGUAGES, draft.language]}
            value={draft.language}
            disabled={isEdit}
            onChange={(language) => set({ language: language ?? draft.language })}
            allowDeselect={false}
            searchable
          />
          <Select
            label={templates.category}
            data={['UTILITY', 'MARKETING']}
            value={draft.category}
            onChange={(category) => set({ category: category ?? draft.category })}
            allowDeselect={false}
          />
        </SimpleGrid>
        {text('header', templates.header)}
        <Textarea
          label={templates.body}
          description={templates.bodyHint}
          value={draft.body}
          onChange={(event) => set({ body: event.currentTarget.value })}
          autosize
          minRows={4}
          maxRows={14}
        />
        {placeholdersOf(draft.body).map((name) => (
          <TextInput
            key={name}
            size="xs"
            label={`${templates.examples} {{${name}}}`}
            value={draft.examples[name] ?? ''}
            onChange={({ currentTarget: { value } }) => set({ examples: { ...draft.examples, [name]: value } })}
          />
        ))}
        {text('footer', templates.footer)}
        <Textarea
          label={templates.buttons}
          value={draft.buttons}
          onChange={(event) => set({ buttons: event.currentTarget.value })}
          autosize
          minRows={2}
        />
      </Stack>
      <Stack>
        <Phone label={templates.preview} title={draft.name || templates.preview}>
          <BubbleView bubble={templateBubble(componentsOf(draft))} side="received" />
        </Phone>
        <Checks draft={draft} />
      </Stack>
    </SimpleGrid>
  );
}

function Checks({ draft }: { draft: Draft }) {
  const { templates } = useTexts();
  const problems = problemsOf(draft);
  return (
    <Section title={templates.checks}>
      <div role="status">
        {problems.length === 0 ? (
          <StateDot tone="good">{templates.checksFine}</StateDot>
        ) : (
          <List size="sm">
            {problems.map((problem) => (
              <List.Item key={problem}>
                <Text inherit>{templates.problems[problem]}</Text>
              </List.Item>
            ))}
          </List>
        )}
      </div>
    </Section>
  );
}
