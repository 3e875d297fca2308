import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AccountChange, Follower } from '../../accounts/index.ts';
import { newId } from '../../core/ids.ts';
import type { Queryable, Statement } from '../../database/database.ts';
import { EVENTS } from '../../events/record-queries.ts';
import { followUnknownChanges } from './follow-unknown-changes.ts';

const OWNER_OF = { '7': newId(), '8': newId() };

function changeOf(wabaId: string, field: string): AccountChange {
  return { id: newId(), wabaId, field, atMs: undefined, value: {}, raw: '{}', rawOf: () => undefined };
}

test('unknown changes: fields of followers left out → the others recorded for their tenants', async () => {
  const recorded: ReturnType<typeof EVENTS.parse> = [];
  const query = async ({ name, values = [] }: Statement) => {
    if (name === 'waba_lock')
      return Object.entries(OWNER_OF).map(([wabaId, organizationId]) => ({ wabaId, organizationId }));
    if (name === 'event_record') recorded.push(...EVENTS.parse(values));
    return [];
  };
  const followers: Follower[] = [
    { fields: ['followed'], async follow() {} },
    { fields: ['followed_too'], async follow() {} },
  ];
  const changes = [
    ...['followed', 'followed_too'].map((field) => changeOf('7', field)),
    changeOf('7', 'new_field'),
    changeOf('8', 'constructor'),
    changeOf('9', 'new_field'),
  ];
  await followUnknownChanges({ query } as unknown as Queryable, changes, followers, 0);
  const facts = recorded.map((event) => [event.organization_id, event.subject_id, event.upstream_field]);
  const expected = changes.slice(2, 4).map(({ id, wabaId, field }) => [OWNER_OF[wabaId as '7' | '8'], id, field]);
  assert.deepEqual(facts.sort(), expected.sort());
});
