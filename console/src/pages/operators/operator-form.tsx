import { Radio, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Schema } from '../../api/shapes.ts';
import { useApi } from '../../api/use-api.ts';
import { SecretMade, useChange } from '../../parts/actions.tsx';
import { FailureNote } from '../../parts/states.tsx';
import { SubmitRow } from '../../parts/submit-row.tsx';
import { useMoments } from '../../preferences/moments.ts';
import { useTexts } from '../../preferences/preferences.tsx';

type Operator = Schema<'Operator'>;
type Role = Operator['role'];

const ROLES: readonly Role[] = ['support', 'operator', 'admin'];

/** Asks for the name, role and expiry of an operator. A new operator's token is shown once. */
export function OperatorForm({ operator, onDone }: { operator?: Operator; onDone: () => void }) {
  const { governance, shell } = useTexts();
  const text = governance.operators;
  const api = useApi();
  const [name, setName] = useState(operator?.name ?? '');
  const [role, setRole] = useState<Role>(operator?.role ?? 'support');
  const { toField, fromField } = useMoments();
  const [expires, setExpires] = useState(operator?.expires_at ? toField(new Date(operator.expires_at)) : '');
  const isProviders = operator !== undefined && operator.identity !== null;
  const save = useChange(
    (): Promise<Operator | Schema<'OperatorWithToken'>> => {
      const expires_at = expires === '' ? null : fromField(expires).toISOString();
      const body = isProviders ? { expires_at } : { name: name.trim(), role, expires_at };
      return operator === undefined
        ? api.send<Schema<'OperatorWithToken'>>('POST', '/admin/v1/operators', body)
        : api.send<Operator>('PATCH', `/admin/v1/operators/${operator.id}`, body);
    },
    () => operator !== undefined && onDone(),
  );
  if (save.isSuccess && 'token' in save.data) {
    return <SecretMade label={text.token} value={save.data.token} onDone={onDone} />;
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <Stack>
        {isProviders ? (
          <Text size="sm">{text.nameByProvider}</Text>
        ) : (
          <>
            <TextInput
              label={text.name}
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
              required
              data-autofocus
            />
            <Radio.Group label={text.role} value={role} onChange={(value) => setRole(value as Role)}>
              <Stack gap="xs" mt="xs">
                {ROLES.map((value) => (
                  <Radio key={value} value={value} label={shell.roles[value]} description={text.roleHints[value]} />
                ))}
              </Stack>
            </Radio.Group>
          </>
        )}
        <TextInput
          type="datetime-local"
          label={text.expires}
          value={expires}
          onChange={(event) => setExpires(event.currentTarget.value)}
        />
        {save.isError && <FailureNote error={save.error} title={operator === undefined ? text.create : text.change} />}
        <SubmitRow
          onCancel={onDone}
          isPending={save.isPending}
          label={operator === undefined ? shell.create : shell.save}
        />
      </Stack>
    </form>
  );
}
