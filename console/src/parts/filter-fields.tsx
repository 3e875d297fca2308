import { TextInput } from '@mantine/core';
import { type FormEvent, useEffect, useState } from 'react';
import { useMoments } from '../preferences/moments.ts';
import { useFilters } from './filters.ts';

/** A text of the address, edited in a field. */
function useDraft(name: string) {
  const { filters, setFilters } = useFilters();
  const stored = filters[name] ?? '';
  const [draft, setDraft] = useState(stored);
  useEffect(() => setDraft(stored), [stored]);
  const apply = (value = draft) => {
    if (value.trim() !== stored) setFilters({ [name]: value.trim() || undefined });
  };
  return { draft, setDraft, apply };
}

/** A text that narrows a list. It acts with Enter, or when its field is left. */
export function TextFilter({ name, label, inputMode }: { name: string; label: string; inputMode?: 'tel' }) {
  const { draft, setDraft, apply } = useDraft(name);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    apply();
  };
  return (
    <form onSubmit={submit}>
      <TextInput
        size="xs"
        label={label}
        value={draft}
        inputMode={inputMode}
        onChange={(event) => setDraft(event.currentTarget.value)}
        onBlur={() => apply()}
      />
    </form>
  );
}

/**
 * A moment, edited in the time zone of the pages and kept in the address as ISO 8601.
 * @param fallback shown while the address has none
 */
export function MomentFilter({ name, label, fallback }: { name: string; label: string; fallback?: string }) {
  const { filters, setFilters } = useFilters();
  const { toField, fromField } = useMoments();
  const stored = filters[name] ?? fallback;
  const shown = stored === undefined || Number.isNaN(Date.parse(stored)) ? '' : toField(new Date(stored));
  return (
    <TextInput
      size="xs"
      type="datetime-local"
      label={label}
      value={shown}
      onChange={({ currentTarget: { value } }) =>
        setFilters({ [name]: value === '' ? undefined : fromField(value).toISOString() }, true)
      }
    />
  );
}
