import assert from 'node:assert/strict';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { issueCertificate } from '../../test/support/egress/issue-certificate.ts';
import { createVirtualInternet, type VirtualInternet } from '../../test/support/egress/virtual-internet.ts';
import { createEgress, type Egress, type EgressLimits } from './create-egress.ts';
import type { WebhookOutcome } from './post-webhook.ts';

const hosts = ['a.test', 'b.test', 'c.test', 'd.test', 'e.test'];
const trusted = issueCertificate(hosts);

interface Scene extends AsyncDisposable {
  egress: Egress;
  internet: VirtualInternet;
  sockets: Set<Socket>;
  post(host: string, timeoutMs?: number, party?: string): Promise<WebhookOutcome>;
}

async function openScene(answer: RequestListener, limits: Partial<EgressLimits> = {}): Promise<Scene> {
  const internet = createVirtualInternet();
  const sockets = new Set<Socket>();
  for (const host of hosts) {
    const server = createHttpsServer(trusted, answer);
    server.on('secureConnection', (socket: Socket) => sockets.add(socket));
    await internet.addSite(host, server);
  }
  const { resolveHost, dial } = internet;
  const egress = createEgress({ allowCidrs: [], resolveHost, dial, tlsCa: trusted.cert, limits });
  return {
    egress,
    internet,
    sockets,
    post: (host, timeoutMs = 10_000, party = 'one') =>
      egress.postWebhook(`https://${host}/hook?x=1`, {
        party,
        headers: { 'content-type': 'application/json', 'webhook-id': 'msg_1' },
        body: '{"é":1}',
        timeoutMs,
        responseBytesMax: 100_000,
      }),
    async [Symbol.asyncDispose]() {
      await egress[Symbol.asyncDispose]();
      await internet[Symbol.asyncDispose]();
    },
  };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await nextTurn();
}

test('post webhook: request → posted as given; answer → reported', async () => {
  const received: unknown[] = [];
  await using scene = await openScene((request, response) => {
    const { method, url, headers } = request;
    request.on('data', (bytes: Buffer) => received.push([method, url, headers, bytes.toString()]));
    request.on('end', () => response.writeHead(429, { 'retry-after': '120' }).end(`è${'x'.repeat(5000)}`));
  });
  const outcome = await scene.post('a.test');
  assert.ok(outcome.kind === 'response');
  const { latencyMs, ...answer } = outcome;
  assert.deepEqual(answer, { kind: 'response', status: 429, retryAfter: '120', bodyStart: `è${'x'.repeat(1022)}` });
  assert.ok(latencyMs >= 0);
  assert.deepEqual(received, [
    [
      'POST',
      '/hook?x=1',
      {
        host: 'a.test',
        connection: 'keep-alive',
        'content-type': 'application/json',
        'content-length': '8',
        'user-agent': 'Fairway',
        'webhook-id': 'msg_1',
      },
      '{"é":1}',
    ],
  ]);
});

test('post webhook: redirect → failed, not followed', async () => {
  let requests = 0;
  await using scene = await openScene((_request, response) => {
    requests += 1;
    response.writeHead(307, { location: 'https://b.test/' }).end();
  });
  const { latencyMs: _, ...outcome } = await scene.post('a.test');
  assert.deepEqual(outcome, { kind: 'failed', reason: 'redirect', status: 307 });
  assert.equal(requests, 1);
});

test('post webhook: body cut off, endless or too large → the status still counts', async () => {
  const bodies: RequestListener[] = [
    (_request, response) => {
      response.writeHead(200, { 'content-length': 1000 }).write('begun', () => response.socket?.destroy());
    },
    (_request, response) => {
      response.writeHead(200, { 'content-length': 1000 }).write('begun');
    },
    (_request, response) => response.writeHead(200).end(`begun${'x'.repeat(1_000_000)}`),
  ];
  for (const body of bodies) {
    await using scene = await openScene(body);
    const outcome = await scene.post('a.test', 300);
    assert.ok(outcome.kind === 'response');
    assert.equal(outcome.status, 200);
    assert.match(outcome.bodyStart, /^begun/);
    await until(() => scene.egress.poolSize().sockets === 0);
  }
});

test('post webhook: many deliveries of a party to an origin → bounded number of connections', async () => {
  await using scene = await openScene((_request, response) => response.end('ok'), { connectionsPerPoolMax: 4 });
  for (let round = 0; round < 5; round += 1) {
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => scene.post('a.test')));
    assert.ok(outcomes.every(({ kind }) => kind === 'response'));
  }
  assert.ok(scene.sockets.size <= 4, `${scene.sockets.size} connections`);
  assert.equal(scene.egress.poolSize().pools, 1);
});

