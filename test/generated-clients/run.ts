/**
 * Installs the client generators beside this file, has each make a client from the OpenAPI file of a gateway that is started for it, compiles
 * them under strict TypeScript, and sends, polls and uploads with each. Runs the packed typed client in Deno.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServeProcess } from '../harness/serve-process.ts';
import { installPackedClient } from '../support/client/packed-client.ts';

const HERE = import.meta.dirname;
/** The number of the demo, which needs no platform. */
const DEMO = { number: '100000000000002', phoneNumber: '12025550100' };

async function run(command: string, parameters: string[], environment: Record<string, string> = {}): Promise<void> {
  const child = spawn(command, parameters, { cwd: HERE, stdio: 'inherit', env: { ...process.env, ...environment } });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${command} ${parameters.join(' ')} ended with ${code}`);
}

const dir = await mkdtemp(join(tmpdir(), 'fairway-clients-'));
const gateway = await startServeProcess(join(dir, 'data'), { PORT: '0' });
try {
  const { baseUrl, adminToken } = gateway;
  const ask = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(`${baseUrl}${path}`, { ...init, headers: { authorization: `Bearer ${adminToken}` } });
    if (!response.ok) throw new Error(`${path}: ${response.status}`);
    return (await response.json()) as Record<string, never> & { data: { id: string }[]; key: string };
  };
  const [organization] = (await ask('/admin/v1/organizations')).data;
  const path = `/admin/v1/organizations/${organization?.id}/api-keys`;
  const { key } = await ask(path, { method: 'POST', body: JSON.stringify({ name: 'generated clients' }) });
  const file = join(dir, 'openapi.json');
  await writeFile(file, JSON.stringify(await ask('/openapi.json'), null, 2));
  await run('npm', ['ci', '--ignore-scripts', '--no-fund', '--no-audit']);
  await run('bash', ['generate.sh', file]);
  await run(join(HERE, 'node_modules/.bin/tsc'), ['-p', '.']);
  const settings = { BASE_URL: baseUrl, API_KEY: key, NUMBER: DEMO.number, PHONE_NUMBER: DEMO.phoneNumber };
  const bundle = ['use-clients.ts', '--bundle', '--platform=node', '--format=esm', '--outfile=out/use-clients.mjs'];
  await run(join(HERE, 'node_modules/.bin/esbuild'), bundle);
  await run(process.execPath, ['out/use-clients.mjs'], settings);
  const packed = join(dir, 'packed');
  await installPackedClient(packed);
  const { number, phoneNumber } = DEMO;
  const program = JSON.stringify({ baseUrl, apiKey: key, adminToken, number, phoneNumber, to: '+12025550300' });
  await run(join(HERE, 'node_modules/.bin/deno'), [
    'run',
    '--allow-net',
    '--allow-read',
    join(packed, 'start.js'),
    program,
  ]);
} finally {
  gateway.kill('SIGTERM');
  await gateway.ended;
  await rm(dir, { recursive: true, force: true });
}
