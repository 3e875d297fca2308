import { Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import { mayOperate } from '../../api/session.ts';
import { useSession } from '../../api/session-context.ts';
import type { AnswerOf } from '../../api/shapes.ts';
import { useApi } from '../../api/use-api.ts';
import { ConfirmButton } from '../../parts/actions.tsx';
import { type Column, DataTable, Paging } from '../../parts/data-table.tsx';
import { DialogButton } from '../../parts/dialog.tsx';
import { useFilters } from '../../parts/filters.ts';
import { Section } from '../../parts/page.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { useTexts } from '../../preferences/preferences.tsx';
import { RateCardForm } from './rate-card-form.tsx';
import type { Rate } from './rate-lines.ts';

/** Rate cards of one page. */
const PAGE = 6;

/** The rate cards of a tenant, newest first, each with the ways to change it. */
export function RatesTab({ id }: { id: string }) {
  const { tenants } = useTexts();
  const text = tenants.rates;
  const api = useApi();
  const canChange = mayOperate(useSession());
  const { after } = useFilters().filters;
  const query = useQuery({
    queryKey: ['rates', id, after],
    queryFn: ({ signal }) =>
      api.get<AnswerOf<'listRates'>>(`/admin/v1/organizations/${id}/rates`, { limit: PAGE, after }, signal),
  });
  const newCard = (
    <DialogButton label={text.create} variant="filled" wide>
      {(close) => <RateCardForm id={id} rates={[]} onDone={close} />}
    </DialogButton>
  );
  return (
    <Loaded query={query}>
      {({ data, next }) =>
        data.length === 0 ? (
          <Empty title={text.empty} action={canChange && newCard}>
            {text.emptyWhy}
          </Empty>
        ) : (
          <Stack>
            <Text size="sm" c="dimmed">
              {text.intro}
            </Text>
            {canChange && <div>{newCard}</div>}
            {[...Map.groupBy(data, ({ valid_from }) => valid_from)].map(([validFrom, rates]) => (
              <RateCard key={validFrom} id={id} validFrom={validFrom} rates={rates} canChange={canChange} />
            ))}
            <Paging next={next} />
          </Stack>
        )
      }
    </Loaded>
  );
}

function RateCard({
  id,
  validFrom,
  rates,
  canChange,
}: {
  id: string;
  validFrom: string;
  rates: readonly Rate[];
  canChange: boolean;
}) {
  const { tenants } = useTexts();
  const text = tenants.rates;
  const columns: Column<Rate>[] = [
    { title: text.category, cell: ({ category }) => category },
    { title: text.country, cell: ({ country }) => (country === '*' ? text.anyCountry : country) },
    { title: text.price, align: 'right', cell: ({ price }) => price },
  ];
  const title = `${text.validFrom} ${validFrom}`;
  const remove = () => call('DELETE', `/admin/v1/organizations/${id}/rates`, { query: { valid_from: validFrom } });
  return (
    <Section
      title={title}
      actions={
        canChange && (
          <Group gap="xs">
            <DialogButton label={text.change} wide>
              {(close) => <RateCardForm id={id} rates={rates} onDone={close} />}
            </DialogButton>
            <ConfirmButton label={text.delete} question={text.deleteAsk} run={remove} isDangerous />
          </Group>
        )
      }
    >
      <DataTable
        label={title}
        columns={columns}
        rows={rates}
        keyOf={({ category, country }) => `${category} ${country}`}
      />
    </Section>
  );
}
