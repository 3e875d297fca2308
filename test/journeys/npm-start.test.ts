import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, it } from 'node:test';

const PROJECT = resolve(import.meta.dirname, '../..');

/** Runs `npm start` in its own process group. */
async function npmStart(dataDir: string) {
  const child = spawn('npm', ['start'], {
    cwd: PROJECT,
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env.PATH, HOME: dataDir, DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'warn' },
  });
  const ended = once(child, 'close').then(([code]) => code as number | null);
  let output = '';
  const ready = new Promise<string>((found) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      const url = /Fairway is ready: (\S+)/.exec(output)?.[1];
      if (url !== undefined) found(url);
    });
  });
  const baseUrl = await Promise.race([ready, ended.then(() => assert.fail(`it ended:\n${output}`))]);
  assert.ok(child.pid !== undefined);
  return { baseUrl, pid: child.pid, ended };
}

describe('npm start', () => {
  for (const [signal, receiver] of [
    ['SIGTERM', 'npm'],
    ['SIGINT', 'the whole group'],
  ] as const) {
    it(`ends with 0 and leaves nothing behind when ${receiver} gets ${signal}`, async (t) => {
      const dataDir = await mkdtemp(join(tmpdir(), 'fairway-npm-'));
      t.after(() => rm(dataDir, { recursive: true }));
      const { baseUrl, pid, ended } = await npmStart(dataDir);
      assert.equal((await fetch(`${baseUrl}/readyz`)).status, 200);
      process.kill(receiver === 'npm' ? pid : -pid, signal);
      assert.equal(await ended, 0);
      await assert.rejects(fetch(`${baseUrl}/healthz`));
      // PostgreSQL deletes this file in an orderly shutdown.
      await assert.rejects(readFile(join(dataDir, 'postgres', 'postmaster.pid')), { code: 'ENOENT' });
    });
  }
});
