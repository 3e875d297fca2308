import assert from 'node:assert/strict';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { startEmbeddedPostgres } from '../../embedded-postgres/index.ts';
import { loadGeneratedSecrets } from '../../generated-secrets.ts';
import { inDataDir } from './data-dir.ts';

const NONE_GIVEN = { encryptionKeys: [], adminToken: null };
const SOMEBODY_ELSE = 65_534;
const isRoot = process.geteuid?.() === 0;
const log = { warn() {}, error() {}, info() {}, debug() {} } as never;

const starts = {
  secrets: (dataDir: string) => inDataDir(dataDir, () => loadGeneratedSecrets(dataDir, NONE_GIVEN)),
  postgres: (dataDir: string) => inDataDir(dataDir, () => startEmbeddedPostgres({ dataDir, log })),
};

async function createDirectory(t: TestContext): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'fairway-data-dir-'));
  t.after(() => rm(dir, { recursive: true }));
  return dir;
}

test('data dir: owned by another user → error names the owner and the remedy', { skip: !isRoot }, async (t) => {
  const dataDir = await createDirectory(t);
  await loadGeneratedSecrets(dataDir, NONE_GIVEN);
  const problemAsSomebodyElse = async () => {
    process.seteuid?.(SOMEBODY_ELSE);
    return await starts
      .secrets(dataDir)
      .then(() => 'none', String)
      .finally(() => process.seteuid?.(0));
  };
  const told = (path: string) => `${path} belongs to user 0, and this process runs as user ${SOMEBODY_ELSE}: run it as`;
  const closed = await problemAsSomebodyElse();
  assert.ok(
    closed.startsWith(`ConfigError: The configuration has problems:\n  - DATA_DIR (${dataDir}) cannot`),
    closed,
  );
  assert.ok(closed.includes(told(dataDir)), closed);
  await chmod(dataDir, 0o777);
  const open = await problemAsSomebodyElse();
  assert.ok(open.includes(told(join(dataDir, 'encryption-key'))), open);
});

for (const [what, start] of Object.entries(starts)) {
  test(`data dir: nothing can be created there → the start fails and says so: ${what}`, {
    skip: process.platform !== 'linux',
  }, async (t) => {
    const file = join(await createDirectory(t), 'file');
    await writeFile(file, '');
    await assert.rejects(
      start('/proc/x/y'),
      /DATA_DIR \(\/proc\/x\/y\) cannot be used: ENOENT.* It must be a directory/,
    );
    await assert.rejects(start(file), /\/file\) cannot be used: ENOTDIR.* It must be a directory/);
  });
}

test('data dir: full or read-only file system → the error says so', async () => {
  const failing = (code: string, path?: string) =>
    inDataDir('/data', () => Promise.reject(Object.assign(new Error(`${code}: …, write`), { code, path })));
  await assert.rejects(failing('ENOSPC'), /\(\/data\) cannot be used: ENOSPC.* is full: make room/);
  for (const words of ['database or disk is full', 'initdb failed (1): … "base/5": No space left on device']) {
    const told = inDataDir('/data', () => Promise.reject(new Error(words)));
    await assert.rejects(told, { name: 'ConfigError', message: /\(\/data\) cannot be used: .* is full: make room/ });
  }
  await assert.rejects(failing('EROFS', '/data'), /\(\/data\) cannot be used: EROFS.* is read-only: mount it/);
});

test('data dir: failure elsewhere → passed on unchanged', async () => {
  for (const failure of [
    Object.assign(new Error('spawn initdb ENOENT'), { code: 'ENOENT', path: 'initdb' }),
    Object.assign(new Error('EACCES'), { code: 'EACCES', path: '/database' }),
    Object.assign(new Error('EACCES'), { code: 'EACCES', path: '/dat' }),
    new Error('encryption-key is damaged'),
  ]) {
    await assert.rejects(
      inDataDir('/data', () => Promise.reject(failure)),
      (error) => error === failure,
    );
  }
});
