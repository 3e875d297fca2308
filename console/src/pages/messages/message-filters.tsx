import { Button, Group, Select, SimpleGrid, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { numberOptions, useNumbers } from '../../api/numbers.ts';
import { MomentFilter, TextFilter } from '../../parts/filter-fields.tsx';
import { useFilters } from '../../parts/filters.ts';
import { useMoments } from '../../preferences/moments.ts';
import { useTexts } from '../../preferences/preferences.tsx';

const STATUSES = ['queued', 'sent', 'delivered', 'read', 'failed', 'received'];
const TYPES = [
  'text',
  'template',
  'image',
  'video',
  'audio',
  'document',
  'sticker',
  'location',
  'contacts',
  'interactive',
  'reaction',
];
const MORE = ['user_id', 'message_id', 'biz_opaque_callback_data', 'from', 'to'] as const;

/** The filters of the messages. Choices act at once, texts with Enter or when their field is left. */
export function MessageFilters() {
  const { messages, shell } = useTexts();
  const text = messages.filters;
  const { filters, setFilters } = useFilters();
  const numbers = useNumbers();
  const { startOfDay } = useMoments();
  const hasMore = MORE.some((name) => filters[name] !== undefined);
  const [opened, { toggle }] = useDisclosure(hasMore);
  const isFiltered = Object.keys(filters).some((name) => !['org', 'after'].includes(name));
  const clear = () =>
    setFilters(
      Object.fromEntries(Object.keys(filters).map((name) => [name, name === 'org' ? filters.org : undefined])),
    );
  const choose = (name: string) => (value: string | null) => setFilters({ [name]: value ?? undefined });
  return (
    <Stack gap="xs" role="search" aria-label={text.title}>
      <SimpleGrid cols={{ base: 2, sm: 3, lg: 6 }} spacing="xs" className="bottom-line">
        <TextFilter name="recipient" label={text.recipient} inputMode="tel" />
        <Select
          size="xs"
          label={text.status}
          placeholder={text.any}
          data={STATUSES.map((value) => ({ value, label: messages.statuses[value] ?? value }))}
          value={filters.status ?? null}
          onChange={choose('status')}
          clearable
        />
        <TextFilter name="error_code" label={text.error_code} />
        <Select
          size="xs"
          label={text.number}
          placeholder={text.any}
          data={numberOptions(numbers.data, filters.number)}
          value={filters.number ?? null}
          onChange={choose('number')}
          clearable
          searchable
        />
        <Select
          size="xs"
          label={text.type}
          placeholder={text.any}
          data={TYPES}
          value={filters.type ?? null}
          onChange={choose('type')}
          clearable
        />
        <TextFilter name="template" label={text.template} />
        {opened && (
          <>
            <Select
              size="xs"
              label={text.direction}
              placeholder={text.any}
              data={['outbound', 'inbound'].map((value) => ({ value, label: messages.directions[value] ?? value }))}
              value={filters.direction ?? null}
              onChange={choose('direction')}
              clearable
            />
            <TextFilter name="user_id" label={text.user_id} />
            <TextFilter name="message_id" label={text.message_id} />
            <TextFilter name="biz_opaque_callback_data" label={text.biz_opaque_callback_data} />
            <MomentFilter name="from" label={text.from} />
            <MomentFilter name="to" label={text.to} />
          </>
        )}
      </SimpleGrid>
      <Group gap="xs">
        <Button size="compact-xs" variant="default" onClick={toggle} aria-expanded={opened}>
          {opened ? text.fewer : text.more}
        </Button>
        <Button
          size="compact-xs"
          variant="default"
          onClick={() => setFilters({ from: startOfDay(0).toISOString(), to: undefined })}
        >
          {text.day}
        </Button>
        <Button
          size="compact-xs"
          variant="default"
          onClick={() => setFilters({ from: startOfDay(1).toISOString(), to: startOfDay(0).toISOString() })}
        >
          {text.yesterday}
        </Button>
        {isFiltered && (
          <Button size="compact-xs" variant="default" onClick={clear}>
            {shell.clearFilters}
          </Button>
        )}
      </Group>
    </Stack>
  );
}
