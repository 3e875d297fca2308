import { Button, Text } from '@mantine/core';
import { useTexts } from '../preferences/preferences.tsx';
import { FailureNote } from './states.tsx';

/** The button under a form of settings, and the result of its last call. */
export function SaveRow({
  save,
  isLocked,
}: {
  save: { isPending: boolean; isSuccess: boolean; isError: boolean; error: unknown };
  isLocked: boolean;
}) {
  const { shell } = useTexts();
  return (
    <>
      {save.isError && <FailureNote error={save.error} title={shell.save} />}
      {!isLocked && (
        <div>
          <Button type="submit" loading={save.isPending}>
            {shell.save}
          </Button>{' '}
          {save.isSuccess && (
            <Text span size="sm" role="status">
              {shell.saved}
            </Text>
          )}
        </div>
      )}
    </>
  );
}
