import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { renderApiTypes } from '../../clients/typescript/generate/render-api-types.ts';
import { useGateway, useTenant } from '../harness/fixtures.ts';
import { freshRecipient } from '../harness/tenant.ts';
import { installPackedClient, PROGRAM_RESULT } from '../support/client/packed-client.ts';

const run = promisify(execFile);
const CLIENT = resolve(import.meta.dirname, '../../clients/typescript');

/** Names of the web platform that the client may use. A worker has them, and no `process`, `Buffer` or `require`. */
const WEB_GLOBALS = [
  'AbortController',
  'AbortSignal',
  'Blob',
  'FormData',
  'Headers',
  'Response',
  'TextDecoder',
  'TextEncoder',
  'URLSearchParams',
  'atob',
  'btoa',
  'clearTimeout',
  'crypto',
  'fetch',
  'setTimeout',
];

/** Loads the program and the client in a context that has the web's globals alone, and runs it. */
const IN_CONTEXT = `
import { readFile } from 'node:fs/promises';
import { resolve, dirname } from 'node:path';
import vm from 'node:vm';
const globals = Object.fromEntries(${JSON.stringify(WEB_GLOBALS)}.map((name) => [name, globalThis[name]]));
const context = vm.createContext(globals);
const modules = new Map();
const read = async (path) => new vm.SourceTextModule(await readFile(path, 'utf8'), { context, identifier: path });
function load(path) {
  if (!modules.has(path)) modules.set(path, read(path));
  return modules.get(path);
}
const PACKAGES = { 'fairway-client': 'index.js', 'fairway-client/admin': 'admin.js' };
async function link(specifier, { identifier }) {
  const file = PACKAGES[specifier];
  if (file === undefined && !specifier.startsWith('.')) throw new Error('no such module in a worker: ' + specifier);
  return load(file ? resolve('node_modules/fairway-client/dist', file) : resolve(dirname(identifier), specifier));
}
const program = await load(resolve('program.js'));
await program.link(link);
await program.evaluate();
console.log(await program.namespace.main(JSON.parse(process.argv[2])));
`;

/** Names that the examples of the README take from the reader's program. */
const README_CONTEXT = `
import type { Fairway, SendBody } from 'fairway-client';
declare global {
  const fairway: Fairway;
  const number: string;
  const wabaId: string;
  const body: SendBody;
  const components: { type: string; text: string }[];
  const pdf: Blob;
  function sendTemplateInstead(): Promise<void>;
  function storeForLater(idempotencyKey: string | undefined): Promise<void>;
  function loadCursor(): Promise<string>;
  function storeCursor(cursor: string): Promise<void>;
  function answer(message: object): Promise<void>;
}
`;

describe('the package of the typed client', () => {
  const gateway = useGateway();
  const tenant = useTenant(gateway, {
    templates: [{ name: 'hello_world', language: 'en_US', category: 'UTILITY' }],
  });
  let dir = '';

  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'fairway-client-'));
    await installPackedClient(dir);
  });
  after(() => rm(dir, { recursive: true, force: true }));

  async function runProgram(node: string, ...parameters: string[]): Promise<string> {
    const { phoneNumberId: number, phoneNumber, apiKey } = tenant;
    const { baseUrl, adminToken } = gateway;
    const settings = JSON.stringify({ baseUrl, apiKey, adminToken, number, phoneNumber, to: freshRecipient() });
    return (await run(node, [...parameters, settings], { cwd: dir })).stdout.trim();
  }

  it('has types that fit the OpenAPI file of the gateway', async () => {
    const document = (await (await fetch(`${gateway.baseUrl}/openapi.json`)).json()) as object;
    const kept = await readFile(join(CLIENT, 'src/api-types.ts'), 'utf8');
    const isCurrent = kept === (await renderApiTypes(document));
    assert.ok(isCurrent, 'src/api-types.ts is out of date: run `npm run generate -w clients/typescript`');
  });

  it('contains built JavaScript, types and the README, and depends on nothing', async () => {
    const installed = join(dir, 'node_modules/fairway-client');
    assert.deepEqual((await readdir(installed)).sort(), ['README.md', 'dist', 'package.json']);
    assert.deepEqual(await readdir(join(dir, 'node_modules')), ['.package-lock.json', 'fairway-client']);
    const files = await readdir(join(installed, 'dist'), { recursive: true, withFileTypes: true });
    for (const file of files.filter((entry) => entry.isFile())) {
      assert.match(file.name, /\.(js|d\.ts)$/);
      assert.doesNotMatch(file.name, /\.test\./);
      const text = await readFile(join(file.parentPath, file.name), 'utf8');
      assert.doesNotMatch(text, /from '(?:node:|[^.])/, `${file.name} imports only its own files`);
    }
  });

  it('examples of the README → compile as a strict program', async () => {
    const blocks = [...(await readFile(join(CLIENT, 'README.md'), 'utf8')).matchAll(/```ts\n([\s\S]*?)```/g)];
    assert.ok(blocks.length >= 5);
    const files = ['readme-context.ts', ...blocks.map((_, place) => `readme-${place}.ts`)];
    await writeFile(join(dir, 'readme-context.ts'), README_CONTEXT);
    for (const [place, [, code = '']] of blocks.entries())
      await writeFile(join(dir, `readme-${place}.ts`), `${code}\nexport {};\n`);
    const { compilerOptions } = JSON.parse(await readFile(join(dir, 'tsconfig.json'), 'utf8'));
    const config = { compilerOptions: { ...compilerOptions, noEmit: true }, files };
    await writeFile(join(dir, 'tsconfig.readme.json'), JSON.stringify(config));
    const compiler = join(CLIENT, 'node_modules/typescript/bin/tsc');
    const compiling = run(process.execPath, [compiler, '-p', 'tsconfig.readme.json'], { cwd: dir });
    await compiling.catch(({ stdout }) => assert.fail(stdout));
  });

  it('runs under the Node of the gateway', async () => {
    assert.equal(await runProgram(process.execPath, 'start.js'), PROGRAM_RESULT);
  });

  it('runs under the Node of the system', async (t) => {
    const path = (process.env.PATH ?? '').split(delimiter).filter((part) => !part.includes('node_modules'));
    const { stdout } = await run('sh', ['-c', 'command -v node || true'], { env: { PATH: path.join(delimiter) } });
    if (stdout.trim() === '') return t.skip('the system has no Node');
    assert.equal(await runProgram(stdout.trim(), 'start.js'), PROGRAM_RESULT);
  });

  it('runs with the globals of the web alone, as in a worker', async () => {
    await writeFile(join(dir, 'in-context.js'), IN_CONTEXT);
    const result = await runProgram(process.execPath, '--experimental-vm-modules', '--no-warnings', 'in-context.js');
    assert.equal(result, PROGRAM_RESULT);
  });
});
