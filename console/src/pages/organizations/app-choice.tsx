import { NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { AnswerOf } from '../../api/shapes.ts';
import { useApi } from '../../api/use-api.ts';
import { useTexts } from '../../preferences/preferences.tsx';

interface Props {
  /** Words for the choice of no app, whose value is empty. */
  fallback: string;
  value: string;
  onChange: (appId: string) => void;
}

/** The choice of a Meta app. Shows nothing while the gateway has only one. */
export function AppChoice({ fallback, value, onChange }: Props) {
  const { tenants } = useTexts();
  const api = useApi();
  const { data: apps } = useQuery({
    queryKey: ['apps'],
    queryFn: ({ signal }) => api.get<AnswerOf<'listApps'>>('/admin/v1/apps', {}, signal),
  });
  if (apps === undefined || apps.data.length === 0) return null;
  return (
    <NativeSelect
      label={tenants.onboarding.app}
      data={[
        { value: '', label: fallback },
        ...apps.data.map(({ app_id, name }) => ({ value: app_id, label: `${name} (${app_id})` })),
      ]}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
