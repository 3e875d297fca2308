import { Button, Group, List, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { AnswerOf } from '../../api/shapes.ts';
import { useApi } from '../../api/use-api.ts';
import { useChange } from '../../parts/actions.tsx';
import { useFilters } from '../../parts/filters.ts';
import { FailureNote } from '../../parts/states.tsx';
import { useTexts } from '../../preferences/preferences.tsx';

/** Says what an erasure does, and begins it once the person has been typed again. */
export function EraseForm({ person, onDone }: { person: string; onDone: () => void }) {
  const { governance, shell } = useTexts();
  const text = governance.people;
  const api = useApi();
  const { setFilters } = useFilters();
  const [typed, setTyped] = useState('');
  const erase = useChange(
    () => api.send<AnswerOf<'erasePerson'>>('DELETE', `/v1/people/${encodeURIComponent(person)}`),
    ({ id }) => {
      onDone();
      // The address keeps the receipt, and names the person no longer.
      setFilters({ person: undefined, receipt: id }, true);
    },
  );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        erase.mutate();
      }}
    >
      <Stack>
        <Text fw={600}>{text.eraseTitle(person)}</Text>
        <List size="sm" spacing={4}>
          {text.eraseWhat.map((line) => (
            <List.Item key={line}>{line}</List.Item>
          ))}
        </List>
        <Text size="sm">{text.eraseFinal}</Text>
        <TextInput
          label={text.eraseConfirm}
          placeholder={person}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          data-autofocus
        />
        {erase.isError && <FailureNote error={erase.error} title={text.eraseGo} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onDone}>
            {shell.cancel}
          </Button>
          <Button type="submit" color="red.9" loading={erase.isPending} disabled={typed.trim() !== person}>
            {text.eraseGo}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
