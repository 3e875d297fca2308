import { TextInput } from '@mantine/core';

interface Props {
  label: string;
  description?: string;
  value: string;
  onChange: (value: string) => void;
  required?: boolean;
  'data-autofocus'?: boolean;
}

/** A field for a secret, which the browser neither shows nor remembers. */
export function SecretInput({ onChange, ...props }: Props) {
  return (
    <TextInput
      type="password"
      autoComplete="new-password"
      {...props}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
