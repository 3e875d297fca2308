import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createTemplates, type TemplatesDeps } from './templates.ts';

it('a template name longer than any can be is neither looked up nor remembered', async () => {
  const asked: string[] = [];
  const deps = {
    db: {
      async query({ values }: { values: string[] }) {
        asked.push(values[2] ?? '');
        return [];
      },
    },
    changes: { on() {} },
    clock: { now: () => 0, monotonicMs: () => 0 },
    accounts: { tokenOf: () => ({ token: 't', version: 1 }) },
    upstream: {
      async findTemplatesByName(_wabaId: string, _token: string, name: string) {
        asked.push(name);
        return { kind: 'ok', value: [] };
      },
    },
  } as unknown as TemplatesDeps;
  const templates = createTemplates(deps);
  const longest = 'x'.repeat(512);
  assert.deepEqual(await templates.findVersions('o', 'w', longest), []);
  assert.deepEqual(asked, [longest, longest], 'here and upstream');
  assert.deepEqual(await templates.findVersions('o', 'w', `${longest}x`), []);
  assert.equal(asked.length, 2);
});
