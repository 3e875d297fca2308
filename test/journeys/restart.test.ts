import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { findFreePort } from '../../src/embedded-postgres/find-free-port.ts';
import { createRestartableGateway, type RestartableGateway } from '../harness/restartable-gateway.ts';
import { runServeProcess, type ServeProcess } from '../harness/serve-process.ts';
import {
  admin,
  call,
  createTenant,
  freshRecipient,
  type Served,
  send,
  type Tenant,
  templateTo,
  until,
} from '../harness/tenant.ts';

const LANES = 50;

describe('a gateway that goes down and comes back', () => {
  let restartable: RestartableGateway;
  let tenant: Tenant;
  let running: Served & ServeProcess;

  before(async () => {
    restartable = await createRestartableGateway();
  });
  after(() => restartable.close());

  const start = async () => {
    running = await restartable.start();
    return running;
  };
  const setPace = (gateway: Served, messagesPerSecond: number | null) =>
    admin(gateway, 'PATCH', `/numbers/${tenant.phoneNumberId}`, { messages_per_second: messagesPerSecond });
  const message = (name: string) => ({ ...templateTo(freshRecipient(), 'login_code'), biz_opaque_callback_data: name });
  /** Returns how often each named message has arrived upstream. */
  const arrivals = () => {
    const counts = new Map<string, number>();
    for (const { callbackData } of restartable.simulator.world.sends.list({ phoneNumberId: tenant.phoneNumberId })) {
      if (callbackData !== null) counts.set(callbackData, (counts.get(callbackData) ?? 0) + 1);
    }
    return counts;
  };
  /** Sends from several lanes until `work` returns false. */
  const sendMany = async (work: () => Promise<boolean>) => {
    const lane = async () => {
      while (await work()) {
        // the next one
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
  };
  const untilArrived = (names: readonly string[]) =>
    until(
      `${names.length} messages arrived upstream`,
      () => {
        const counts = arrivals();
        return names.every((name) => counts.has(name)) ? counts : undefined;
      },
      120_000,
    );

  it('SIGKILL: thousands of accepted messages are neither lost nor sent twice', async () => {
    const first = await start();
    tenant = await createTenant(first, { number: { throughputLevel: 'HIGH' } });
    await setPace(first, 20);
    const names = Array.from({ length: 2_500 }, (_, index) => `crash-${index}`);
    const sendAll = (some: readonly string[]) => {
      const next = some.values();
      return sendMany(async () => {
        const { value, done } = next.next();
        if (done) return false;
        const answer = await send(first, tenant, message(value));
        assert.equal(answer.status, 202, answer.text);
        return true;
      });
    };
    // The platform accepts one new connection per turn of this process's event loop, and the crowd makes turns long. So the connections are
    // opened first.
    await sendAll(names.slice(0, 20));
    await untilArrived(names.slice(0, 20));
    await sendAll(names.slice(20));
    first.kill('SIGKILL');
    await first.ended;
    const attempted = arrivals();
    assert.ok(attempted.size > 0, 'some had been sent');
    assert.ok(attempted.size < names.length - 1_000, 'most had not');

    const second = await start();
    await setPace(second, 1_000);
    const counts = await untilArrived(names);
    const twice = names.filter((name) => counts.get(name) !== 1);
    assert.deepEqual(
      twice.filter((name) => !attempted.has(name)),
      [],
      'never attempted before, yet sent more than once',
    );
    assert.deepEqual(twice, [], 'statuses tell which of the attempted ones had got through');
    const usage = await until('the ledger agrees', async () => {
      const found = await admin<{ accepted: number; sent: number }>(
        second,
        'GET',
        `/organizations/${tenant.organizationId}/usage`,
      );
      return found.sent === names.length ? found : undefined;
    });
    assert.equal(usage.accepted, names.length);
  });

  it('a second start on the same directory: refused, and the first continues', async () => {
    const { code, output } = await runServeProcess(restartable.dataDir, { ...restartable.environment, PORT: '0' });
    assert.notEqual(code, 0);
    assert.match(output, /in use by another running instance/);
    assert.equal((await call(running, undefined, 'GET', '/readyz')).status, 200);
  });

  it('SIGTERM: answers every request in flight, exits with 0, sends accepted messages later', async () => {
    const gateway = running;
    await setPace(gateway, 40);
    const accepted: string[] = [];
    const problems: string[] = [];
    let count = 0;
    let asked = false;
    await sendMany(async () => {
      count += 1;
      const name = `stop-${count}`;
      const sinceMs = performance.now();
      try {
        const answer = await send(gateway, tenant, message(name));
        if (answer.status === 202) accepted.push(name);
        else problems.push(`${answer.status} ${answer.text}`);
      } catch (error) {
        const code = ((error as Error).cause as NodeJS.ErrnoException | undefined)?.code;
        if (code !== 'ECONNREFUSED') problems.push(`${code} after ${Math.round(performance.now() - sinceMs)} ms`);
        return false;
      }
      if (accepted.length >= 500 && !asked) {
        asked = true;
        gateway.kill('SIGTERM');
      }
      return true;
    });
    assert.deepEqual(problems, []);
    assert.deepEqual(await gateway.ended, { code: 0, signal: null });

    const next = await start();
    await setPace(next, 1_000);
    const counts = await untilArrived(accepted);
    assert.deepEqual(
      accepted.filter((name) => counts.get(name) !== 1),
      [],
    );
    next.kill('SIGTERM');
    assert.deepEqual(await next.ended, { code: 0, signal: null });
  });

  it('a start with a key that opens none of its access tokens: refused with the reason', async () => {
    running.kill('SIGTERM');
    await running.ended;
    const environment = { ...restartable.environment, ENCRYPTION_KEY: randomBytes(32).toString('base64') };
    const { code, output } = await runServeProcess(restartable.dataDir, environment);
    assert.equal(code, 1, output);
    assert.match(output, /The encryption key .* is not the one this database was filled with/);
  });

  it('SIGTERM before the process is loaded: exits with 0, wherever the start is', async () => {
    const load = `(url, context, next) => (url.endsWith('/src/app.ts') && process.kill(process.pid, 'SIGTERM'), next(url, context))`;
    const hook = `import { registerHooks } from 'node:module'; registerHooks({ load: ${load} });`;
    const environment = {
      ...restartable.environment,
      NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(hook)}`,
    };
    const stopped = await runServeProcess(restartable.dataDir, environment);
    assert.equal(stopped.code, 0, stopped.output);
    const failed = await runServeProcess(restartable.dataDir, {
      ...environment,
      DATABASE_URL: `postgres://nobody@127.0.0.1:${await findFreePort()}/none`,
      ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    });
    assert.equal(failed.code, 0, failed.output);
  });
});
