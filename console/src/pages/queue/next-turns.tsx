import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import type { AnswerOf, Schema } from '../../api/shapes.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { TextLink } from '../../parts/link.tsx';
import { Section } from '../../parts/page.tsx';
import { Loaded } from '../../parts/states.tsx';
import { useTexts } from '../../preferences/preferences.tsx';
import { Time } from '../../preferences/times.tsx';
import { meaningOf } from '../messages/wait-reasons.tsx';
import { type Lane, TurnLanes } from './turn-lanes.tsx';

type NodeNext = AnswerOf<'getNextMessages'>['nodes'][number];
type Turn = NodeNext['turns'][number];
type KeptBack = NodeNext['kept_back'][number];
type Message = Pick<Turn, 'organization_id' | 'phone_number_id' | 'message_id' | 'traffic_class' | 'accepted_at'>;

const POLL_MS = 1000;
const TURNS = 60;
const LANES_MAX = 8;
const KEPT_BACK_MAX = 12;

/** The order in which messages go, live: a lane for each organization, and the same as a list. */
export function NextTurns({
  organizations,
  placeOf,
}: {
  organizations: readonly Schema<'Organization'>[];
  placeOf: (id: string) => number;
}) {
  const { queue } = useTexts();
  const text = queue.queue;
  const query = useQuery({
    queryKey: ['queue-next'],
    queryFn: ({ signal }) =>
      call<AnswerOf<'getNextMessages'>>('GET', '/admin/v1/queue/next', { query: { limit: TURNS }, signal }),
    refetchInterval: POLL_MS,
  });
  const nameOf = (id: string) => organizations.find((one) => one.id === id)?.name ?? id;
  return (
    <Section title={text.fairness}>
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          {text.fairnessIntro}
        </Text>
        <Loaded query={query} rows={2}>
          {({ nodes }) => (
            <>
              {nodes.every(({ turns }) => turns.length === 0) && <Text size="sm">{text.noTurn}</Text>}
              {nodes.map((node) => (
                <NodeTurns key={node.id} node={node} nameOf={nameOf} placeOf={placeOf} isOnly={nodes.length === 1} />
              ))}
              <KeptBackTable rows={nodes.flatMap((node) => node.kept_back).slice(0, KEPT_BACK_MAX)} nameOf={nameOf} />
            </>
          )}
        </Loaded>
      </Stack>
    </Section>
  );
}

function NodeTurns({
  node: { id, read_at, turns },
  nameOf,
  placeOf,
  isOnly,
}: {
  node: NodeNext;
  nameOf: (id: string) => string;
  placeOf: (id: string) => number;
  isOnly: boolean;
}) {
  const { queue } = useTexts();
  const text = queue.queue;
  if (turns.length === 0) return null;
  const places = turns.map((turn, place) => ({ place, key: turn.message_id, organization: turn.organization_id }));
  const byOrganization = [...Map.groupBy(places, ({ organization }) => organization)].toSorted(
    ([a], [b]) => placeOf(a) - placeOf(b),
  );
  const lanes: Lane[] = byOrganization
    .slice(0, LANES_MAX)
    .map(([organization, of]) => ({ name: nameOf(organization), place: placeOf(organization), turns: of }));
  const rest = byOrganization.slice(LANES_MAX).flatMap(([, of]) => of);
  if (rest.length > 0) lanes.push({ name: text.others, place: null, turns: rest });
  const columns: Column<Turn & { place: number }>[] = [
    { title: text.turn, align: 'right', cell: ({ place }) => place + 1 },
    ...messageColumns<Turn & { place: number }>(text, nameOf),
    { title: text.expected, cell: ({ expected_at }) => <Time at={expected_at} clock /> },
  ];
  return (
    <div>
      {!isOnly && (
        <Text size="xs" c="dimmed" component="div">
          {text.nodeRead(id.slice(-6))} <Time at={read_at} />
        </Text>
      )}
      <TurnLanes label={text.fairness} lanes={lanes} />
      <details>
        <summary>
          <Text size="xs" span>
            {text.asList}
          </Text>
        </summary>
        <DataTable
          label={text.fairness}
          columns={columns}
          rows={turns.map((turn, place) => ({ ...turn, place }))}
          keyOf={({ message_id }) => message_id}
        />
      </details>
    </div>
  );
}

type QueueTexts = ReturnType<typeof useTexts>['queue']['queue'];

function messageColumns<Row extends Message>(text: QueueTexts, nameOf: (id: string) => string): Column<Row>[] {
  return [
    { title: text.organization, cell: ({ organization_id }) => nameOf(organization_id) },
    { title: text.number, isWide: true, cell: ({ phone_number_id }) => phone_number_id },
    { title: text.className, cell: ({ traffic_class }) => text.classes[traffic_class] ?? traffic_class },
    {
      title: text.message,
      isWide: true,
      cell: ({ message_id, organization_id }) => (
        <TextLink to="/messages/$id" params={{ id: message_id }} search={{ org: organization_id }} size="sm">
          …{message_id.slice(-8)}
        </TextLink>
      ),
    },
    { title: text.since, isWide: true, cell: ({ accepted_at }) => <Time at={accepted_at} /> },
  ];
}

function KeptBackTable({ rows, nameOf }: { rows: readonly KeptBack[]; nameOf: (id: string) => string }) {
  const { queue, messages } = useTexts();
  const text = queue.queue;
  if (rows.length === 0) return null;
  const columns: Column<KeptBack>[] = [
    ...messageColumns<KeptBack>(text, nameOf),
    { title: text.why, cell: ({ waits_for }) => <span title={meaningOf(waits_for, messages)}>{waits_for}</span> },
    { title: text.ends, cell: ({ until }) => <Time at={until} /> },
  ];
  return (
    <div>
      <Text size="sm" fw={600}>
        {text.keptBack}
      </Text>
      <DataTable label={text.keptBack} columns={columns} rows={rows} keyOf={({ message_id }) => message_id} />
    </div>
  );
}
