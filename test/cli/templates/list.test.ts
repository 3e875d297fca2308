import assert from 'node:assert/strict';
import { it } from 'node:test';
import { describeCommand } from '../../harness/cli.ts';
import { createTenant } from '../../harness/tenant.ts';

describeCommand('templates list', (suite) => {
  it('templates → a table of them, narrowed by the filters', async () => {
    const { code, stdout } = await suite.run();
    assert.equal(code, 0);
    assert.match(stdout, /^NAME .*\n[\s\S]*order_update +en_US +APPROVED +UTILITY/);
    const namesOf = async (...args: string[]) =>
      (await suite.run([...args, '--json'])).json.data.map(
        ({ name, language }: { name: string; language: string }) => `${name} ${language}`,
      );
    assert.deepEqual(await namesOf('--status', 'pending'), ['in_review en_US']);
    assert.deepEqual(await namesOf('--name', 'greeting', '--language', 'de'), ['greeting de']);
    assert.deepEqual(await namesOf('--search', 'on its way'), ['order_update en_US']);
    assert.deepEqual(await namesOf('--category', 'authentication'), ['login_code en_US']);
    assert.equal((await namesOf('--limit', '2', '--waba', suite.tenant.wabaId)).length, 2);
    const { apiKey } = await createTenant(suite.gateway, { templates: [] });
    assert.match((await suite.run([], { env: { FAIRWAY_API_KEY: apiKey } })).stdout, /No templates/);
  });
});
