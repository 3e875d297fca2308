import { Button, Group, NativeSelect, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Schema } from '../../api/shapes.ts';
import { useApi } from '../../api/use-api.ts';
import { useChange } from '../../parts/actions.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { StateDot, type Tone } from '../../parts/state-dot.tsx';
import { FailureNote } from '../../parts/states.tsx';
import { useTexts } from '../../preferences/preferences.tsx';

type Onboarding = Schema<'Onboarding'>;
type Step = Onboarding['steps'][number];

const TONES: Record<Step['state'], Tone> = {
  waiting: 'idle',
  running: 'info',
  done: 'good',
  failed: 'bad',
  skipped: 'idle',
};
/** The value that a person may give with a repeat of a step. */
const VALUES: Partial<Record<Step['step'], string>> = {
  check_token: 'access_token',
  register_number: 'pin',
  verify_number: 'verification_code',
  test_message: 'test_recipient',
};

/** The steps of an onboarding, and the forms that repeat those that need a person. */
export function OnboardingSteps({
  onboarding,
  path,
  canChange,
}: {
  onboarding: Onboarding;
  path: string;
  canChange: boolean;
}) {
  const { tenants } = useTexts();
  const text = tenants.onboarding;
  const columns: Column<Step>[] = [
    { title: text.step, cell: ({ step }) => text.steps[step] },
    {
      title: tenants.keys.state,
      cell: ({ state, at }) => (
        <StateDot tone={at !== null && state === 'waiting' ? 'warn' : TONES[state]}>
          {state === 'waiting' && at === null ? text.notBegun : text.state[state]}
        </StateDot>
      ),
    },
    {
      title: text.found,
      cell: (step) => (
        <>
          <Text size="sm">{step.code === null ? step.message : `${step.message} (${step.code})`}</Text>
          {step.advice !== null && <Text size="sm">{step.advice}</Text>}
          {canChange && needsPerson(onboarding, step) && <RepeatForm step={step} path={path} />}
        </>
      ),
    },
  ];
  return <DataTable label={text.step} columns={columns} rows={onboarding.steps} keyOf={({ step }) => step} />;
}

function needsPerson({ state }: Onboarding, step: Step): boolean {
  if (state === 'running' || step.step === 'exchange_code') return false;
  return step.state === 'failed' || step.state === 'skipped' || (step.state === 'waiting' && step.at !== null);
}

function RepeatForm({ step, path }: { step: Step; path: string }) {
  const { tenants } = useTexts();
  const text = tenants.onboarding;
  const api = useApi();
  const [value, setValue] = useState(step.choices[0]?.id ?? '');
  const name =
    step.choices.length === 0 ? VALUES[step.step] : step.step === 'check_token' ? 'waba_id' : 'phone_number_id';
  const repeat = useChange(() =>
    api.send('POST', `${path}/steps/${step.step}`, name === undefined || value === '' ? {} : { [name]: value }),
  );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        repeat.mutate();
      }}
    >
      <Group align="end" gap="xs">
        {step.choices.length > 0 && (
          <NativeSelect
            label={text.value}
            data={step.choices.map(({ id, label }) => ({ value: id, label }))}
            value={value}
            onChange={(event) => setValue(event.currentTarget.value)}
          />
        )}
        {step.choices.length === 0 && name !== undefined && (
          <TextInput
            label={name}
            type={name === 'access_token' ? 'password' : 'text'}
            autoComplete="off"
            value={value}
            onChange={(event) => setValue(event.currentTarget.value)}
          />
        )}
        <Button type="submit" size="xs" loading={repeat.isPending}>
          {text.repeat}
        </Button>
      </Group>
      {repeat.isError && <FailureNote error={repeat.error} title={text.repeat} />}
    </form>
  );
}
