import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { findFreePort } from '../../src/embedded-postgres/find-free-port.ts';
import { createRestartableGateway } from '../harness/restartable-gateway.ts';
import { type ServeProcess, startServeProcess } from '../harness/serve-process.ts';
import { createTenant, type Served, type Tenant } from '../harness/tenant.ts';
import { readSteps } from './documented-steps.ts';
import { PostgresServer } from './postgres-server.ts';
import { type ProxyProcess, startHaproxy, startNginx } from './proxy-process.ts';
import { describeTally, SteadyLoad } from './steady-load.ts';

const PER_SECOND = 40;
const STEADY_MS = 3_000;
const LARGE_BYTES = 60 * 1024 * 1024;
const SMALL_BYTES = 2 * 1024 * 1024;
const BOUNDARY = 'fairway-deployment';

/** A finding of a check; undefined if the promise was kept. */
type Check = (proxy: ProxyProcess, served: Served, tenant: Tenant) => Promise<string | undefined>;

const UPLOADS: Record<string, Check> = {
  'an upload with Expect: 100-continue is stored': async (proxy, _served, tenant) => {
    const { status, continued } = await upload(proxy.baseUrl, tenant, tenant.apiKey, SMALL_BYTES, true);
    return status === 200 && continued ? undefined : `answered ${status}, 100 Continue: ${continued}`;
  },
  'a refused upload of 60 MB is answered by the gateway': async (proxy, _served, tenant) => {
    const { status, text } = await upload(proxy.baseUrl, tenant, 'wrong-key', LARGE_BYTES, false);
    return status === 401 && text.includes('UNAUTHORIZED') ? undefined : `answered ${status}: ${text.slice(0, 200)}`;
  },
  'the admin API and the metrics are private': async (proxy) => {
    const statuses = await Promise.all(
      ['/admin/v1/queue', '/metrics'].map(async (path) => (await fetch(proxy.baseUrl + path)).status),
    );
    return statuses.every((status) => status === 403 || status === 404) ? undefined : `answered ${statuses.join(', ')}`;
  },
};

/** Runs two nodes behind HAProxy and behind nginx, with the documented files. Returns true if every promise was kept. */
export async function runProxies(): Promise<boolean> {
  const dir = await mkdtemp(join(tmpdir(), 'fairway-proxies-'));
  const server = await PostgresServer.prepare(dir, 'one');
  await server.create();
  const gateway = await createRestartableGateway({
    DATABASE_URL: server.url,
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    ADMIN_TOKEN: 'operator',
    TRUSTED_PROXIES: '127.0.0.0/8',
  });
  const findings: string[] = [];
  const ended: (() => Promise<void>)[] = [];
  try {
    const one = await gateway.start();
    const environment = { ...gateway.environment, PORT: String(await findFreePort()) };
    const nodes = [
      new Node(gateway.dataDir, gateway.environment, one),
      new Node(join(dir, 'two'), environment),
    ] as const;
    await nodes[1].start();
    ended.push(
      () => nodes[0].kill(),
      () => nodes[1].kill(),
    );
    const tenant = await createTenant(one);
    const ports = nodes.map((node) => Number(node.environment.PORT));
    for (const begin of [startHaproxy, startNginx]) {
      const proxy = await begin(dir, ports);
      try {
        const served = { ...one, baseUrl: proxy.baseUrl };
        await untilReady(proxy);
        for (const [name, check] of Object.entries(UPLOADS))
          note(findings, proxy, name, await check(proxy, served, tenant));
        note(findings, proxy, 'a rolling restart fails no request', await restartUnderLoad(served, tenant, nodes));
      } finally {
        await proxy.stop();
      }
    }
    const [port = 0] = ports;
    findings.push(...(await checkFirstCheck(dir, port)));
    findings.push(...(await checkPath(dir, environment)));
  } finally {
    for (const end of ended) await end();
    await gateway.close();
    await server.kill();
    await rm(dir, { recursive: true, force: true, maxRetries: 5 });
  }
  return findings.length === 0;
}

/** A gateway process that can be restarted on its port. */
class Node {
  readonly environment: Record<string, string>;
  readonly #dataDir: string;
  #process: ServeProcess | undefined;

  constructor(dataDir: string, environment: Record<string, string>, running?: ServeProcess) {
    this.#dataDir = dataDir;
    this.environment = environment;
    this.#process = running;
  }

  async start(): Promise<void> {
    this.#process = await startServeProcess(this.#dataDir, this.environment);
  }

  async restart(): Promise<void> {
    this.#process?.kill('SIGTERM');
    await this.#process?.ended;
    await this.start();
  }

  async kill(): Promise<void> {
    this.#process?.kill('SIGKILL');
    await this.#process?.ended;
  }
}

function note(findings: string[], { name }: ProxyProcess, promise: string, finding: string | undefined): void {
  console.log(`${name}: ${promise}${finding === undefined ? '' : ` — BROKEN: ${finding}`}`);
  if (finding !== undefined) findings.push(promise);
}

async function untilReady(proxy: ProxyProcess): Promise<void> {
  for (const endsAt = performance.now() + 10_000; performance.now() < endsAt; await delay(50))
    if ((await fetch(`${proxy.baseUrl}/healthz`)).ok) return;
  throw new Error(`${proxy.name} reaches no node`);
}

