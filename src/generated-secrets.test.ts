import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { loadGeneratedSecrets } from './generated-secrets.ts';

const NONE_GIVEN = { encryptionKeys: [], adminToken: null };

async function createDirectory(t: TestContext): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'fairway-secrets-'));
  t.after(() => rm(root, { recursive: true }));
  return join(root, 'data');
}

test('generated secrets: first start → private files that later starts find again', async (t) => {
  const dataDir = await createDirectory(t);
  const first = await loadGeneratedSecrets(dataDir, NONE_GIVEN);
  assert.deepEqual(
    first.encryptionKeys.map((key) => key.length),
    [32],
  );
  assert.match(first.adminToken, /^[\w-]{32}$/);
  assert.equal((await stat(dataDir)).mode & 0o777, 0o700);
  for (const name of ['admin-token', 'encryption-key']) {
    assert.equal((await stat(join(dataDir, name))).mode & 0o777, 0o600);
  }
  assert.equal((await readFile(join(dataDir, 'admin-token'), 'utf8')).trim(), first.adminToken);
  assert.deepEqual(await loadGeneratedSecrets(dataDir, NONE_GIVEN), first);
});

test('generated secrets: many starts at once → the same secrets, no drafts left', async (t) => {
  const dataDir = await createDirectory(t);
  const all = await Promise.all(Array.from({ length: 20 }, () => loadGeneratedSecrets(dataDir, NONE_GIVEN)));
  for (const secrets of all) assert.deepEqual(secrets, all[0]);
  assert.deepEqual((await readdir(dataDir)).sort(), ['admin-token', 'encryption-key']);
});

test('generated secrets: given secrets → used unchanged, nothing written', async (t) => {
  const dataDir = await createDirectory(t);
  const given = { encryptionKeys: [Buffer.alloc(32, 1)], adminToken: 'given' };
  assert.deepEqual(await loadGeneratedSecrets(dataDir, given), given);
  await assert.rejects(stat(dataDir), { code: 'ENOENT' });
});

test('generated secrets: damaged secret → the start fails, the file is kept', async (t) => {
  const dataDir = await createDirectory(t);
  const { encryptionKeys } = await loadGeneratedSecrets(dataDir, NONE_GIVEN);
  await writeFile(join(dataDir, 'encryption-key'), 'AAAA\n');
  await assert.rejects(loadGeneratedSecrets(dataDir, NONE_GIVEN), /damaged/);
  await writeFile(join(dataDir, 'admin-token'), '');
  await assert.rejects(loadGeneratedSecrets(dataDir, { encryptionKeys, adminToken: null }), /empty/);
});
