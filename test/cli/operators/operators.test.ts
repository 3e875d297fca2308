import assert from 'node:assert/strict';
import { it } from 'node:test';
import { describeCommand } from '../../harness/cli.ts';
import { createOperator } from '../../harness/operator.ts';

describeCommand('operators create', (suite) => {
  it('a name and a role → a token that works by the role, until its expiry', async () => {
    const { code, json } = await suite.run(['Ada', '--role', 'support', '--expires', '2099-01-01T00:00:00Z', '--json']);
    assert.deepEqual([code, json.name, json.expires_at], [0, 'Ada', '2099-01-01T00:00:00.000Z']);
    const env = { FAIRWAY_ADMIN_TOKEN: json.token };
    assert.equal((await suite.fairway(['tenants', 'list'], { env })).code, 0);
    assert.equal((await suite.fairway(['tenants', 'create', 'Port'], { env })).code, 5);
    assert.match((await suite.run(['Bo', '--role', 'admin'])).stdout, /^token +fw_op_/m);
  });

  it('no role, an unknown one, or a wrong time → no operator', async () => {
    assert.equal((await suite.run(['Cy'])).code, 2);
    assert.equal((await suite.run(['Cy', '--role', 'owner'])).code, 2);
    assert.equal((await suite.run(['Cy', '--role', 'admin', '--expires', 'tomorrow'])).code, 3);
    const { json } = await suite.fairway(['operators', 'list', '--json']);
    assert.ok(!json.data.some(({ name }: { name: string }) => name === 'Cy'));
  });
});

describeCommand('operators list', (suite) => {
  it('operators → a row each, without tokens', async () => {
    const { id, token } = await createOperator(suite.gateway, 'support');
    const { code, stdout } = await suite.run();
    assert.equal(code, 0);
    assert.match(stdout, new RegExp(`${id} +test support +support +${token.slice(0, 10)} `));
    assert.ok(!stdout.includes(token));
    await createOperator(suite.gateway, 'operator');
    assert.equal((await suite.run(['--limit', '1', '--json'])).json.data.length, 1);
  });
});

describeCommand('operators change', (suite) => {
  it('a role → it holds; no change named → exit code 2; an unknown operator → exit code 4', async () => {
    const { id, token } = await createOperator(suite.gateway, 'support');
    const { json } = await suite.run([id, '--role', 'operator', '--name', 'Ada', '--expires', 'never', '--json']);
    assert.deepEqual([json.role, json.name, json.expires_at], ['operator', 'Ada', null]);
    const env = { FAIRWAY_ADMIN_TOKEN: token };
    assert.equal((await suite.fairway(['tenants', 'create', 'Port'], { env })).code, 0);
    assert.equal((await suite.run([id])).code, 2);
    assert.equal((await suite.run(['0199c0de-0000-7000-8000-000000000001', '--role', 'admin'])).code, 4);
  });
});

describeCommand('operators rotate', (suite) => {
  const works = async (token: string) =>
    (await suite.fairway(['tenants', 'list'], { env: { FAIRWAY_ADMIN_TOKEN: token } })).code === 0;

  it('--yes → a new token; the old one ends at once, or after the overlap', async () => {
    const { id, token } = await createOperator(suite.gateway, 'support');
    const first = await suite.run([id, '--yes', '--overlap', '1h', '--json']);
    assert.equal(first.code, 0, first.stderr);
    assert.deepEqual([await works(first.json.token), await works(token)], [true, true]);
    const second = await suite.run([id, '--yes', '--json']);
    assert.deepEqual([await works(second.json.token), await works(first.json.token)], [true, false]);
  });

  it('no terminal and no --yes → exit code 2 and the old token', async () => {
    const { id, token } = await createOperator(suite.gateway, 'support');
    assert.equal((await suite.run([id])).code, 2);
    assert.equal(await works(token), true);
  });
});

describeCommand('operators revoke', (suite) => {
  it('--yes → the token is refused; a no in a terminal → it works', async () => {
    const { id, token } = await createOperator(suite.gateway, 'support');
    const env = { FAIRWAY_ADMIN_TOKEN: token };
    const asked = suite.start([id], { terminal: true });
    await asked.until(/Revoke/);
    asked.type('n\r');
    assert.equal((await asked.ended).code, 7);
    assert.equal((await suite.fairway(['tenants', 'list'], { env })).code, 0);
    assert.equal((await suite.run([id, '--yes'])).code, 0);
    assert.equal((await suite.fairway(['tenants', 'list'], { env })).code, 5);
  });
});
