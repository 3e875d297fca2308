import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { createServer, type Server, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { issueCertificate } from '../../test/support/egress/issue-certificate.ts';
import { createVirtualInternet } from '../../test/support/egress/virtual-internet.ts';
import { Spool } from '../spool/index.ts';
import { createEgress, type Egress, type EgressOptions } from './create-egress.ts';

const dir = mkdtempSync(join(tmpdir(), 'fairway-test-'));
after(() => rmSync(dir, { recursive: true }));
const spool = new Spool({ dir });

const trusted = issueCertificate(['site.test']);

/** Long enough for any exchange that ends for another reason, on any machine. */
const AMPLE_MS = 60_000;
/** Time limit of exchanges that end by timeout. */
const SHORT_MS = 400;
const SHORT_LIMITS = { connectTimeoutMs: 100, tlsTimeoutMs: 100, headersTimeoutMs: 100 };

type Reach = (egress: Egress, url: string, totalTimeoutMs?: number) => Promise<string>;

const reachByFetch = async (
  egress: Egress,
  url: string,
  totalTimeoutMs = AMPLE_MS,
  signal = new AbortController().signal,
): Promise<string> => {
  const outcome = await egress.fetchPublicFile(url, {
    spool,
    bytesMax: 100_000,
    acceptTypes: [],
    totalTimeoutMs,
    signal,
  });
  if (outcome.kind === 'failed') return outcome.reason;
  await outcome.file[Symbol.asyncDispose]();
  return 'ok';
};

const reachByPost: Reach = async (egress, url, timeoutMs = AMPLE_MS) => {
  const outcome = await egress.postWebhook(url, {
    party: 'one',
    headers: {},
    body: '{}',
    timeoutMs,
    responseBytesMax: 1_000,
  });
  return outcome.kind === 'failed' ? outcome.reason : 'ok';
};

const answerOk = createHttpsServer(trusted, (_request, response) => response.end('fine'));

/** A TCP server that misbehaves after it has accepted a connection. */
function respondRaw(respond: (socket: Socket) => void): Server {
  return createServer((socket) => {
    socket.on('error', () => {});
    respond(socket);
  });
}

function respondTls(certificate: { cert: string; key: string }, respond: (socket: Socket) => void = () => {}): Server {
  const server = createHttpsServer(certificate);
  server.on('request', (request) => respond(request.socket));
  return server;
}

const misbehaviours: { what: string; server: Server; reason: string }[] = [
  { what: 'an untrusted certificate', server: respondTls(issueCertificate(['site.test'])), reason: 'tls' },
  { what: 'plain text on a TLS port', server: createHttpServer(), reason: 'tls' },
  { what: 'a handshake that never ends', server: respondRaw(() => {}), reason: 'timeout' },
  { what: 'a hang-up in the handshake', server: respondRaw((socket) => socket.end()), reason: 'tls' },
  { what: 'headers that never come', server: respondTls(trusted), reason: 'timeout' },
  { what: 'a hang-up instead of an answer', server: respondTls(trusted, (socket) => socket.end()), reason: 'connect' },
  {
    what: 'an answer that is not HTTP',
    server: respondTls(trusted, (socket) => socket.end('220 mail.test ESMTP\r\n')),
    reason: 'connect',
  },
  {
    what: 'a header block without end',
    server: respondTls(trusted, (socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nx-filler: ${'x'.repeat(20_000)}\r\n\r\n`);
    }),
    reason: 'too_large',
  },
];

for (const [name, reach] of Object.entries({ fetchPublicFile: reachByFetch, postWebhook: reachByPost })) {
  for (const { what, server, reason } of misbehaviours) {
    test(`${name}: ${what} → ${reason}`, async () => {
      await using internet = createVirtualInternet();
      await internet.addSite('site.test', server);
      const isLate = reason === 'timeout';
      await using egress = open(internet, isLate ? { limits: SHORT_LIMITS } : {});
      assert.equal(await reach(egress, 'https://site.test/', isLate ? SHORT_MS : AMPLE_MS), reason);
    });
  }

  test(`${name}: certificate of another host, or an expired one → tls`, async () => {
    await using internet = createVirtualInternet();
    const expired = issueCertificate(['site.test'], new Date(Date.now() - 3_600_000));
    await internet.addSite('other.test', respondTls(trusted));
    await internet.addSite('site.test', respondTls(expired));
    await using egress = open(internet, { tlsCa: `${trusted.cert}${expired.cert}` });
    assert.equal(await reach(egress, 'https://other.test/'), 'tls');
    assert.equal(await reach(egress, 'https://site.test/'), 'tls');
  });

  test(`${name}: trusted certificate of the host → accepted`, async () => {
    await using internet = createVirtualInternet();
    await internet.addSite('site.test', answerOk);
    await using egress = open(internet);
    assert.equal(await reach(egress, 'https://site.test/'), 'ok');
  });

  test(`${name}: name that does not resolve, or not in time → dns`, async () => {
    await using internet = createVirtualInternet();
    const resolvers: EgressOptions['resolveHost'][] = [
      internet.resolveHost,
      async () => [],
      () => new Promise(() => {}),
    ];
    for (const resolveHost of resolvers) {
      await using egress = open(internet, { ...(resolveHost && { resolveHost }), limits: { dnsTimeoutMs: 50 } });
      // Keeps the process alive: only the clock's timers, which do not, are pending here.
      const keepAlive = setInterval(() => {}, 1_000);
      assert.equal(await reach(egress, 'https://absent.test/'), 'dns');
      clearInterval(keepAlive);
    }
  });

  test(`${name}: host that refuses or swallows connections → connect or timeout`, async () => {
    await using internet = createVirtualInternet();
    internet.setAnswers('site.test', ['93.184.216.34']);
    await using refused = open(internet);
    assert.equal(await reach(refused, 'https://site.test/'), 'connect');
    await using swallowed = open(internet, { dial: () => new Socket(), limits: SHORT_LIMITS });
    const keepAlive = setInterval(() => {}, 1_000);
    assert.equal(await reach(swallowed, 'https://site.test/'), 'timeout');
    clearInterval(keepAlive);
  });

  test(`${name}: shutdown → aborted`, async () => {
    await using internet = createVirtualInternet();
    const server = createServer();
    await internet.addSite('site.test', server);
    const egress = open(internet);
    const connected = new Promise((resolve) => server.once('connection', resolve));
    const pending = reach(egress, 'https://site.test/');
    await connected;
    await egress[Symbol.asyncDispose]();
    assert.equal(await pending, 'aborted');
    assert.equal(await reach(egress, 'https://site.test/'), 'aborted');
  });
}

test('fetchPublicFile: caller aborts → aborted', async () => {
  await using internet = createVirtualInternet();
  const caller = new AbortController();
  await internet.addSite(
    'site.test',
    createServer(() => caller.abort()),
  );
  await using egress = open(internet);
  assert.equal(await reachByFetch(egress, 'https://site.test/', AMPLE_MS, caller.signal), 'aborted');
  assert.equal(await reachByFetch(egress, 'https://site.test/', AMPLE_MS, caller.signal), 'aborted');
});

function open(internet: ReturnType<typeof createVirtualInternet>, options: Partial<EgressOptions> = {}): Egress {
  return createEgress({
    allowCidrs: [],
    resolveHost: internet.resolveHost,
    dial: internet.dial,
    tlsCa: trusted.cert,
    ...options,
  });
}

/** Parts of an answer that HTTP allows without limit, and the text before them. */
const ENDLESS: { what: string; start: string; unit: string; isAnswered: boolean }[] = [
  { what: 'interim answers', start: '', unit: 'HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n', isAnswered: false },
  { what: 'line breaks', start: '', unit: '\r\n', isAnswered: false },
  {
    what: 'an extension of a chunk',
    start: 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1;',
    unit: 'a=b;',
    isAnswered: true,
  },
];

for (const { what, start, unit, isAnswered } of ENDLESS) {
  test(`endless ${what} → broken off long before the time limit`, async () => {
    await using internet = createVirtualInternet();
    const chunk = unit.repeat(Math.ceil(16_384 / unit.length));
    const written: Promise<number>[] = [];
    const flood = respondTls(trusted, (socket) => {
      const { promise, resolve } = Promise.withResolvers<number>();
      written.push(promise);
      socket.on('error', () => {}).on('close', () => resolve(socket.bytesWritten));
      const goOn = () => {
        while (!socket.destroyed && socket.write(chunk));
      };
      socket.on('drain', goOn).write(start);
      goOn();
    });
    await internet.addSite('site.test', flood);
    const { resolveHost, dial } = internet;
    await using egress = createEgress({ allowCidrs: [], resolveHost, dial, tlsCa: trusted.cert });
    const url = 'https://site.test/';
    const posted = await egress.postWebhook(url, {
      party: 'one',
      headers: {},
      body: '{}',
      timeoutMs: 60_000,
      responseBytesMax: 1_000,
    });
    const isAsExpected = posted.kind === 'failed' ? posted.reason === 'too_large' : isAnswered;
    assert.ok(isAsExpected && isAnswered === (posted.kind === 'response'), JSON.stringify(posted));
    const signal = new AbortController().signal;
    const fetching = { spool, bytesMax: 100_000, acceptTypes: [], totalTimeoutMs: 60_000, signal };
    assert.deepEqual(await egress.fetchPublicFile(url, fetching), { kind: 'failed', reason: 'too_large' });
    // Much of it is in transit and never read.
    for (const bytes of await Promise.all(written)) assert.ok(bytes < 32 * 1024 * 1024, `${bytes}`);
  });
}

test('postWebhook: many deliveries on a kept connection → their sizes do not add up', async () => {
  await using internet = createVirtualInternet();
  let connections = 0;
  const site = createHttpsServer(trusted, (request, response) => {
    request.resume().on('end', () => response.end('x'.repeat(1_000)));
  });
  site.on('secureConnection', () => {
    connections += 1;
  });
  await internet.addSite('site.test', site);
  const { resolveHost, dial } = internet;
  const limits = { answerBytesMax: 3_000 };
  await using egress = createEgress({ allowCidrs: [], resolveHost, dial, tlsCa: trusted.cert, limits });
  for (let count = 0; count < 20; count += 1) assert.equal(await reachByPost(egress, 'https://site.test/'), 'ok');
  assert.ok(connections <= 2, `${connections} connections`);
});
