import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { test } from 'node:test';
import packageJson from '../../package.json' with { type: 'json' };
import { findFreePort } from '../../src/embedded-postgres/find-free-port.ts';

const PROJECT = resolve(import.meta.dirname, '../..');

/** Fills `dir` with the image's contents: the files the Dockerfile copies, and the packages without those for development. */
async function fillImage(dir: string, dockerfile: string): Promise<void> {
  for (const [, sources = ''] of dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)) {
    for (const source of sources.split(' ')) {
      await cp(join(PROJECT, source), join(dir, source), {
        recursive: true,
        filter: (path) => !path.endsWith('.test.ts'),
      });
    }
  }
  for (const name of Object.keys(packageJson.dependencies)) {
    const link = join(dir, 'node_modules', name);
    await mkdir(dirname(link), { recursive: true });
    await symlink(join(PROJECT, 'node_modules', name), link);
  }
}

test('the files that the Dockerfile copies: enough to run, with a working health check', async (t) => {
  const dockerfile = await readFile(join(PROJECT, 'Dockerfile'), 'utf8');
  const [, healthCheck = ''] = /^HEALTHCHECK .*\s+CMD (\[.+\])$/m.exec(dockerfile) ?? [];
  const [program = '', ...checkArguments] = JSON.parse(healthCheck) as string[];
  const dir = await mkdtemp(join(tmpdir(), 'fairway-image-'));
  await fillImage(dir, dockerfile);

  const PORT = String(await findFreePort());
  const PATH = [dirname(process.execPath), process.env.PATH].join(delimiter);
  const env = { PATH, HOST: '0.0.0.0', PORT, DATA_DIR: join(dir, 'data'), LOG_LEVEL: 'silent' };
  const check = async () => (await once(spawn(program, checkArguments, { env, stdio: 'ignore' }), 'close'))[0];
  const gateway = spawn('sh', ['-c', packageJson.scripts.start], {
    cwd: dir,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(gateway, 'close');
  t.after(async () => {
    gateway.kill('SIGKILL');
    await ended;
    await rm(dir, { recursive: true, maxRetries: 5 });
  });

  const [banner] = await Promise.race([once(gateway.stdout, 'data'), ended]);
  assert.match(String(banner), /Fairway is ready/);
  assert.equal(await check(), 0);
  assert.equal((await fetch(`http://127.0.0.1:${PORT}/docs/guide`)).status, 200);
  gateway.kill();
  assert.equal((await ended)[0], 0);
  assert.equal(await check(), 1);
});
