import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { describeCommand } from '../../harness/cli.ts';
import { call, createTenant } from '../../harness/tenant.ts';

describeCommand('media upload', (suite) => {
  it('a file → uploaded as it is, with progress on a terminal', async () => {
    const path = join(suite.home, 'long.txt');
    const text = 'An order for you.\n'.repeat(100_000);
    await writeFile(path, text);
    const { code, json } = await suite.run([path, '--json']);
    assert.equal(code, 0);
    assert.deepEqual([json.mime_type, json.bytes], ['text/plain', text.length]);
    const stored = await call(suite.gateway, suite.tenant, 'GET', `/v1/media/${json.id}/download`);
    assert.equal(stored.text, text);
    const args = [path, '--from', suite.tenant.phoneNumberId, '--name', 'order.txt', '--type', 'text/plain'];
    const shown = await suite.run(args, { terminal: true });
    assert.equal(shown.code, 0);
    assert.match(shown.stdout, /Uploaded KiB \[=+\] 1758\/1758[\s\S]*id.*\d+/);
  });

  it('a key that is refused while a long file is sent → exit code 5', async () => {
    const path = join(suite.home, 'longer.txt');
    await writeFile(path, 'x'.repeat(30_000_000));
    const { code, stderr } = await suite.run([path], { env: { FAIRWAY_API_KEY: 'fw_wrong' } });
    assert.equal(code, 5, stderr);
  });

  it('no such file → exit code 2; another type → 3; a number of another tenant → 4', async () => {
    assert.equal((await suite.run([join(suite.home, 'none.txt')])).code, 2);
    const path = join(suite.home, 'photo.jpg');
    await writeFile(path, 'no photo');
    assert.equal((await suite.run([path])).code, 3);
    const { phoneNumberId } = await createTenant(suite.gateway);
    assert.equal((await suite.run([path, '--type', 'text/plain', '--from', phoneNumberId])).code, 4);
    assert.equal((await suite.run([path], { env: { FAIRWAY_PHONE_NUMBER_ID: undefined } })).code, 2);
  });
});
