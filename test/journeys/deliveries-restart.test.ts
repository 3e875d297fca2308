import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type Simulator, startSimulator } from '../../src/simulator/index.ts';
import { startReceiver } from '../api/webhooks/receiver.ts';
import { type ListedEvent, pullPage } from '../harness/events.ts';
import { UPSTREAM_APP } from '../harness/gateway.ts';
import { findFreePort, type ServeProcess, startServeProcess } from '../harness/serve-process.ts';
import {
  call,
  createTenant,
  freshRecipient,
  type Served,
  send,
  type Tenant,
  templateTo,
  until,
} from '../harness/tenant.ts';

const MESSAGES = 400;
const LANES = 20;
const STEPS = ['message.queued', 'message.sent', 'message.delivered', 'message.read'];
const PATIENCE_MS = 90_000;

/** The gateway as a process with its embedded database; the platform and the customer's endpoint are this process. */
describe('deliveries while the gateway and its database go down', () => {
  let parentDir: string;
  let dataDir: string;
  let simulator: Simulator;
  let environment: Record<string, string>;
  let running: ServeProcess | undefined;

  before(async () => {
    parentDir = await mkdtemp(join(tmpdir(), 'fairway-deliveries-'));
    dataDir = join(parentDir, 'data');
    simulator = await startSimulator({
      ...UPSTREAM_APP,
      limits: 'off',
      statusLatencyMs: { sent: 5, delivered: 10, read: 15 },
      webhooks: { retryPausesMs: new Array(300).fill(300) },
    });
    const port = await findFreePort();
    simulator.world.setWebhookUrl(`http://127.0.0.1:${port}/webhooks/upstream`);
    environment = {
      PORT: String(port),
      UPSTREAM_BASE_URL: simulator.baseUrl,
      UPSTREAM_APP_ID: UPSTREAM_APP.appId,
      UPSTREAM_APP_SECRET: UPSTREAM_APP.appSecret,
      UPSTREAM_VERIFY_TOKEN: UPSTREAM_APP.verifyToken,
      FETCH_ALLOW_CIDRS: '127.0.0.0/8',
    };
  });
  after(async () => {
    running?.kill('SIGKILL');
    await running?.ended;
    await simulator.close();
    await rm(parentDir, { recursive: true, force: true, maxRetries: 5 });
  });

  const start = async (): Promise<Served> => {
    running = await startServeProcess(dataDir, environment);
    return { ...running, simulator };
  };
  /** What `pg_ctl restart -m immediate` does: the gateway starts the server again. */
  const restartDatabase = async () => {
    const [pid] = (await readFile(join(dataDir, 'postgres/postmaster.pid'), 'utf8')).split('\n');
    process.kill(Number(pid), 'SIGQUIT');
  };
  /** Sends until it is accepted, whatever happens meanwhile. */
  const accept = (gateway: Served, tenant: Tenant, name: string) => {
    const message = { ...templateTo(freshRecipient(), 'login_code'), biz_opaque_callback_data: name };
    const headers = { 'idempotency-key': name };
    const attempt = async () => {
      const answer = await send(gateway, tenant, message, { headers }).catch(() => undefined);
      return answer?.status === 202 || undefined;
    };
    return until(`${name} is accepted`, attempt, PATIENCE_MS);
  };

  it('each event of every committed change arrives, none other does, and repetitions bear the same id', async () => {
    await using receiver = await startReceiver();
    let gateway = await start();
    const tenant = await createTenant(gateway, { number: { throughputLevel: 'HIGH' } });
    const created = await call(gateway, tenant, 'POST', '/v1/webhooks', { body: { url: receiver.url } });
    assert.equal(created.status, 201, created.text);

    const names = Array.from({ length: MESSAGES }, (_, index) => `message-${index}`);
    const next = names.values();
    const lane = async () => {
      for (const name of next) await accept(gateway, tenant, name);
    };
    const sending = Promise.all(Array.from({ length: LANES }, lane));
    const distinctIds = () => new Set(receiver.received.map((request) => request.id));
    // Trouble strikes when a share of the deliveries, another one in each run, has arrived.
    const troubles: (() => Promise<unknown>)[] = [restartDatabase, killGateway, restartDatabase];
    const total = MESSAGES * STEPS.length;
    for (const [index, trouble] of troubles.entries()) {
      const share = (index + Math.random()) / (troubles.length + 1);
      await until('deliveries go on', () => distinctIds().size >= total * share || undefined, PATIENCE_MS);
      await trouble();
    }
    async function killGateway() {
      running?.kill('SIGKILL');
      await running?.ended;
      gateway = await start();
    }
    await sending;

    await until('everything has arrived', () => distinctIds().size >= total || undefined, PATIENCE_MS);
    const events: ListedEvent[] = [];
    for (let page = await pullPage(gateway, tenant); page.data.length > 0; ) {
      events.push(...page.data);
      page = await pullPage(gateway, tenant, { after: page.next });
    }
    assert.deepEqual(distinctIds(), new Set(events.map((event) => event.id)));
    const told = Map.groupBy(events, (event) => event.data.biz_opaque_callback_data);
    assert.deepEqual(new Set(told.keys()), new Set(names));
    for (const [name, ofMessage] of told) {
      assert.deepEqual(ofMessage.map((event) => event.type).sort(), STEPS.toSorted(), name);
      assert.equal(new Set(ofMessage.map((event) => event.data.id)).size, 1, `${name} was accepted once`);
    }
    for (const [id, attempts] of Map.groupBy(receiver.received, (request) => request.id)) {
      assert.equal(new Set(attempts.map((request) => request.body)).size, 1, `${id} says the same each time`);
    }
  });
});
