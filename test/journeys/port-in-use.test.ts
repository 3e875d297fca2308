import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { runServeProcess } from '../harness/serve-process.ts';

test("a start on a used port: ends before it touches the others' database", async (t) => {
  const taken = createServer().listen(0, '127.0.0.1');
  t.after(() => taken.close());
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  const dataDir = await mkdtemp(join(tmpdir(), 'fairway-port-'));
  t.after(() => rm(dataDir, { recursive: true, force: true }));
  const { code, output } = await runServeProcess(dataDir, {
    PORT: String(port),
    // A start that tried this database would report it.
    DATABASE_URL: 'postgres://user:secret@127.0.0.1:1/none',
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
  });
  assert.equal(code, 1);
  const reason = `bind EADDRINUSE 127.0.0.1:${port}`;
  assert.equal(output, `The gateway cannot listen where HOST and PORT say: ${reason}\n`);
});
