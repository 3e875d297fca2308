import assert from 'node:assert/strict';
import { it } from 'node:test';
import { KEYS } from '../queries.ts';
import { createTemplates, type TemplatesDeps } from './templates.ts';

function templatesOver(
  findTemplatesByName: (name: string) => Promise<unknown>,
  onQuery: (names: string[]) => void = () => {},
  approved: readonly string[] = [],
) {
  return createTemplates({
    db: {
      async query({ values }: { values: unknown[] }) {
        const names = KEYS.parse(values).map(({ name }) => String(name));
        onQuery(names);
        return names.flatMap((name, index) => {
          const version = { ord: index + 1, language: 'en', status: 'APPROVED', category: 'UTILITY' };
          return approved.includes(name) ? [version] : [];
        });
      },
    },
    changes: { on() {}, follow() {} },
    clock: { now: () => 0, monotonicMs: () => 0 },
    accounts: { tokenOfNumber: () => ({ token: 't', version: 1 }) },
    upstream: { findTemplatesByName: (_wabaId: string, _token: string, name: string) => findTemplatesByName(name) },
  } as unknown as TemplatesDeps);
}

it('name above the length limit → neither looked up nor cached', async () => {
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

it('unknown name: upstream unavailable → UNAVAILABLE; upstream refuses → no versions', async () => {
  let answer: object = { kind: 'throttled' };
  const templates = templatesOver(async () => answer);
  for (const kind of ['throttled', 'unavailable', 'credential']) {
    answer = { kind };
    await assert.rejects(async () => templates.findVersions('o', 'w', kind), { code: 'UNAVAILABLE' }, kind);
  }
  answer = { kind: 'rejected' };
  assert.deepEqual(await templates.findVersions('o', 'w', 'rejected'), []);
});

it('flood of unknown names → known names stay cached', async () => {
  const asked: string[] = [];
  const templates = templatesOver(
    async () => ({ kind: 'ok', value: [] }),
    (names) => asked.push(...names),
    ['known'],
  );
  assert.equal((await templates.findVersions('o', 'w', 'known')).length, 1);
  await Promise.all(Array.from({ length: 50_000 }, (_, index) => templates.findVersions('other', 'w', `x${index}`)));
  asked.length = 0;
  assert.equal((await templates.findVersions('o', 'w', 'known')).length, 1);
  assert.deepEqual(asked, []);
});
