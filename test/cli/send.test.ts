import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { describeCommand } from '../harness/cli.ts';
import { freshRecipient, sendsTo, writtenRecipient } from '../harness/tenant.ts';

describeCommand('send', (suite) => {
  it('--wait → ends when the message is delivered', async () => {
    const to = await writtenRecipient(suite.gateway, suite.tenant);
    const { code, json } = await suite.run(['--to', to, 'Hello', '--wait', '--json']);
    assert.equal(code, 0);
    assert.ok(['delivered', 'read'].includes(json.status), json.status);
  });

  it('a template with parameters → reaches the platform', async () => {
    const to = freshRecipient();
    const { code } = await suite.run(['--to', to, '--template', 'order_update', '--param', 'A-1042', '--wait']);
    assert.equal(code, 0);
    assert.equal(sendsTo(suite.gateway, to).length, 1);
  });

  it('a file → is uploaded and sent', async () => {
    const to = await writtenRecipient(suite.gateway, suite.tenant);
    const path = join(suite.home, 'note.txt');
    await writeFile(path, 'Your invoice\n');
    const { code, stderr } = await suite.run(['--to', to, '--media', path, '--wait']);
    assert.equal(code, 0, stderr);
  });

  it('a key that is refused while a long file is uploaded → exit code 5', async () => {
    const path = join(suite.home, 'long.txt');
    await writeFile(path, 'x'.repeat(30_000_000));
    const env = { FAIRWAY_API_KEY: 'fw_wrong' };
    const { code, stderr } = await suite.run(['--to', freshRecipient(), '--media', path], { env });
    assert.equal(code, 5, stderr);
  });

  it('the same idempotency key twice → one message', async () => {
    const to = await writtenRecipient(suite.gateway, suite.tenant);
    const args = ['--to', to, 'Once', '--idempotency-key', 'order-7', '--wait', '--json'];
    const [first, second] = [await suite.run(args), await suite.run(args)];
    assert.equal(first.json.id, second.json.id);
    assert.equal(sendsTo(suite.gateway, to).length, 1);
  });

  it('a closed window → exit code 3 with the reason', async () => {
    const { code, stdout, stderr } = await suite.run(['--to', freshRecipient(), 'Hello']);
    assert.equal(code, 3);
    assert.equal(stdout, '');
    assert.match(stderr, /OUTSIDE_24H_WINDOW/);
  });

  it('nothing to send, or no such file → exit code 2', async () => {
    assert.equal((await suite.run(['--to', freshRecipient()])).code, 2);
    assert.equal((await suite.run(['--to', freshRecipient(), '--media', join(suite.home, 'none.pdf')])).code, 2);
  });
});
