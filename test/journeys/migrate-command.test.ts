import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';

const MAIN = resolve(import.meta.dirname, '../../src/main.ts');
const run = promisify(execFile);

test('fairway migrate: migrates the embedded database with the settings of a start', async (t) => {
  const parentDir = await mkdtemp(join(tmpdir(), 'fairway-migrate-'));
  t.after(() => rm(parentDir, { recursive: true, force: true, maxRetries: 5 }));
  const dataDir = join(parentDir, 'data');
  const env = { PATH: process.env.PATH, DATA_DIR: dataDir, MESSAGE_RETENTION_DAYS: '1000', LOG_LEVEL: 'warn' };
  const migrate = async () => (await run(process.execPath, [MAIN, 'migrate'], { env })).stdout;
  assert.match(await migrate(), /^Applied: 0001_foundation, .*\n$/);
  assert.equal(await migrate(), 'Nothing to do.\n');
  const commandLine = await readFile(join(dataDir, 'postgres', 'postmaster.opts'), 'utf8');
  assert.match(commandLine, /"max_locks_per_transaction=2000"/, 'a migration locks the tables of every day');
});
