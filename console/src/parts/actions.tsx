import { Alert, Button, type ButtonProps, Group, Modal, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTexts } from '../preferences/preferences.tsx';
import { Copyable } from './facts.tsx';
import { FailureNote } from './states.tsx';

/** Runs a change, then reads again all that the pages show. */
export function useChange<Input = void, Answer = unknown>(
  change: (input: Input) => Promise<Answer>,
  onDone?: (answer: Answer) => void,
) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: async (answer) => {
      onDone?.(answer);
      await client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' });
    },
  });
}

interface ConfirmProps extends ButtonProps {
  label: string;
  /** What happens if the reader agrees. */
  question: ReactNode;
  run: () => Promise<unknown>;
  isDangerous?: boolean;
  /** Shown in the dialog once it has been done; without it the dialog closes. */
  result?: (answer: unknown) => ReactNode;
}

/** A button that asks before it acts, and shows in its dialog if that failed. */
export function ConfirmButton({ label, question, run, isDangerous = false, result, ...props }: ConfirmProps) {
  const { shell } = useTexts();
  const [opened, { open, close }] = useDisclosure();
  const change = useChange(run, () => result === undefined && close());
  const start = () => {
    change.reset();
    open();
  };
  return (
    <>
      <Button variant="default" size="xs" {...props} onClick={start}>
        {label}
      </Button>
      <Modal opened={opened} onClose={close} title={label} centered closeButtonProps={{ 'aria-label': shell.close }}>
        <Stack>
          {change.isSuccess && result !== undefined ? (
            <div role="status">{result(change.data)}</div>
          ) : (
            <Text size="sm" component="div">
              {question}
            </Text>
          )}
          {change.isError && <FailureNote error={change.error} title={label} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={close} data-autofocus={change.isSuccess || undefined}>
              {change.isSuccess ? shell.close : shell.cancel}
            </Button>
            {!change.isSuccess && (
              <Button
                color={isDangerous ? 'red.9' : undefined}
                loading={change.isPending}
                onClick={() => change.mutate()}
                data-autofocus
              >
                {label}
              </Button>
            )}
          </Group>
        </Stack>
      </Modal>
    </>
  );
}

/** A button that acts at once. `done` stands beside it afterwards, a failure beneath it. */
export function ActionButton({
  label,
  run,
  done,
  ...props
}: ButtonProps & { label: string; run: () => Promise<unknown>; done?: string }) {
  const change = useChange(run);
  return (
    <>
      <Button variant="default" size="xs" loading={change.isPending} {...props} onClick={() => change.mutate()}>
        {label}
      </Button>
      {change.isSuccess && done !== undefined && (
        <Text size="sm" role="status">
          {done}
        </Text>
      )}
      {change.isError && <FailureNote error={change.error} title={label} />}
    </>
  );
}

/** A secret that the gateway shows only once. */
export function SecretOnce({ label, value }: { label: string; value: string }) {
  const { shell } = useTexts();
  return (
    <Alert color="var(--fairway-warn)" variant="outline" title={label}>
      <Stack gap="xs">
        <Text size="sm">{shell.secretOnce}</Text>
        <Copyable value={value} />
      </Stack>
    </Alert>
  );
}

/** The end of a dialog that has made a secret: shows it, and closes on request. */
export function SecretMade({ label, value, onDone }: { label: string; value: string; onDone: () => void }) {
  const { shell } = useTexts();
  return (
    <Stack>
      <SecretOnce label={label} value={value} />
      <Group justify="flex-end">
        <Button onClick={onDone} data-autofocus>
          {shell.close}
        </Button>
      </Group>
    </Stack>
  );
}
