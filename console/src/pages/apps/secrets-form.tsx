import { Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { Schema } from '../../api/shapes.ts';
import { useApi } from '../../api/use-api.ts';
import { useChange } from '../../parts/actions.tsx';
import { FailureNote } from '../../parts/states.tsx';
import { SubmitRow } from '../../parts/submit-row.tsx';
import { useTexts } from '../../preferences/preferences.tsx';
import { SecretInput } from './secret-input.tsx';

/** Asks for another secret or verify token of an app. Empty fields change nothing. */
export function SecretsForm({ app, onDone }: { app: Schema<'MetaApp'>; onDone: () => void }) {
  const { apps: text } = useTexts();
  const api = useApi();
  const [first, setFirst] = useState('');
  const [second, setSecond] = useState('');
  const [verifyToken, setVerifyToken] = useState('');
  const save = useChange(() => {
    const secrets = [first.trim(), second.trim()].filter((secret) => secret !== '');
    return api.send('PATCH', `/admin/v1/apps/${app.app_id}`, {
      ...(secrets.length > 0 && { secrets }),
      ...(verifyToken.trim() !== '' && { verify_token: verifyToken.trim() }),
    });
  }, onDone);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <Stack>
        <Text size="sm">{app.secret_proof ? text.rotateWithProof : text.rotate}</Text>
        <SecretInput
          label={text.secret}
          value={first}
          onChange={setFirst}
          required={second.trim() !== '' || verifyToken.trim() === ''}
          data-autofocus
        />
        <SecretInput
          label={text.secondSecret}
          description={text.secondSecretHint}
          value={second}
          onChange={setSecond}
        />
        <SecretInput
          label={text.verifyToken}
          description={text.verifyTokenKept}
          value={verifyToken}
          onChange={setVerifyToken}
        />
        {save.isError && <FailureNote error={save.error} title={text.changeSecret} />}
        <SubmitRow onCancel={onDone} isPending={save.isPending} />
      </Stack>
    </form>
  );
}
