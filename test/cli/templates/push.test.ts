import assert from 'node:assert/strict';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { describeCommand } from '../../harness/cli.ts';
import { call, createTenant, type Tenant } from '../../harness/tenant.ts';

describeCommand('templates push', (suite) => {
  /** Returns a tenant with a folder of its templates, which has a changed, a new and a removed file. */
  async function changedFolder(name: string) {
    const tenant = await createTenant(suite.gateway);
    const [folder, env] = [join(suite.home, name), { FAIRWAY_API_KEY: tenant.apiKey }];
    await suite.fairway(['templates', 'pull', folder], { env });
    const path = join(folder, 'order_update.en_US.json');
    const text = await readFile(path, 'utf8');
    await writeFile(path, text.replace('today', 'tomorrow'));
    await writeFile(join(folder, 'order_sent.en_US.json'), text.replace('order_update', 'order_sent'));
    await rm(join(folder, 'greeting.de.json'));
    return { tenant, folder, env };
  }

  async function textsOf(tenant: Tenant) {
    const { json } = await call(suite.gateway, tenant, 'GET', '/v1/templates?limit=100');
    const rows = json.data as { name: string; language: string; components: { text?: string }[] }[];
    return new Map(rows.map((row) => [`${row.name} ${row.language}`, row.components[0]?.text]));
  }

  it('a plan that is confirmed → created and edited with progress; nothing is deleted', async () => {
    const { tenant, folder, env } = await changedFolder('plain');
    const refused = suite.start([folder], { env, terminal: true });
    await refused.until(/Apply the plan/);
    refused.type('n\r');
    assert.equal((await refused.ended).code, 7);
    assert.equal((await suite.run([folder], { env })).code, 2);
    assert.equal((await textsOf(tenant)).has('order_sent en_US'), false);
    const push = suite.start([folder], { env, terminal: true });
    await push.until(/create.*order_sent en_US[\s\S]*edit.*order_update en_US[\s\S]*Apply the plan/);
    push.type('y\r');
    const { code, stdout } = await push.ended;
    assert.equal(code, 0, stdout);
    assert.match(stdout, /Applied \[=+\] 2\/2/);
    const texts = await textsOf(tenant);
    assert.match(texts.get('order_update en_US') ?? '', /tomorrow/);
    assert.match(texts.get('order_sent en_US') ?? '', /today/);
    assert.equal(texts.has('greeting de'), true);
    assert.match((await suite.run([folder], { env })).stdout, /0 to create, 0 to edit, 6 unchanged, 1 without a file/);
  });

  it('--prune --yes --json → the plan and the results; templates without a file deleted', async () => {
    const { tenant, folder, env } = await changedFolder('pruned');
    const { code, json } = await suite.run([folder, '--prune', '--yes', '--json'], { env });
    assert.equal(code, 0);
    const endsOf = (steps: { action: string; name: string }[]) => steps.map(({ action, name }) => `${action} ${name}`);
    assert.deepEqual(endsOf(json.results), ['delete greeting', 'create order_sent', 'edit order_update']);
    assert.equal(json.plan.length, 7);
    const texts = await textsOf(tenant);
    assert.deepEqual([texts.has('greeting de'), texts.has('greeting en_US')], [false, true]);
  });

  it('a refused template → exit code 7 with the reason, and the others are applied', async () => {
    const { tenant, folder, env } = await changedFolder('refused');
    const path = join(folder, 'a_first.en_US.json');
    const body = { type: 'BODY', text: '{{1}}' };
    await writeFile(
      path,
      JSON.stringify({ name: 'a_first', language: 'en_US', category: 'UTILITY', components: [body] }),
    );
    const { code, json } = await suite.run([folder, '--yes', '--json'], { env });
    assert.equal(code, 7);
    assert.deepEqual(
      json.results.map(({ result }: { result: string }) => result),
      ['failed', 'done', 'done'],
    );
    assert.ok(json.results[0].reason.length > 10);
    assert.equal((await textsOf(tenant)).has('order_sent en_US'), true);
  });

  it('no file, no account, or another parameter format → exit code 2, and no change', async () => {
    const { folder, env } = await changedFolder('wrong');
    const path = join(folder, 'spring_sale.en_US.json');
    await writeFile(path, (await readFile(path, 'utf8')).replace('POSITIONAL', 'NAMED'));
    assert.equal((await suite.run([folder, '--yes'], { env })).code, 2);
    const empty = join(suite.home, 'empty');
    await mkdir(empty);
    assert.equal((await suite.run([empty, '--prune', '--yes'], { env })).code, 2);
    const { apiKey, wabaId } = await createTenant(suite.gateway, { templates: [] });
    const fresh = { env: { FAIRWAY_API_KEY: apiKey } };
    await rm(path);
    assert.equal((await suite.run([folder, '--yes'], fresh)).code, 2);
    const { json } = await suite.run([folder, '--yes', '--json', '--waba', wabaId], fresh);
    assert.ok(json.results.length > 3);
  });
});
