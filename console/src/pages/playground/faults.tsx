import { Button, Group, List, NumberInput, Select, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ActionButton, useChange } from '../../parts/actions.tsx';
import { Section } from '../../parts/page.tsx';
import { FailureNote, Loaded } from '../../parts/states.tsx';
import { useTexts } from '../../preferences/preferences.tsx';
import { simulate } from './simulate.ts';

interface FaultRule {
  id: number;
  fault: { kind: string; code?: number };
  times_left: number | null;
  hits: number;
}

const MESSAGES = { scope: { endpoint: 'messages' } };

/** The faults on offer, as the control API takes them. */
const SEEDS: Record<string, object> = {
  throttle: { kind: 'error', code: 130429, ...MESSAGES },
  pair: { kind: 'error', code: 131056, ...MESSAGES },
  undeliverable: { kind: 'fail', code: 131026, ...MESSAGES },
  slow: { kind: 'slow', delay_ms: 3000, ...MESSAGES },
  http: { kind: 'http', http_status: 503, ...MESSAGES },
  hang: { kind: 'hang', ...MESSAGES },
  reply_lost: { kind: 'reply_lost', ...MESSAGES },
  reset_before: { kind: 'reset_before', ...MESSAGES },
  webhook_lost: { kind: 'webhook_lost' },
  webhook_late: { kind: 'webhook_late', delay_ms: 10_000 },
  webhook_duplicated: { kind: 'webhook_duplicated', copies: 3 },
  webhook_reordered: { kind: 'webhook_reordered' },
};

/** Switches faults of the simulated platform on and off. */
export function Faults() {
  const { tools } = useTexts();
  const text = tools.playground;
  const [kind, setKind] = useState('throttle');
  const [times, setTimes] = useState<string | number>(1);
  const query = useQuery({
    queryKey: ['faults'],
    refetchInterval: 2000,
    queryFn: ({ signal }) => simulate<{ data: FaultRule[] }>('GET', 'faults', undefined, undefined, signal),
  });
  const add = useChange(() =>
    simulate('POST', 'faults', { ...SEEDS[kind], ...(times !== '' && { times: Number(times) }) }),
  );
  return (
    <Section
      title={text.faults}
      actions={<ActionButton label={text.faultClear} run={() => simulate('DELETE', 'faults')} />}
    >
      <Stack>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            add.mutate();
          }}
        >
          <Stack gap="xs">
            <Select
              label={text.faultKind}
              data={Object.keys(SEEDS).map((value) => ({ value, label: text.kinds[value] ?? value }))}
              value={kind}
              onChange={(value) => setKind(value ?? kind)}
              allowDeselect={false}
            />
            <NumberInput
              label={text.faultTimes}
              description={text.faultTimesHint}
              value={times}
              onChange={setTimes}
              min={1}
            />
            {add.isError && <FailureNote error={add.error} title={text.faultAdd} />}
            <div>
              <Button type="submit" size="xs" loading={add.isPending}>
                {text.faultAdd}
              </Button>
            </div>
          </Stack>
        </form>
        <Loaded query={query} rows={1}>
          {({ data }) =>
            data.length === 0 ? (
              <Text size="sm" c="dimmed">
                {text.faultNone}
              </Text>
            ) : (
              <List size="sm" listStyleType="none">
                {data.map((rule) => (
                  <List.Item key={rule.id}>
                    <Group gap="xs">
                      <span>{describe(rule, text.faultHits)}</span>
                      <ActionButton
                        label={text.faultOff}
                        size="compact-xs"
                        run={() => simulate('DELETE', `faults/${rule.id}`)}
                      />
                    </Group>
                  </List.Item>
                ))}
              </List>
            )
          }
        </Loaded>
      </Stack>
    </Section>
  );
}

function describe({ fault, hits, times_left }: FaultRule, hitsName: string): string {
  const name = [fault.kind, fault.code].filter(Boolean).join(' ');
  return [name, `${hits} ${hitsName}`, times_left !== null && `×${times_left}`].filter(Boolean).join(' · ');
}
