import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { startCli } from '../harness/cli.ts';
import { useGateway, useTenant } from '../harness/fixtures.ts';
import { issueKey } from '../harness/tenant.ts';

const MAIN = resolve(import.meta.dirname, '../../src/main.ts');

/** Commands with an ID as an argument, without it. */
const WITH_ID = [
  ['messages', 'show'],
  ['messages', 'explain'],
  ['media', 'download'],
  ['webhooks', 'deliveries'],
  ['webhooks', 'rotate', '--yes'],
  ['opt-outs', 'remove', '--yes'],
  ['people', 'export'],
  ['people', 'erase', '--yes'],
  ['tenants', 'show'],
  ['tenants', 'close', '--yes'],
  ['keys', 'list'],
  ['keys', 'disable', '--yes'],
  ['operators', 'revoke', '--yes'],
  ['numbers', 'pause'],
  ['wabas', 'disconnect', '--yes'],
];

describe('fairway, used wrongly', () => {
  const gateway = useGateway();
  const tenant = useTenant(gateway);
  let dir = '';
  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'fairway-wrong-'));
  });
  after(() => rm(dir, { recursive: true }));
  const environment = (more: Record<string, string> = {}) => ({
    ...{ HOME: dir, DATA_DIR: dir, FAIRWAY_URL: gateway.baseUrl },
    ...{ FAIRWAY_API_KEY: tenant.apiKey, FAIRWAY_ADMIN_TOKEN: gateway.adminToken, ...more },
  });
  const run = (args: readonly string[], env = environment()) => startCli(args, { env }).ended;

  for (const [name, id] of [
    ['an empty ID', ''],
    ['dots in place of an ID', '..'],
  ] as const) {
    it(`${name} → exit code 2 from every command, and nothing is changed`, async () => {
      for (const words of WITH_ID) {
        const { code, stderr } = await run([...words, id]);
        assert.equal(code, 2, `${words.join(' ')}: ${stderr}`);
        assert.match(stderr, /^error: An ID in the command/);
      }
      assert.equal((await run(['messages', 'list'])).code, 0);
    });
  }

  it('a wrong option with --json → the error as JSON, with the suggestion', async () => {
    for (const args of [
      ['stauts', '--json'],
      ['send', '--json'],
      ['messages', 'list', '--limt', '3', '--json'],
    ]) {
      const { code, stdout, stderr } = await run(args);
      assert.deepEqual([code, stdout], [2, ''], stderr);
      assert.equal(typeof JSON.parse(stderr).error.message, 'string');
    }
    assert.match((await run(['stauts', '--json'])).stderr, /Did you mean status\?/);
  });

  it('a key that no header can carry → exit code 2, and the key is not shown', async () => {
    for (const key of ['fw_live_Schlüssel', 'fw_live_one\nfw_live_two']) {
      const { code, stderr } = await run(['messages', 'list'], environment({ FAIRWAY_API_KEY: key }));
      assert.equal(code, 2, stderr);
      assert.doesNotMatch(stderr, /fw_live/);
    }
  });

  it('a disabled key → exit code 5; an expired one as well', async () => {
    const disabled = await issueKey(gateway, tenant);
    await run(['keys', 'disable', disabled.id, '--yes']);
    const expired = await issueKey(gateway, tenant);
    const text = `UPDATE api_key SET expires_at = now() - interval '1 hour' WHERE id = $1`;
    await gateway.app.db.query({ text, values: [expired.id] });
    for (const { key } of [disabled, expired]) {
      const { code, stderr } = await run(['messages', 'list'], environment({ FAIRWAY_API_KEY: key }));
      assert.equal(code, 5, stderr);
      assert.ok(!stderr.includes(key), stderr);
    }
  });

  it('a server that is no gateway → exit code 6 and no part of its page', async () => {
    const server = createServer((_, response) => response.end('<h1>Welcome</h1>'));
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    try {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const { code, stderr } = await run(['messages', 'list'], environment({ FAIRWAY_URL: url }));
      assert.equal(code, 6, stderr);
      assert.match(stderr, /does not answer as a gateway does/);
      assert.doesNotMatch(stderr, /Welcome/);
    } finally {
      server.close();
    }
  });

  it('a broken file of the demo or of the profiles → exit code 2 that names the file', async () => {
    await writeFile(join(dir, 'local-gateway.json'), '{"url": ', { mode: 0o600 });
    const { code, stderr } = await run(['status'], { ...environment(), FAIRWAY_URL: '' });
    assert.equal(code, 2, stderr);
    assert.match(stderr, /local-gateway\.json is not JSON/);
    await rm(join(dir, 'local-gateway.json'));
  });

  it('a pipe whose reader ends → no complaint, on standard output and standard error', async () => {
    for (const pipe of ['', '2>&1']) {
      const line = `'${process.execPath}' '${MAIN}' --help ${pipe} | head -1; '${process.execPath}' '${MAIN}' nonsense ${pipe} | true`;
      const env = { PATH: process.env.PATH, ...environment() };
      const { stdout, stderr } = await promisify(execFile)('sh', ['-c', line], { env });
      assert.match(stdout, /^Usage: fairway/);
      assert.doesNotMatch(stderr, /EPIPE|at .*:\d+/);
    }
  });

  it('a narrow terminal → the whole table', async () => {
    const list = startCli(['keys', 'list', tenant.organizationId], {
      env: environment({ NO_COLOR: '1' }),
      terminal: { columns: 20, rows: 5 },
    });
    const { code, stdout } = await list.ended;
    assert.equal(code, 0);
    assert.match(stdout, /ID +NAME/);
  });
});
