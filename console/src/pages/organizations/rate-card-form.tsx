import { Stack, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Schema } from '../../api/shapes.ts';
import { useApi } from '../../api/use-api.ts';
import { useChange } from '../../parts/actions.tsx';
import { FailureNote } from '../../parts/states.tsx';
import { SubmitRow } from '../../parts/submit-row.tsx';
import { useTexts } from '../../preferences/preferences.tsx';
import { type Rate, rateLines, ratesOf } from './rate-lines.ts';

/** Writes the rate card of a day: a new one without `rates`, or another text of theirs. */
export function RateCardForm({ id, rates, onDone }: { id: string; rates: readonly Rate[]; onDone: () => void }) {
  const { tenants } = useTexts();
  const text = tenants.rates;
  const api = useApi();
  const isNew = rates.length === 0;
  const [day, setDay] = useState(rates[0]?.valid_from ?? new Date().toISOString().slice(0, 10));
  const [lines, setLines] = useState(rateLines(rates));
  const save = useChange(() => {
    const card: Schema<'RateCard'> = { valid_from: day, rates: ratesOf(lines) };
    return api.send('PUT', `/admin/v1/organizations/${id}/rates`, card);
  }, onDone);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <Stack>
        <TextInput
          type="date"
          label={text.validFromDay}
          value={day}
          readOnly={!isNew}
          onChange={(event) => setDay(event.currentTarget.value)}
          required
        />
        <Textarea
          label={text.lines}
          description={text.linesHint}
          placeholder={'marketing, US, 0.025\nmarketing, *, 0.0604'}
          value={lines}
          onChange={(event) => setLines(event.currentTarget.value)}
          autosize
          minRows={6}
          maxRows={18}
          required
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
          data-autofocus
        />
        {save.isError && <FailureNote error={save.error} title={isNew ? text.create : text.change} />}
        <SubmitRow onCancel={onDone} isPending={save.isPending} />
      </Stack>
    </form>
  );
}