/** Restarts the nodes one after the other while keep-alive clients send. */
async function restartUnderLoad(served: Served, tenant: Tenant, nodes: readonly Node[]): Promise<string | undefined> {
  const load = new SteadyLoad([served], tenant, PER_SECOND);
  await delay(STEADY_MS);
  for (const node of nodes) {
    await node.restart();
    await delay(STEADY_MS);
  }
  const tally = await load.stop();
  console.log(describeTally(tally));
  return tally.refused + tally.lost + tally.doubled === 0 ? undefined : describeTally(tally);
}

/** Uploads a medium as a form. Waits for 100 Continue before the body if `expects` is set. */
async function upload(
  baseUrl: string,
  tenant: Tenant,
  apiKey: string,
  bytes: number,
  expects: boolean,
): Promise<{ status: number; text: string; continued: boolean }> {
  const head = [
    `--${BOUNDARY}\r\ncontent-disposition: form-data; name="messaging_product"\r\n\r\nwhatsapp\r\n`,
    `--${BOUNDARY}\r\ncontent-disposition: form-data; name="file"; filename="a.pdf"\r\ncontent-type: application/pdf\r\n\r\n%PDF-1.4\n`,
  ].join('');
  const tail = `\r\n--${BOUNDARY}--\r\n`;
  const outgoing = request(`${baseUrl}/v1/${tenant.phoneNumberId}/media`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${apiKey}`,
      'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
      'content-length': head.length + bytes + tail.length,
      ...(expects && { expect: '100-continue' }),
    },
  });
  let continued = false;
  outgoing.on('continue', () => {
    continued = true;
  });
  const answer = Promise.withResolvers<{ status: number; text: string }>();
  outgoing.on('response', async (incoming) => {
    const chunks = await incoming.toArray();
    answer.resolve({ status: incoming.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') });
  });
  outgoing.on('error', (error) => answer.resolve({ status: 0, text: String(error) }));
  if (expects) {
    outgoing.flushHeaders();
    await Promise.race([once(outgoing, 'continue'), answer.promise, delay(5_000)]);
  }
  outgoing.write(head);
  outgoing.write(Buffer.alloc(bytes, 'x'));
  outgoing.end(tail);
  return { ...(await answer.promise), continued };
}

/** Starts HAProxy beside a node that listens but is not ready, and sends requests from the first moment on. */
async function checkFirstCheck(dir: string, readyPort: number): Promise<string[]> {
  let early = 0;
  const unready = createServer((incoming, answer) => {
    if (incoming.url !== '/readyz') early += 1;
    answer.writeHead(503).end();
  }).listen(0, '127.0.0.1');
  await once(unready, 'listening');
  const proxy = await startHaproxy(dir, [readyPort, (unready.address() as AddressInfo).port]);
  const statuses: number[] = [];
  for (let count = 0; count < 100; count += 1) {
    statuses.push((await fetch(`${proxy.baseUrl}/healthz`)).status);
    await delay(15);
  }
  await proxy.stop();
  unready.close();
  const served = statuses.filter((status) => status === 200).length;
  const findings: string[] = [];
  const finding = early > 0 ? `${early} requests` : served === 0 ? 'the ready node got none either' : undefined;
  note(findings, proxy, 'a node gets nothing before its first check', finding);
  return findings;
}

/** Serves a gateway below a path of the public address. */
async function checkPath(dir: string, environment: Record<string, string>): Promise<string[]> {
  const findings: string[] = [];
  const port = await findFreePort();
  const publicPort = await findFreePort();
  const node = new Node(join(dir, 'path'), {
    ...environment,
    PORT: String(port),
    PUBLIC_URL: `http://127.0.0.1:${publicPort}/messaging`,
  });
  await node.start();
  const [hidden = '', open = ''] = (await readSteps('nginx', '/messaging/')).trim().split('\n');
  const proxy = await startNginx(
    dir,
    [port, port],
    [
      ['location ~ ^/(admin|metrics) { return 404; }', hidden],
      ['location / { proxy_pass http://fairway; }', open],
      ['location ^~ /webhooks/upstream', 'location ^~ /messaging/webhooks/upstream'],
      ['4m;\n        proxy_pass http://fairway;', '4m;\n        proxy_pass http://fairway/webhooks/upstream;'],
    ],
  );
  try {
    const answer = await fetch(`${proxy.baseUrl}/messaging/v1/messages`);
    const { doc_url: docUrl = '' } = (await answer.json()) as { doc_url?: string };
    const page = docUrl.replace(`:${publicPort}/`, `:${new URL(proxy.baseUrl).port}/`);
    const status = docUrl.includes('/messaging/docs/') ? (await fetch(page)).status : 0;
    const isKept = answer.status === 401 && status === 200;
    note(
      findings,
      proxy,
      'PUBLIC_URL with a path: links lead back',
      isKept ? undefined : `${answer.status}, ${docUrl}: ${status}`,
    );
    const paths = ['/messaging/admin/v1/queue', '/messaging/metrics', '/admin/v1/queue', '/messaging//admin/v1/queue'];
    const statuses = await Promise.all(paths.map(async (path) => (await fetch(proxy.baseUrl + path)).status));
    note(
      findings,
      proxy,
      'PUBLIC_URL with a path: the admin API and the metrics are private',
      statuses.every((each) => each === 404) ? undefined : `answered ${statuses.join(', ')}`,
    );
    const post = await fetch(`${proxy.baseUrl}/messaging/webhooks/upstream`, { method: 'POST', body: '{}' });
    note(
      findings,
      proxy,
      'PUBLIC_URL with a path: the webhook of the platform reaches the gateway',
      [401, 403].includes(post.status) ? undefined : `answered ${post.status}`,
    );
  } finally {
    await proxy.stop();
    await node.kill();
  }
  return findings;
}
