import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { createServer as createHttpServer, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { issueCertificate } from '../../test/support/egress/issue-certificate.ts';
import { createVirtualInternet } from '../../test/support/egress/virtual-internet.ts';
import { Spool, type SpooledFile } from '../spool/index.ts';
import { createEgress, type Egress } from './create-egress.ts';
import type { FetchFileOptions, FetchFileOutcome } from './fetch-public-file.ts';

const trusted = issueCertificate(['secure.test']);
const IMAGE = { 'content-type': 'image/png' };

/** Site `files.test`: each path is one behaviour of a file server. */
const routes: Record<string, RequestListener> = {
  '/photo%20one.png': (_request, response) =>
    response.writeHead(200, { 'content-type': 'IMAGE/PNG; x=1' }).end('pixels'),
  '/no-type': (_request, response) => response.end('pixels'),
  '/bytes': (_request, response) => response.writeHead(200, { 'content-type': 'binary/octet-stream' }).end('pixels'),
  '/forced': (_request, response) =>
    response.writeHead(200, { 'content-type': 'application/force-download' }).end('pixels'),
  '/page': (_request, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
  '/zipped': (_request, response) => response.writeHead(200, { ...IMAGE, 'content-encoding': 'gzip' }).end('pixels'),
  '/empty': (_request, response) => response.writeHead(200, IMAGE).end(),
  '/missing': (_request, response) => response.writeHead(404, IMAGE).end('pixels'),
  '/broken': (_request, response) => response.writeHead(500, IMAGE).end('pixels'),
  '/nothing': (_request, response) => response.writeHead(204).end(),
  '/partial': (_request, response) => response.writeHead(206, IMAGE).end('pixels'),
  '/choices': (_request, response) => response.writeHead(300, { location: '/no-type' }).end(),
  '/nowhere': (_request, response) => response.writeHead(302).end(),
  '/loop': (_request, response) => response.writeHead(302, { location: '/loop' }).end('x'.repeat(100)),
  '/to-file': (_request, response) => response.writeHead(301, { location: '../bytes?a=b#c' }).end(),
  '/to-unescaped': (_request, response) => {
    const location = Buffer.from('/gr\u00fcn\u65e5.png').toString('latin1');
    response.writeHead(302, { location }).end();
  },
  '/gr%C3%BCn%E6%97%A5.png': (_request, response) => response.end('pixels'),
  '/to-latin1': (_request, response) => response.writeHead(302, { location: '/gr\u00fcn.png' }).end(),
  '/gr%C3%BCn.png': (_request, response) => response.end('pixels'),
  '/to-ftp': (_request, response) => response.writeHead(302, { location: 'ftp://files.test/' }).end(),
  '/to-secure': (_request, response) => response.writeHead(307, { location: 'https://secure.test/photo' }).end(),
  '/via-secure': (_request, response) => response.writeHead(308, { location: 'https://secure.test/to-plain' }).end(),
  '/declared-1000': (_request, response) => response.writeHead(200, { 'content-length': 1000 }).end('x'.repeat(1000)),
  '/chunked-1000': (_request, response) => response.writeHead(200).end('x'.repeat(1000)),
  '/endless': (_request, response) => {
    const more = () => {
      while (!response.destroyed && response.write('x'.repeat(10_000)));
    };
    response.on('drain', more);
    more();
  },
  '/cut-off': (_request, response) => {
    response.writeHead(200, { 'content-length': 1000 }).write('x', () => response.socket?.destroy());
  },
  '/stalled': (_request, response) => {
    response.writeHead(200, { 'content-length': 1000 }).write('x');
  },
};
for (const hops of [1, 2, 3, 4]) {
  const location = hops === 1 ? '/no-type' : `/hops-${hops - 1}`;
  routes[`/hops-${hops}`] = (_request, response) => response.writeHead(303, { location }).end();
}

const storage = mkdtempSync(join(tmpdir(), 'fairway-test-'));
after(() => rmSync(storage, { recursive: true }));
const received: SpooledFile[] = [];

class NotedSpool extends Spool {
  override async receive(...given: Parameters<Spool['receive']>): Promise<SpooledFile> {
    const file = await super.receive(...given);
    received.push(file);
    return file;
  }
}
const spool = new NotedSpool({ dir: storage });

interface Scene extends AsyncDisposable {
  egress: Egress;
  requests: IncomingMessage[];
}

async function openScene(): Promise<Scene> {
  const requests: IncomingMessage[] = [];
  const internet = createVirtualInternet();
  const answer: RequestListener = (request, response) => {
    requests.push(request);
    routes[request.url?.split('?')[0] ?? '']?.(request, response);
  };
  await internet.addSite('files.test', createHttpServer(answer));
  const secure = createHttpsServer(trusted, (request, response) => {
    if (request.url === '/to-plain') response.writeHead(302, { location: 'http://files.test/no-type' }).end();
    else response.end('pixels');
  });
  await internet.addSite('secure.test', secure);
  const egress = createEgress({
    allowCidrs: [],
    resolveHost: internet.resolveHost,
    dial: internet.dial,
    tlsCa: trusted.cert,
  });
  return {
    egress,
    requests,
    async [Symbol.asyncDispose]() {
      await egress[Symbol.asyncDispose]();
      await internet[Symbol.asyncDispose]();
    },
  };
}

const WANTED: FetchFileOptions = {
  spool,
  bytesMax: 100_000,
  acceptTypes: ['image/png', 'video/*'],
  totalTimeoutMs: 10_000,
  signal: new AbortController().signal,
};

async function describe(outcome: FetchFileOutcome): Promise<string> {
  if (outcome.kind === 'failed') return outcome.reason;
  await using file = outcome.file;
  return `ok ${(await buffer(file.stream())).toString()}`;
}

test('fetch file: success → the whole file, readable in parts and repeatedly', async () => {
  await using scene = await openScene();
  const outcome = await scene.egress.fetchPublicFile('http://files.test/photo%20one.png?x=1#y', WANTED);
  assert.ok(outcome.kind === 'ok');
  await using file = outcome.file;
  assert.equal((await buffer(file.stream())).toString(), 'pixels');
  assert.equal((await buffer(file.stream())).toString(), 'pixels');
  assert.equal((await file.read(2, 100)).toString(), 'xels');
  assert.equal((await file.read(6, 100)).length, 0);
  assert.deepEqual(await readdir(storage), [], 'the file has no name on disk');
});

test('fetch file: request → no credentials or cookies, identity encoding', async () => {
  await using scene = await openScene();
  await describe(await scene.egress.fetchPublicFile('http://files.test/to-file', WANTED));
  assert.equal(scene.requests.length, 2);
  for (const { headers } of scene.requests) {
    assert.deepEqual(Object.keys(headers).sort(), ['accept', 'accept-encoding', 'connection', 'host', 'user-agent']);
    assert.equal(headers['accept-encoding'], 'identity');
    assert.equal(headers.accept, 'image/png, video/*');
    assert.equal(headers.host, 'files.test');
  }
});

const outcomes: Record<string, string> = {
  '/no-type': 'ok pixels',
  '/bytes': 'ok pixels',
  '/forced': 'ok pixels',
  '/to-file': 'ok pixels',
  '/to-unescaped': 'ok pixels',
  '/to-latin1': 'ok pixels',
  '/to-secure': 'ok pixels',
  '/hops-3': 'ok pixels',
  '/hops-4': 'redirect',
  '/loop': 'redirect',
  '/via-secure': 'redirect',
  '/to-ftp': 'invalid_url',
  '/page': 'type',
  '/zipped': 'type',
  '/empty': 'empty',
  '/missing': 'http_status',
  '/broken': 'http_status',
  '/nothing': 'http_status',
  '/partial': 'http_status',
  '/choices': 'http_status',
  '/nowhere': 'http_status',
  '/endless': 'too_large',
  '/cut-off': 'connect',
};

for (const [path, expected] of Object.entries(outcomes)) {
  test(`fetch file: ${path} → ${expected}`, async () => {
    await using scene = await openScene();
    assert.equal(await describe(await scene.egress.fetchPublicFile(`http://files.test${path}`, WANTED)), expected);
    assert.deepEqual(await readdir(storage), []);
    for (const file of received.splice(0)) await assert.rejects(file.read(0, 1), 'the received file is closed');
  });
}

test('fetch file: size limit → exact to the byte, declared or not', async () => {
  await using scene = await openScene();
  for (const path of ['/declared-1000', '/chunked-1000']) {
    const url = `http://files.test${path}`;
    const fits = await scene.egress.fetchPublicFile(url, { ...WANTED, bytesMax: 1000 });
    assert.equal(await describe(fits), `ok ${'x'.repeat(1000)}`);
    const over = await scene.egress.fetchPublicFile(url, { ...WANTED, bytesMax: 999 });
    assert.equal(await describe(over), 'too_large');
  }
});

test('fetch file: declared size over the limit → too_large before the body arrives', async () => {
  await using scene = await openScene();
  const outcome = await scene.egress.fetchPublicFile('http://files.test/stalled', { ...WANTED, bytesMax: 999 });
  assert.equal(await describe(outcome), 'too_large');
});

test('fetch file: stalled body → timeout after the total time', async () => {
  await using scene = await openScene();
  const outcome = await scene.egress.fetchPublicFile('http://files.test/stalled', { ...WANTED, totalTimeoutMs: 200 });
  assert.equal(await describe(outcome), 'timeout');
});

test('fetch file: full disk → rejects instead of blaming the other side', async () => {
  await using scene = await openScene();
  const broken = { ...WANTED, spool: new Spool({ dir: '/dev/null' }) };
  await assert.rejects(scene.egress.fetchPublicFile('http://files.test/no-type', broken), /temporary storage failed/);
});
