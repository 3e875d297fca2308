import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { createTestDatabase } from '../harness/database.ts';
import { startServeProcess } from '../harness/serve-process.ts';
import { startTcpProxy } from '../harness/tcp-proxy.ts';

async function makeDir(t: TestContext): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'fairway-start-'));
  t.after(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

test('nodes started before their PostgreSQL: ready soon after it', async (t) => {
  const { connectionString } = await createTestDatabase(t);
  const url = new URL(connectionString);
  const proxy = await startTcpProxy({ host: url.hostname, port: Number(url.port) });
  t.after(() => proxy.close());
  await proxy.cut();
  url.port = String(proxy.port);
  const environment = { PORT: '0', DATABASE_URL: url.href, ENCRYPTION_KEY: randomBytes(32).toString('base64') };
  const nodes = [1, 2].map(async () => startServeProcess(await makeDir(t), { ...environment, ADMIN_TOKEN: 'token' }));
  t.after(() =>
    Promise.all(
      nodes.map((node) =>
        node.then(
          ({ kill }) => kill('SIGKILL'),
          () => {},
        ),
      ),
    ),
  );
  await Promise.race([delay(3_000), ...nodes]);
  await proxy.mend();
  for (const node of await Promise.all(nodes)) {
    assert.equal((await fetch(`${node.baseUrl}/readyz`)).status, 200);
    node.kill('SIGTERM');
    assert.equal((await node.ended).code, 0);
  }
});
