import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { BufferCollector } from './buffer-collector.ts';
import { Spool } from './spool.ts';

const KIB = 1024;

function makeSpool(dir: string): Spool {
  return new Spool({ dir, collector: new BufferCollector(() => {}) });
}

async function makeDir(t: TestContext): Promise<string> {
  const parent = await mkdtemp(join(tmpdir(), 'spool-'));
  t.after(() => rm(parent, { recursive: true, force: true }));
  return join(parent, 'spool');
}

async function* chunksOf(bytes: Buffer, chunkBytes: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
}

async function read(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

test('spool: received file → the same bytes, and no name on disk', async (t) => {
  const dir = await makeDir(t);
  const spool = makeSpool(dir);
  const contents = Buffer.from(Array.from({ length: 200 * KIB }, (_, index) => (index * 7919) % 251));
  await using file = await spool.receive(chunksOf(contents, 10_007), 1000 * KIB);
  assert.deepEqual(await readdir(dir), []);
  assert.equal((await stat(dir)).mode & 0o777, 0o700);
  assert.equal(file.bytes, contents.length);
  assert.equal(file.sha256, createHash('sha256').update(contents).digest('hex'));
  assert.ok((await file.read(100, 7 * KIB)).equals(contents.subarray(100, 100 + 7 * KIB)));
  assert.ok((await file.read(199 * KIB, 7 * KIB)).equals(contents.subarray(-KIB)));
  assert.equal((await file.read(200 * KIB, KIB)).length, 0);
  assert.ok((await read(file.stream())).equals(contents));
  assert.ok((await read(file.stream())).equals(contents));
});

test('spool: file over the limit → full size reported, no more than the limit kept', async (t) => {
  const spool = makeSpool(await makeDir(t));
  await using file = await spool.receive(chunksOf(Buffer.alloc(50 * KIB), 4 * KIB), 10 * KIB);
  assert.equal(file.bytes, 50 * KIB);
  assert.ok((await read(file.stream())).length <= 10 * KIB);
});

test('spool: failing source → receive rejects with the same error', async (t) => {
  const spool = makeSpool(await makeDir(t));
  const failure = new Error('gone');
  async function* source(): AsyncGenerator<Buffer> {
    yield Buffer.alloc(10);
    throw failure;
  }
  await assert.rejects(spool.receive(source(), KIB), failure);
});

test('spool: failing disk → an error of its own', async (t) => {
  const dir = await makeDir(t);
  await writeFile(dir, 'no directory');
  const source = chunksOf(Buffer.from('x'), 1);
  await assert.rejects(makeSpool(dir).receive(source, KIB), /^Error: temporary storage failed$/);
});

test('spool: directory that disappears → created again', async (t) => {
  const dir = await makeDir(t);
  const spool = makeSpool(dir);
  await spool.sweep(Date.now());
  await rm(dir, { recursive: true });
  await using file = await spool.receive(chunksOf(Buffer.from('x'), 1), KIB);
  assert.equal(file.bytes, 1);
});

test('spool: sweep → deletes old leftovers, keeps new files', async (t) => {
  const dir = await makeDir(t);
  const spool = makeSpool(dir);
  await spool.sweep(Date.now());
  await writeFile(join(dir, 'old'), 'x');
  await writeFile(join(dir, 'new'), 'x');
  await utimes(join(dir, 'old'), 0, 0);
  await spool.sweep(Date.now());
  assert.deepEqual(await readdir(dir), ['new']);
});

test('spool: directory that others can open → refused', async (t) => {
  const dir = await makeDir(t);
  const spool = makeSpool(dir);
  await spool.sweep(Date.now());
  await chmod(dir, 0o755);
  await assert.rejects(spool.sweep(Date.now()), /only this user/);
});

test('spool: directory cannot be created → the error names TMPDIR', async (t) => {
  const file = await makeDir(t);
  await writeFile(file, '');
  await assert.rejects(makeSpool(join(file, 'uploads')).sweep(Date.now()), { message: /below TMPDIR: ENOTDIR/ });
});

const NOTHING_CAN_BE_MADE = '/proc';

test('spool: nothing can be created → fails at once', { skip: !existsSync(NOTHING_CAN_BE_MADE) }, async () => {
  const spool = makeSpool(join(NOTHING_CAN_BE_MADE, 'none', 'uploads'));
  await assert.rejects(spool.sweep(Date.now()), { message: /below TMPDIR: ENOENT/ });
});
