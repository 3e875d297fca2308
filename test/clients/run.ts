/** Installs the clients beside this file, and runs the tests that use them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const NOT_TESTS = ['run.ts', 'load-client.ts'];

async function run(command: string, parameters: string[], cwd: string): Promise<void> {
  const [code] = await once(spawn(command, parameters, { cwd, stdio: 'inherit' }), 'close');
  if (code !== 0) throw new Error(`${command} ${parameters.join(' ')} ended with ${code}`);
}

await run('npm', ['ci', '--ignore-scripts'], import.meta.dirname);
const files = globSync('*.ts', { cwd: import.meta.dirname }).filter((name) => !NOT_TESTS.includes(name));
await run(process.execPath, ['test/run.ts', ...files.map((name) => `test/clients/${name}`)], ROOT);
