import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createTestDatabase } from '../harness/database.ts';
import { startServeProcess } from '../harness/serve-process.ts';
import { until } from '../harness/tenant.ts';

const CLIENTS = 800;

test('clients that connect while the process is suspended: all accepted and answered later', async (t) => {
  const kernelMax = Number(await readFile('/proc/sys/net/core/somaxconn', 'utf8').catch(() => 0));
  if (kernelMax < CLIENTS) return t.skip(`the kernel may let no more than ${kernelMax} wait`);
  const dataDir = await mkdtemp(join(tmpdir(), 'fairway-crowd-'));
  t.after(() => rm(dataDir, { recursive: true, force: true }));
  const gateway = await startServeProcess(dataDir, {
    PORT: '0',
    DATABASE_URL: (await createTestDatabase(t)).connectionString,
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    UPSTREAM_BASE_URL: 'http://127.0.0.1:1',
  });
  t.after(async () => {
    gateway.kill('SIGKILL');
    await gateway.ended;
  });
  const sockets: Socket[] = [];
  t.after(() => {
    for (const socket of sockets) socket.destroy();
  });
  let connected = 0;
  gateway.kill('SIGSTOP');
  for (let client = 0; client < CLIENTS; client += 1) {
    const socket = connect(Number(new URL(gateway.baseUrl).port), '127.0.0.1', () => {
      connected += 1;
    });
    sockets.push(socket);
  }
  await until('all of them have a connection', () => connected === CLIENTS || undefined);
  gateway.kill('SIGCONT');
  const answers = await Promise.all(
    sockets.map(async (socket) => {
      const answer = once(socket, 'data');
      socket.write('GET /healthz HTTP/1.1\r\nhost: gateway\r\nconnection: close\r\n\r\n');
      return String((await answer)[0]).slice(0, 12);
    }),
  );
  assert.deepEqual(new Set(answers), new Set(['HTTP/1.1 200']));
});
