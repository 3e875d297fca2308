import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { createRestartableGateway, type RestartableGateway } from '../harness/restartable-gateway.ts';
import { runServeProcess, type ServeProcess } from '../harness/serve-process.ts';
import {
  type Answer,
  call,
  createTenant,
  freshRecipient,
  type Served,
  send,
  sendsTo,
  sendTemplate,
  type Tenant,
  templateTo,
  until,
  untilStatus,
} from '../harness/tenant.ts';

const WORKERS = 2;
const CONNECTIONS = 24;

describe('a gateway of two workers with its own database', { skip: process.platform !== 'linux' }, () => {
  let restartable: RestartableGateway;
  let gateway: Served & ServeProcess;
  let tenants: Tenant[];

  before(async () => {
    restartable = await createRestartableGateway({ WORKERS: String(WORKERS) });
    gateway = await restartable.start();
    // Enough numbers that both workers own some.
    tenants = await Promise.all(Array.from({ length: 6 }, () => createTenant(gateway)));
  });
  after(() => restartable.close());

  const readMetrics = async () => {
    const headers = { authorization: `Bearer ${gateway.adminToken}` };
    return await (await fetch(`${gateway.baseUrl}/metrics`, { headers })).text();
  };
  const valueIn = (text: string, series: string) =>
    Number(
      text
        .split('\n')
        .find((line) => line.startsWith(`${series} `))
        ?.slice(series.length),
    );
  const ACCEPTED = 'fairway_accept_batch_messages_sum';
  const SENT = 'fairway_dispatch_outcomes_total{outcome="accepted"}';

  it('many connections: both workers accept, every message is sent and read, metrics are sums', async () => {
    const sends = Array.from({ length: CONNECTIONS }, (_, place) => {
      const tenant = tenants[place % tenants.length] as Tenant;
      return fetch(`${gateway.baseUrl}/v1/${tenant.phoneNumberId}/messages`, {
        method: 'POST',
        headers: { authorization: `Bearer ${tenant.apiKey}`, 'content-type': 'application/json', connection: 'close' },
        body: JSON.stringify(templateTo(freshRecipient())),
      }).then(async (answer) => {
        const worker = answer.headers.get('x-request-id')?.split('-')[0];
        return { worker, tenant, id: ((await answer.json()) as Answer['json']).messages[0].id as string };
      });
    });
    const answers = await Promise.all(sends);
    assert.equal(new Set(answers.map(({ worker }) => worker)).size, WORKERS);
    for (const { tenant, id } of answers) await untilStatus(gateway, tenant, id, 'read');
    const text = await until('all results are counted', async () => {
      const now = await readMetrics();
      return valueIn(now, SENT) >= CONNECTIONS ? now : undefined;
    });
    assert.equal(valueIn(text, ACCEPTED), CONNECTIONS);
    assert.equal(valueIn(text, SENT), CONNECTIONS);
    assert.deepEqual([valueIn(text, 'fairway_workers'), valueIn(text, 'fairway_nodes')], [WORKERS, WORKERS]);
  });

  it('SIGKILL of a worker under load: nothing lost or doubled, another one takes its place', async () => {
    const before = await readMetrics();
    const victims = await workersOf(gateway.pid);
    assert.equal(victims.length, WORKERS);
    const accepted: { tenant: Tenant; id: string; to: string }[] = [];
    let goesOn = true;
    // A client repeats a request whose connection broke, under the same key.
    const sendUntilAccepted = async (tenant: Tenant, to: string) => {
      const headers = { 'idempotency-key': to };
      return await until('a message is accepted', async () => {
        const answer = await send(gateway, tenant, templateTo(to), { headers }).catch(() => undefined);
        return answer?.status === 202 || answer?.status === 200 ? (answer.json.messages[0].id as string) : undefined;
      });
    };
    const clients = tenants.map(async (tenant) => {
      while (goesOn) {
        const to = freshRecipient();
        accepted.push({ tenant, to, id: await sendUntilAccepted(tenant, to) });
      }
    });
    const untilAccepted = (count: number) =>
      until(`${count} are accepted`, () => (accepted.length >= count ? true : undefined));
    await untilAccepted(30);
    process.kill(victims[0] as number, 'SIGKILL');
    const replaced = await until('another worker serves', async () => {
      const text = await readMetrics().catch(() => '');
      return valueIn(text, 'fairway_workers') === WORKERS ? text : undefined;
    });
    await untilAccepted(accepted.length + 30);
    goesOn = false;
    await Promise.all(clients);
    for (const { tenant, id } of accepted) await untilStatus(gateway, tenant, id, 'read');
    for (const { to } of accepted) assert.equal(sendsTo(gateway, to).length, 1, to);
    assert.equal(valueIn(replaced, 'fairway_worker_events_total{event="replaced"}'), 1);
    assert.ok(valueIn(replaced, ACCEPTED) >= valueIn(before, ACCEPTED), 'a counter fell');
    const workers = await workersOf(gateway.pid);
    assert.deepEqual([workers.length, workers.includes(victims[0] as number)], [WORKERS, false]);
    await until('all shards have an owner', async () =>
      valueIn(await readMetrics(), 'fairway_dispatch_shards') === 64 ? true : undefined,
    );
    for (const tenant of tenants)
      await untilStatus(gateway, tenant, await sendTemplate(gateway, tenant, freshRecipient()), 'read');
  });

  it('SIGTERM of one worker under load: every request is accepted, another one takes its place', async () => {
    const [leaving] = await workersOf(gateway.pid);
    assert.ok(leaving !== undefined);
    let isOver = false;
    let accepted = 0;
    const clients = tenants.map(async (tenant) => {
      while (!isOver) {
        await sendTemplate(gateway, tenant, freshRecipient());
        accepted += 1;
      }
    });
    const ended = Promise.all(clients);
    // The clients' failure is reported at the end, and not as unhandled before.
    ended.catch(() => {});
    await until('some are accepted', () => (accepted >= 30 ? true : undefined));
    process.kill(leaving, 'SIGTERM');
    await until('another worker serves', async () => {
      const workers = await workersOf(gateway.pid);
      if (workers.includes(leaving) || workers.length < WORKERS) return undefined;
      return valueIn(await readMetrics(), 'fairway_workers') === WORKERS ? true : undefined;
    });
    isOver = true;
    await ended;
  });

  it('SIGKILL of a worker before it accepts a connection: the connection ends', async () => {
    const [stalled] = await workersOf(gateway.pid);
    assert.ok(stalled !== undefined);
    process.kill(stalled, 'SIGSTOP');
    const { hostname, port } = new URL(gateway.baseUrl);
    let ended = 0;
    for (let place = 0; place < 6; place += 1) {
      const socket = connect(Number(port), hostname);
      socket
        .on('error', () => {})
        .on('close', () => {
          ended += 1;
        });
      socket.resume().write('GET /healthz HTTP/1.1\r\nHost: gateway\r\nConnection: close\r\n\r\n');
    }
    // The stalled worker was given one of them at most.
    await until('the other worker answers', () => (ended >= 5 ? true : undefined));
    process.kill(stalled, 'SIGKILL');
    await until('every connection has ended', () => (ended === 6 ? true : undefined), 20_000);
    await until('another worker serves', async () =>
      valueIn(await readMetrics(), 'fairway_workers') === WORKERS ? true : undefined,
    );
  });

  it('SIGTERM of the first process: requests are answered, exit code 0, no process left', async () => {
    const workers = await workersOf(gateway.pid);
    const { world } = gateway.simulator;
    const requests = tenants.map((tenant) => {
      const to = freshRecipient();
      world.addFault({ fault: { kind: 'slow', delayMs: 1_000 }, scope: { recipient: to.slice(1) }, times: 1 });
      return { to, answer: send(gateway, tenant, templateTo(to), { query: '?sync=true' }) };
    });
    for (const { to } of requests) await world.sends.waitFor((sent) => sent.waId === to.slice(1));
    process.kill(gateway.pid, 'SIGTERM');
    for (const { answer } of requests) assert.equal((await answer).status, 200);
    assert.deepEqual(await gateway.ended, { code: 0, signal: null });
    for (const pid of workers) assert.ok(!isAlive(pid), `worker ${pid} is left`);
  });

  it('a setting that no worker can start with: one message and exit code 1', async () => {
    const ENCRYPTION_KEY = randomBytes(32).toString('base64');
    const { code, output } = await runServeProcess(restartable.dataDir, { ...restartable.environment, ENCRYPTION_KEY });
    assert.equal(code, 1);
    assert.equal(
      output.match(/The encryption key .* is not the one this database was filled with/g)?.length,
      1,
      output,
    );
  });

  it('SIGKILL of the first process: its workers end, and the gateway starts again', async () => {
    gateway = await restartable.start();
    const workers = await workersOf(gateway.pid);
    assert.equal(workers.length, WORKERS);
    process.kill(gateway.pid, 'SIGKILL');
    await until('the workers have ended', () => (workers.some(isAlive) ? undefined : true));
    await gateway.ended;
    gateway = await restartable.start();
    for (const tenant of tenants)
      await untilStatus(gateway, tenant, await sendTemplate(gateway, tenant, freshRecipient()), 'read');
    const usage = await call(gateway, tenants[0] as Tenant, 'GET', '/readyz');
    assert.equal(usage.status, 200);
  });
});

/** Process ids of the workers of a supervisor. */
async function workersOf(pid: number): Promise<number[]> {
  const children = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).split(' ').filter((id) => id !== '');
  const commands = await Promise.all(
    children.map((id) =>
      readFile(`/proc/${id}/cmdline`, 'utf8').then(
        (command) => [Number(id), command] as const,
        () => undefined,
      ),
    ),
  );
  return commands.flatMap((child) => (child?.[1].includes('worker.ts') ? [child[0]] : []));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
