import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { it } from 'node:test';
import { describeCommand } from '../../harness/cli.ts';
import { createTenant } from '../../harness/tenant.ts';

const TEXT = 'An order for you.\n'.repeat(10_000);

describeCommand('media download', (suite) => {
  async function uploaded(name: string): Promise<string> {
    const path = join(suite.home, 'source.txt');
    await writeFile(path, TEXT);
    return (await suite.fairway(['media', 'upload', path, '--name', name, '--json'])).json.id;
  }

  async function newFolder(name: string): Promise<string> {
    const folder = join(suite.home, name);
    await mkdir(folder);
    return folder;
  }

  /** Runs the command against a server that answers in place of the gateway. */
  async function runAgainst(answer: RequestListener, args: readonly string[]) {
    const server = createServer(answer);
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const { port } = server.address() as AddressInfo;
    try {
      return await suite.run(args, { env: { FAIRWAY_URL: `http://127.0.0.1:${port}` } });
    } finally {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    }
  }

  it('a folder → the file under its name, with progress on a terminal', async () => {
    const [id, folder] = [await uploaded('order.txt'), await newFolder('plain')];
    const { code, stdout } = await suite.run([id, '--output', folder], { terminal: true });
    assert.equal(code, 0, stdout);
    assert.match(stdout, /Downloaded KiB \[=+\] 176\/176/);
    assert.deepEqual(await readdir(folder), ['order.txt']);
    assert.equal(await readFile(join(folder, 'order.txt'), 'utf8'), TEXT);
  });

  it('an existing file → kept with exit code 2; overwritten with --force', async () => {
    const [id, folder] = [await uploaded('order.txt'), await newFolder('existing')];
    const path = join(folder, 'order.txt');
    await writeFile(path, 'mine');
    for (const output of [folder, path]) {
      assert.equal((await suite.run([id, '--output', output])).code, 2);
      assert.equal(await readFile(path, 'utf8'), 'mine');
    }
    const forced = await suite.run([id, '--output', path, '--number', suite.tenant.phoneNumberId, '--force', '--json']);
    assert.deepEqual(forced.json, { path, bytes: TEXT.length, mime_type: 'text/plain' });
    assert.equal(await readFile(path, 'utf8'), TEXT);
    assert.deepEqual(await readdir(folder), ['order.txt']);
  });

  it('a hostile name → a harmless file in the folder', async () => {
    const folder = await newFolder('hostile');
    const name = encodeURIComponent('../../.evil\u001b[2J.txt');
    const answer: RequestListener = (_request, response) =>
      response.writeHead(200, { 'content-disposition': `attachment; filename*=UTF-8''${name}` }).end('x');
    const { code, stdout } = await runAgainst(answer, ['77', '--output', folder]);
    assert.equal(code, 0);
    assert.deepEqual(await readdir(folder), ['evil_[2J.txt']);
    assert.ok(!stdout.includes('\u001b'));
  });

  it('a connection that breaks, or a file of another tenant → no file', async () => {
    const folder = await newFolder('broken');
    const broken: RequestListener = (_request, response) => {
      response.writeHead(200, { 'content-length': '1000' }).write('x');
      setImmediate(() => response.destroy());
    };
    assert.equal((await runAgainst(broken, ['77', '--output', folder])).code, 6);
    assert.deepEqual(await readdir(folder), []);
    const [id, { apiKey }] = [await uploaded('order.txt'), await createTenant(suite.gateway)];
    assert.equal((await suite.run([id, '--output', folder], { env: { FAIRWAY_API_KEY: apiKey } })).code, 4);
    assert.deepEqual(await readdir(folder), []);
  });

  it('Ctrl-C in the middle → exit code 130 and no file', async () => {
    const folder = await newFolder('interrupted');
    const begun = Promise.withResolvers<void>();
    const server = createServer((_request, response) => {
      response.writeHead(200, { 'content-length': '1000' }).write('x', () => begun.resolve());
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const env = { FAIRWAY_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
    const download = suite.start(['77', '--output', folder], { env });
    await begun.promise;
    download.interrupt();
    assert.equal((await download.ended).code, 130);
    assert.deepEqual(await readdir(folder), []);
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  });
});
