import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { describeCommand } from '../../harness/cli.ts';

describeCommand('serve', (suite) => {
  it('the gateway of this checkout → found until it stops; reported if it was killed', async () => {
    const DATA_DIR = join(suite.home, 'data');
    const own = { DATA_DIR, FAIRWAY_URL: undefined };
    const path = join(DATA_DIR, 'local-gateway.json');
    const serve = suite.start([], { env: { ...own, PORT: '0', LOG_LEVEL: 'warn' } });
    await serve.until(/npx fairway messages watch/);
    const args = ['send', '--to', '+12025550123', 'Hello', '--wait', '--json'];
    const sent = await suite.fairway(args, { env: own });
    assert.equal(sent.code, 0, sent.stderr);
    const stale = await readFile(path, 'utf8');
    serve.interrupt();
    assert.equal((await serve.ended).code, 0);
    assert.match((await suite.fairway(['status'], { env: own })).stderr, /No gateway is configured/);
    await writeFile(path, stale, { mode: 0o600 });
    const left = await suite.fairway(['status'], { env: own });
    assert.equal(left.code, 6);
    assert.match(left.stderr, /It has ended: run `npm start`/);
  });
});
