import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type Simulator, startSimulator } from '../../src/simulator/index.ts';
import { UPSTREAM_APP } from '../harness/gateway.ts';
import { findFreePort, runServeProcess, type ServeProcess, startServeProcess } from '../harness/serve-process.ts';
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

/** The gateway as a process with its embedded database, killed and stopped under load. The platform is this process. */
describe('a gateway that goes down and comes back', () => {
  let parentDir: string;
  let dataDir: string;
  let simulator: Simulator;
  let environment: Record<string, string>;
  let tenant: Tenant;
  let running: ServeProcess | undefined;

  before(async () => {
    parentDir = await mkdtemp(join(tmpdir(), 'fairway-restart-'));
    dataDir = join(parentDir, 'data');
    simulator = await startSimulator({
      ...UPSTREAM_APP,
      limits: 'off',
      statusLatencyMs: { sent: 5, delivered: 10, read: 15 },
      sendLog: { recordsMax: 100_000 },
      // Statuses reach the gateway soon after it is back, so that they can settle what was on its way when it died.
      webhooks: { retryPausesMs: new Array(200).fill(300) },
    });
    const port = await findFreePort();
    simulator.world.setWebhookUrl(`http://127.0.0.1:${port}/webhooks/upstream`);
    environment = {
      PORT: String(port),
      UPSTREAM_BASE_URL: simulator.baseUrl,
      UPSTREAM_APP_ID: UPSTREAM_APP.appId,
      UPSTREAM_APP_SECRET: UPSTREAM_APP.appSecret,
      UPSTREAM_VERIFY_TOKEN: UPSTREAM_APP.verifyToken,
    };
  });
  after(async () => {
    running?.kill('SIGKILL');
    await running?.ended;
    await simulator.close();
    await rm(parentDir, { recursive: true, force: true, maxRetries: 5 });
  });

  const start = async (): Promise<Served & ServeProcess> => {
    running = await startServeProcess(dataDir, environment);
    return { ...running, simulator };
  };
  const setPace = (gateway: Served, messagesPerSecond: number | null) =>
    admin(gateway, 'PATCH', `/numbers/${tenant.phoneNumberId}`, { messages_per_second: messagesPerSecond });
  const message = (name: string) => ({ ...templateTo(freshRecipient(), 'login_code'), biz_opaque_callback_data: name });
  /** How often each named message has arrived upstream. */
  const arrivals = () => {
    const counts = new Map<string, number>();
    for (const { callbackData } of simulator.world.sends.list({ phoneNumberId: tenant.phoneNumberId })) {
      if (callbackData !== null) counts.set(callbackData, (counts.get(callbackData) ?? 0) + 1);
    }
    return counts;
  };
  /** Sends from several lanes until `more` says no. */
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
      60_000,
    );

  it('loses none of thousands of accepted messages to SIGKILL, and sends none twice', async () => {
    const first = await start();
    tenant = await createTenant(first, { number: { throughputLevel: 'HIGH' } });
    await setPace(first, 40);
    const names = Array.from({ length: 2_500 }, (_, index) => `crash-${index}`);
    const next = names.values();
    await sendMany(async () => {
      const { value, done } = next.next();
      if (done) return false;
      const answer = await send(first, tenant, message(value));
      assert.equal(answer.status, 202, answer.text);
      return true;
    });
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

  it('refuses to start a second time on the same directory, and the first goes on', async () => {
    const { code, output } = await runServeProcess(dataDir, { ...environment, PORT: '0' });
    assert.notEqual(code, 0);
    assert.match(output, /in use by another running instance/);
    assert.equal((await call({ ...running!, simulator }, undefined, 'GET', '/readyz')).status, 200);
  });

  it('answers every request in flight on SIGTERM, exits with 0, and sends later what it had accepted', async () => {
    const gateway = { ...running!, simulator };
    await setPace(gateway, 40);
    const accepted: string[] = [];
    const problems: string[] = [];
    let count = 0;
    let asked = false;
    await sendMany(async () => {
      count += 1;
      const name = `stop-${count}`;
      try {
        const answer = await send(gateway, tenant, message(name));
        if (answer.status === 202) accepted.push(name);
        else problems.push(`${answer.status} ${answer.text}`);
      } catch (error) {
        const code = ((error as Error).cause as NodeJS.ErrnoException | undefined)?.code;
        if (code !== 'ECONNREFUSED') problems.push(`${code}`);
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
});