test('post webhook: delivery that waits for a busy connection → times out in time', async () => {
  await using scene = await openScene(() => {}, { connectionsPerPoolMax: 1 });
  const first = scene.post('a.test', 400);
  const second = await scene.post('a.test', 100);
  assert.equal(second.kind === 'failed' && second.reason, 'timeout');
  assert.equal((await first).kind, 'failed');
  assert.equal(scene.sockets.size, 1);
});

test('post webhook: slow answer to one party → another on the same host does not wait', async () => {
  const held: (() => void)[] = [];
  await using scene = await openScene(
    (_request, response) => {
      if (held.push(() => response.end('ok')) > 1) response.end('ok');
    },
    { connectionsPerPoolMax: 1 },
  );
  const slow = scene.post('a.test', 10_000, 'slow');
  await until(() => held.length === 1);
  assert.equal((await scene.post('a.test', 10_000, 'other')).kind, 'response');
  held[0]?.();
  assert.equal((await slow).kind, 'response');
});

test('post webhook: idle connection → closed, its pool dropped', async () => {
  await using scene = await openScene((_request, response) => response.end('ok'), { idleTimeoutMs: 20 });
  await scene.post('a.test');
  await until(() => scene.egress.poolSize().pools === 0);
  assert.equal(scene.egress.poolSize().sockets, 0);
});

test('post webhook: too many origins or sockets → idle pools are dropped first', async () => {
  for (const limits of [{ poolsMax: 2 }, { socketsMax: 2 }]) {
    await using scene = await openScene((_request, response) => response.end('ok'), limits);
    for (const host of hosts) {
      assert.equal((await scene.post(host)).kind, 'response');
      assert.ok(scene.egress.poolSize().pools <= 2, `${scene.egress.poolSize().pools} pools`);
      await until(() => scene.egress.poolSize().sockets <= 2);
    }
    await scene.post('d.test');
    assert.equal(scene.sockets.size, hosts.length, 'the youngest pools are kept');
  }
});

test('post webhook: several idle pools → the last used one stays longest', async () => {
  await using scene = await openScene((_request, response) => response.end('ok'), { poolsMax: 2 });
  for (const host of ['a.test', 'b.test', 'a.test', 'c.test', 'a.test']) await scene.post(host);
  assert.equal(scene.sockets.size, 3);
});

test('post webhook: pools in use → never dropped', async () => {
  const held: (() => void)[] = [];
  await using scene = await openScene((_request, response) => held.push(() => response.end('ok')), { poolsMax: 1 });
  const posts = hosts.map((host) => scene.post(host));
  await until(() => held.length === hosts.length);
  for (const release of held) release();
  assert.ok((await Promise.all(posts)).every(({ kind }) => kind === 'response'));
});

test('post webhook: new connection of a kept pool → resolved and vetted again', async () => {
  await using scene = await openScene((_request, response) => {
    response.writeHead(200, { connection: 'close' }).end('ok');
  });
  assert.equal((await scene.post('a.test')).kind, 'response');
  scene.internet.setAnswers('a.test', ['127.0.0.1']);
  const outcome = await scene.post('a.test');
  assert.equal(outcome.kind === 'failed' && outcome.reason, 'blocked');
});

test('post webhook: invalid header → rejects as a defect, not as a failed delivery', async () => {
  await using scene = await openScene((_request, response) => response.end('ok'));
  const request = {
    party: 'one',
    headers: { 'x-bad': 'a\r\nb: c' },
    body: '',
    timeoutMs: 1_000,
    responseBytesMax: 1_000,
  };
  await assert.rejects(scene.egress.postWebhook('https://a.test/', request), /invalid/i);
});

test('post webhook: allow-listed receiver → reached over plain http', async () => {
  const receiver = createHttpServer((_request, response) => response.writeHead(204).end());
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  await using egress = createEgress({ allowCidrs: ['127.0.0.1/32'] });
  const address = receiver.address();
  assert.ok(typeof address === 'object' && address !== null);
  const request = { party: 'one', headers: {}, body: '{}', timeoutMs: 5_000, responseBytesMax: 1_000 };
  const outcome = await egress.postWebhook(`http://127.0.0.1:${address.port}/`, request);
  assert.equal(outcome.kind === 'response' && outcome.status, 204);
  receiver.close();
});
