/**
 * Installs the clients beside this file, and runs the tests that use them. Of n8n's nodes only those for WhatsApp are unpacked, without the
 * dependencies of all others; package.json names the few that they load.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const NODES = {
  version: '2.41.2',
  sha512: 'qUItyawxR1aR/t6Fgk0whYwBSDR+VOu5RkgAI3AElVI3dqPLLcCAawAMFc/N3GFG35//quOVRUwuc7a3mVLC0g==',
  /** The WhatsApp nodes and the code that they share with others. */
  parts: ['package.json', 'dist/utils', 'dist/nodes/WhatsApp', 'dist/nodes/Form', 'dist/nodes/Webhook'],
};
const NOT_TESTS = ['run.ts', 'load-client.ts'];

async function run(command: string, parameters: string[], cwd: string): Promise<void> {
  const [code] = await once(spawn(command, parameters, { cwd, stdio: 'inherit' }), 'close');
  if (code !== 0) throw new Error(`${command} ${parameters.join(' ')} ended with ${code}`);
}

async function unpackNodes(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'fairway-n8n-'));
  try {
    await run('npm', ['pack', '--silent', `n8n-nodes-base@${NODES.version}`], folder);
    const file = join(folder, `n8n-nodes-base-${NODES.version}.tgz`);
    const sha512 = createHash('sha512')
      .update(await readFile(file))
      .digest('base64');
    if (sha512 !== NODES.sha512) throw new Error(`${file} has another hash: ${sha512}`);
    const place = join(import.meta.dirname, 'node_modules/n8n-nodes-base');
    await mkdir(place);
    const parts = NODES.parts.map((part) => `package/${part}`);
    await run('tar', ['-xzf', file, '-C', place, '--strip-components=1', ...parts], folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

await run('npm', ['ci', '--ignore-scripts'], import.meta.dirname);
await unpackNodes();
const files = globSync('*.ts', { cwd: import.meta.dirname }).filter((name) => !NOT_TESTS.includes(name));
await run(process.execPath, ['test/run.ts', ...files.map((name) => `test/clients/${name}`)], ROOT);
