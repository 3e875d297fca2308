import { Stack, Table, Text } from '@mantine/core';
import type { Schema } from '../../api/shapes.ts';
import { Copyable, Facts, JsonBlock } from '../../parts/facts.tsx';
import { useTexts } from '../../preferences/preferences.tsx';
import { Time } from '../../preferences/times.tsx';
import { changedMembers } from './changed-members.ts';

/** One change: its members before and after, and its origin. */
export function ChangeDetails({ change }: { change: Schema<'AuditedChange'> }) {
  const { governance } = useTexts();
  const text = governance.audit;
  const members = changedMembers(change.before, change.after);
  return (
    <Stack>
      {members.length === 0 ? (
        <Text size="sm" c="dimmed">
          {text.unchanged}
        </Text>
      ) : (
        <Table aria-label={text.change} className="data-table" verticalSpacing={6}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">{text.member}</Table.Th>
              <Table.Th scope="col">{text.before}</Table.Th>
              <Table.Th scope="col">{text.after}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {members.map(({ name, before, after }) => (
              <Table.Tr key={name}>
                <Table.Td>{name}</Table.Td>
                <Table.Td ff="monospace">{before !== undefined && <del>{before}</del>}</Table.Td>
                <Table.Td ff="monospace">{after !== undefined && <ins>{after}</ins>}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
      {change.parameters !== null && <JsonBlock label={text.parameters} value={change.parameters} />}
      {change.answer !== null && <JsonBlock label={text.answer} value={change.answer} />}
      <Facts
        facts={[
          [text.at, <Time key="at" at={change.at} />],
          [text.action, change.operation],
          [text.by, change.actor.name ?? text.actors[change.actor.type]],
          [
            text.identity,
            change.actor.identity && `${change.actor.identity.email ?? ''} (${change.actor.identity.subject})`.trim(),
          ],
          [text.on, change.object && `${change.object.type} ${change.object.id}`],
          [text.address, change.address],
          [text.request, <Copyable key="request" value={change.request_id} />],
          [text.place, String(change.sequence)],
          [text.digest, <Copyable key="digest" value={change.digest} />],
        ]}
      />
    </Stack>
  );
}
