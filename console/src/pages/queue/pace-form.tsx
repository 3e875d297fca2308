import { NumberInput, Stack } from '@mantine/core';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { useChange } from '../../parts/actions.tsx';
import { FailureNote } from '../../parts/states.tsx';
import { SubmitRow } from '../../parts/submit-row.tsx';
import { usePreferences, useTexts } from '../../preferences/preferences.tsx';

/** Changes the pace of a number. */
export function PaceForm({
  row,
  onDone,
}: {
  row: { phone_number_id: string; messages_per_second: number | null };
  onDone: () => void;
}) {
  const { queue } = useTexts();
  const { language } = usePreferences();
  const [pace, setPace] = useState<string | number>(row.messages_per_second ?? '');
  const change = useChange(
    () =>
      call('PATCH', `/admin/v1/numbers/${row.phone_number_id}`, {
        body: { messages_per_second: pace === '' ? null : Number(pace) },
      }),
    onDone,
  );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        change.mutate();
      }}
    >
      <Stack>
        <NumberInput
          label={queue.queue.paceLabel}
          description={queue.queue.paceHint}
          value={pace}
          onChange={setPace}
          min={0.1}
          decimalSeparator={language === 'de' ? ',' : '.'}
          data-autofocus
        />
        {change.isError && <FailureNote error={change.error} title={queue.queue.setPace} />}
        <SubmitRow onCancel={onDone} isPending={change.isPending} />
      </Stack>
    </form>
  );
}
