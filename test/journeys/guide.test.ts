import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { EDGES } from '../../src/edges/table/edge-table.ts';
import { EVENT_TYPES } from '../../src/events/index.ts';
import { type ServeProcess, startServeProcess } from '../harness/serve-process.ts';

const run = promisify(execFile);
const guide = await readFile(resolve(import.meta.dirname, '../../docs/guide.md'), 'utf8');
const readme = await readFile(resolve(import.meta.dirname, '../../README.md'), 'utf8');
const MAIN = resolve(import.meta.dirname, '../../src/main.ts');
const hasCurl = await run('curl', ['--version']).then(
  () => true,
  () => false,
);

describe('the guide of the API', () => {
  let dir: string;
  let serve: ServeProcess;
  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'fairway-guide-'));
    serve = await startServeProcess(join(dir, 'data'), { PORT: '0' });
  });
  after(async () => {
    serve.kill('SIGTERM');
    await serve.ended;
    await rm(dir, { recursive: true });
  });

  it('guide and README: their commands work with the demo tenant', { skip: !hasCurl && 'no curl here' }, async () => {
    const demo = JSON.parse(await readFile(join(dir, 'data/demo.json'), 'utf8'));
    const variables = {
      BASE: `${serve.baseUrl}/v1`,
      KEY: demo.apiKey,
      NUMBER: demo.phoneNumberId,
      WABA: demo.wabaId,
      TO: '+12025550123',
    };
    const failsOnRefusals = 'curl() { command curl -S --fail-with-body "$@"; }; set -e\n';
    const ofThisCheckout = `npx() { shift; '${process.execPath}' '${MAIN}' "$@"; }\n`;
    const commands = [...blocksOf(guide), ...blocksOf(readme).filter((text) => text.startsWith('npx fairway send'))];
    assert.ok(commands.length >= 10);
    for (const text of commands) {
      // It follows the messages until it is interrupted.
      const ending = text.replace(/^npx fairway messages watch$/m, '');
      await run('sh', ['-c', failsOnRefusals + ofThisCheckout + ending], {
        cwd: dir,
        env: { PATH: process.env.PATH, HOME: dir, DATA_DIR: join(dir, 'data'), ...variables },
      }).catch(({ stdout, stderr }) => assert.fail(`${text}\n${stderr}\n${stdout}`));
    }
  });

  it('names every call that is passed on, with its methods', () => {
    const rows = guide.split('\n').filter((line) => /^\| .*\b(?:GET|POST|DELETE)\b/.test(line));
    const missing = EDGES.filter(({ path }) => path !== '').filter(({ path, method }) => {
      const row = rows.find((line) => line.includes(`\`${path.replace(':code', '{code}')}\``));
      return row?.includes(method) !== true;
    });
    assert.deepEqual(
      missing.map(({ method, path }) => `${method} ${path}`),
      [],
    );
  });

  it('names every error code of an answer, with its status', async () => {
    const { paths } = (await (await fetch(`${serve.baseUrl}/openapi.json`)).json()) as {
      paths: Record<string, object>;
    };
    const operations = Object.values(paths).flatMap((path) => Object.values(path));
    const answers = operations.flatMap(({ responses }) => Object.entries<object>(responses));
    const rows = guide.split('\n').filter((line) => /^\| [45]\w\w/.test(line));
    const seen = new Set<string>();
    for (const [status, answer] of answers) {
      for (const code of codesOf(answer)) {
        const row = rows.find((line) => line.includes(`\`${code}\``));
        assert.ok(row?.split('|')[1]?.includes(status.toLowerCase()), `${status} ${code}`);
        seen.add(code);
      }
    }
    assert.ok(seen.size > 25, [...seen].join());
  });

  it('shows the body of a delivery as it is', async () => {
    const { webhooks } = (await (await fetch(`${serve.baseUrl}/openapi.json`)).json()) as {
      webhooks: Record<string, { post: { requestBody: { content: Record<string, { schema: ObjectSchema }> } } }>;
    };
    const shown = JSON.parse(/is a `POST`[\s\S]*?```json\n([\s\S]*?)```/.exec(guide)?.[1] ?? 'none');
    const { properties = {} } = webhooks[shown.type]?.post.requestBody.content['application/json']?.schema ?? {};
    assert.deepEqual(Object.keys(shown), Object.keys(properties));
    for (const name of Object.keys(shown.data)) assert.ok(name in (properties.data?.properties ?? {}), name);
  });

  it('names every type of event', () => {
    for (const type of EVENT_TYPES) assert.ok(guide.includes(`\`${type}\``), type);
  });
});

/** Returns the shell commands of a document, block by block. */
function blocksOf(document: string): string[] {
  return [...document.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, text = '']) => text);
}

interface ObjectSchema {
  properties?: Record<string, ObjectSchema>;
}

/** Returns the documented error codes of an answer. */
function codesOf(answer: object): string[] {
  const { content } = answer as {
    content?: Record<string, { schema: { properties?: { code?: { enum?: string[] } } } }>;
  };
  return content?.['application/json']?.schema.properties?.code?.enum ?? [];
}
