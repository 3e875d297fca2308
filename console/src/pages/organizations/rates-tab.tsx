import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { AnswerOf } from '../../api/shapes.ts';
import { useApi } from '../../api/use-api.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Loaded } from '../../parts/states.tsx';
import { useTexts } from '../../preferences/preferences.tsx';

type Rate = AnswerOf<'listRates'>['data'][number];

/** The rate card of a tenant. */
export function RatesTab({ id }: { id: string }) {
  const { tenants } = useTexts();
  const text = tenants.rates;
  const api = useApi();
  const query = useQuery({
    queryKey: ['rates', id],
    queryFn: ({ signal }) => api.get<AnswerOf<'listRates'>>(`/admin/v1/organizations/${id}/rates`, undefined, signal),
  });
  const columns: Column<Rate>[] = [
    { title: text.validFrom, cell: ({ valid_from }) => valid_from },
    { title: text.category, cell: ({ category }) => category },
    { title: text.country, cell: ({ country }) => (country === '*' ? text.anyCountry : country) },
    { title: text.price, align: 'right', cell: ({ price }) => price },
  ];
  return (
    <Loaded query={query}>
      {({ data }) =>
        data.length === 0 ? (
          <Text c="dimmed">{text.empty}</Text>
        ) : (
          <DataTable
            label={tenants.tabs.rates}
            columns={columns}
            rows={data}
            keyOf={({ valid_from, category, country }) => `${valid_from} ${category} ${country}`}
          />
        )
      }
    </Loaded>
  );
}
