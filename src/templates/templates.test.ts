import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createTemplates, type TemplatesDeps } from './templates.ts';

function templatesOver(
  findTemplatesByName: (name: string) => Promise<unknown>,
  onQuery: (names: string[]) => void = () => {},
) {
  return createTemplates({
    db: {
      async query({ values }: { values: string[][] }) {
        onQuery(values[2] ?? []);
        return [];
      },
    },
    changes: { on() {}, follow() {} },
    clock: { now: () => 0, monotonicMs: () => 0 },
    accounts: { tokenOfNumber: () => ({ token: 't', version: 1 }) },
    upstream: { findTemplatesByName: (_wabaId: string, _token: string, name: string) => findTemplatesByName(name) },
  } as unknown as TemplatesDeps);
}

it('a template name longer than any can be is neither looked up nor remembered', async () => {
  const asked: string[] = [];
  const templates = templatesOver(
    async (name) => {
      asked.push(name);
      return { kind: 'ok', value: [] };
    },
    (names) => asked.push(...names),
  );
  const longest = 'x'.repeat(512);
  assert.deepEqual(await templates.findVersions('o', 'w', longest), []);
  assert.deepEqual(asked, [longest, longest], 'here and upstream');
  assert.deepEqual(await templates.findVersions('o', 'w', `${longest}x`), []);
  assert.equal(asked.length, 2);
});

it('an unknown name is not called unknown while the upstream cannot tell, but when it refuses to', async () => {
  let answer: object = { kind: 'throttled' };
  const templates = templatesOver(async () => answer);
  for (const kind of ['throttled', 'unavailable', 'credential']) {
    answer = { kind };
    await assert.rejects(async () => templates.findVersions('o', 'w', kind), { code: 'UNAVAILABLE' }, kind);
  }
  answer = { kind: 'rejected' };
  assert.deepEqual(await templates.findVersions('o', 'w', 'rejected'), []);
});
