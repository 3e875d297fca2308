import { Button, Group } from '@mantine/core';
import { useTexts } from '../preferences/preferences.tsx';

/** The buttons under a form in a dialog. */
export function SubmitRow({
  onCancel,
  isPending,
  label,
}: {
  onCancel: () => void;
  isPending: boolean;
  label?: string;
}) {
  const { shell } = useTexts();
  return (
    <Group justify="flex-end">
      <Button variant="default" onClick={onCancel}>
        {shell.cancel}
      </Button>
      <Button type="submit" loading={isPending}>
        {label ?? shell.save}
      </Button>
    </Group>
  );
}
