import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, it } from 'node:test';

const PROJECT = resolve(import.meta.dirname, '../..');

/** Header of a page of the console. */
const PAGE = { 'fairway-console': '1', 'content-type': 'application/json' };

/** Runs `npm start` in its own process group. */
async function npmStart(dataDir: string, workers: string) {
  const child = spawn('npm', ['start'], {
    cwd: PROJECT,
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env.PATH, HOME: dataDir, DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'warn', WORKERS: workers },
  });
  const ended = once(child, 'close').then(([code]) => code as number | null);
  let output = '';
  const ready = new Promise<{ baseUrl: string; link: string }>((found) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      const [, baseUrl, link] = /Fairway is ready: (\S+).*#link=(\S+)/s.exec(output) ?? [];
      if (baseUrl !== undefined && link !== undefined) found({ baseUrl, link });
    });
  });
  const banner = await Promise.race([ready, ended.then(() => assert.fail(`it ended:\n${output}`))]);
  assert.ok(child.pid !== undefined);
  return { ...banner, pid: child.pid, ended };
}

describe('npm start', () => {
  for (const [signal, receiver, workers] of [
    ['SIGTERM', 'npm', '1'],
    ['SIGINT', 'the whole group', '1'],
    ['SIGTERM', 'npm', '2'],
    ['SIGINT', 'the whole group', '2'],
  ] as const) {
    it(`${signal} to ${receiver}, WORKERS=${workers}: ends with 0 and leaves nothing behind`, async (t) => {
      const dataDir = await mkdtemp(join(tmpdir(), 'fairway-npm-'));
      t.after(() => rm(dataDir, { recursive: true }));
      const { baseUrl, link, pid, ended } = await npmStart(dataDir, workers);
      assert.equal((await fetch(`${baseUrl}/readyz`)).status, 200);
      // Connections of their own, so that every worker is asked.
      const body = JSON.stringify({ link });
      const signIns = Array.from({ length: 6 }, () =>
        fetch(`${baseUrl}/console/session`, { method: 'POST', headers: { ...PAGE, connection: 'close' }, body }),
      );
      const statuses = (await Promise.all(signIns)).map(({ status }) => status);
      assert.deepEqual(statuses.sort(), [200, 401, 401, 401, 401, 401]);
      process.kill(receiver === 'npm' ? pid : -pid, signal);
      assert.equal(await ended, 0);
      await assert.rejects(fetch(`${baseUrl}/healthz`));
      // PostgreSQL deletes this file in an orderly shutdown.
      await assert.rejects(readFile(join(dataDir, 'postgres', 'postmaster.pid')), { code: 'ENOENT' });
    });
  }
});
