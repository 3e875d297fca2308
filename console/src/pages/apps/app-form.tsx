import { Checkbox, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Schema } from '../../api/shapes.ts';
import { useApi } from '../../api/use-api.ts';
import { useChange } from '../../parts/actions.tsx';
import { FailureNote } from '../../parts/states.tsx';
import { SubmitRow } from '../../parts/submit-row.tsx';
import { useTexts } from '../../preferences/preferences.tsx';
import { SecretInput } from './secret-input.tsx';

/** Asks for the facts of an app. A new app also needs its id, its secret and its verify token. */
export function AppForm({ app, onDone }: { app?: Schema<'MetaApp'>; onDone: () => void }) {
  const { apps: text, shell } = useTexts();
  const api = useApi();
  const [id, setId] = useState('');
  const [name, setName] = useState(app?.name ?? '');
  const [secret, setSecret] = useState('');
  const [verifyToken, setVerifyToken] = useState('');
  const [proves, setProves] = useState(app?.secret_proof ?? false);
  const [signup, setSignup] = useState(app?.signup_configuration_id ?? '');
  const save = useChange(() => {
    const facts = {
      name: name.trim(),
      secret_proof: proves,
      signup_configuration_id: signup.trim() === '' ? null : signup.trim(),
    };
    const first = { app_id: id.trim(), secrets: [secret.trim()], verify_token: verifyToken.trim() };
    return app === undefined
      ? api.send('POST', '/admin/v1/apps', { ...facts, ...first })
      : api.send('PATCH', `/admin/v1/apps/${app.app_id}`, facts);
  }, onDone);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <Stack>
        {app === undefined && (
          <TextInput
            label={text.id}
            inputMode="numeric"
            value={id}
            onChange={(event) => setId(event.currentTarget.value)}
            required
            data-autofocus
          />
        )}
        <TextInput
          label={text.name}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          required
          data-autofocus={app !== undefined || undefined}
        />
        {app === undefined && (
          <>
            <SecretInput label={text.secret} value={secret} onChange={setSecret} required />
            <SecretInput
              label={text.verifyToken}
              description={text.verifyTokenHint}
              value={verifyToken}
              onChange={setVerifyToken}
              required
            />
          </>
        )}
        <Checkbox
          label={text.proof}
          description={text.proofHint}
          checked={proves}
          onChange={(event) => setProves(event.currentTarget.checked)}
        />
        <TextInput
          label={text.signup}
          description={text.signupHint}
          value={signup}
          onChange={(event) => setSignup(event.currentTarget.value)}
        />
        {save.isError && <FailureNote error={save.error} title={app === undefined ? text.create : text.change} />}
        <SubmitRow onCancel={onDone} isPending={save.isPending} label={app === undefined ? shell.create : shell.save} />
      </Stack>
    </form>
  );
}
