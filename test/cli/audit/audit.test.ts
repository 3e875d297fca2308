import assert from 'node:assert/strict';
import { it } from 'node:test';
import { describeCommand } from '../../harness/cli.ts';
import { issueKey } from '../../harness/tenant.ts';

describeCommand('audit list', (suite) => {
  it('the changes of a tenant → one row each with what changed', async () => {
    const { id } = await issueKey(suite.gateway, suite.tenant);
    await suite.fairway(['keys', 'disable', id, '--yes']);
    const { stdout } = await suite.run(['--tenant', suite.tenant.organizationId, '--object', id]);
    assert.match(stdout, /^AT .*OPERATION/);
    assert.match(stdout, /disableApiKey[\s\S]*createApiKey/);
    assert.match(stdout, /disabled_at: null → "2/);
    const filters = ['--operation', 'createApiKey', '--actor', 'nobody', '--from', '2026-01-01T00:00:00Z'];
    const none = await suite.run([...filters, '--to', '2100-01-01T00:00:00Z', '--limit', '3']);
    assert.equal(none.stdout, 'No changes.\n');
    const { json } = await suite.run(['--limit', '2', '--json']);
    assert.equal(json.data.length, 2);
  });
});

describeCommand('audit verify', (suite) => {
  it('chains as written → intact; a changed row → exit code 7; a head of before → found again', async () => {
    const { organizationId } = suite.tenant;
    const whole = await suite.run(['--json']);
    assert.equal(whole.code, 0, whole.stderr);
    const [deployment, own] = whole.json.data;
    assert.deepEqual([deployment.organization_id, own.organization_id], [null, organizationId]);
    const head = `${own.head.sequence}:${own.head.digest}`;
    assert.equal((await suite.run(['--tenant', organizationId, '--head', head])).code, 0);
    assert.equal((await suite.run(['--head', head])).code, 2);
    await suite.gateway.app.db.query({
      text: `UPDATE audit_entry SET facts = replace(facts, 'createApiKey', 'updateApiKey') WHERE chain = $1`,
      values: [organizationId],
    });
    const changed = await suite.run([]);
    assert.equal(changed.code, 7);
    assert.match(changed.stdout, /was changed/);
  });
});

describeCommand('audit export', (suite) => {
  it('ndjson and csv → every change on a line of its own', async () => {
    const filter = ['--tenant', suite.tenant.organizationId];
    const lines = (await suite.run(filter)).stdout.trimEnd().split('\n');
    assert.ok(lines.length >= 2);
    assert.ok(lines.every((line) => JSON.parse(line).organization_id === suite.tenant.organizationId));
    const csv = (await suite.run([...filter, '--format', 'csv'])).stdout.trimEnd().split('\n');
    assert.match(csv[0] ?? '', /^id,organization_id,/);
    assert.equal(csv.length, lines.length + 1);
    assert.equal((await suite.run(['--format', 'xml'])).code, 2);
  });
});
