import assert from 'node:assert/strict';
import { after, before, describe, it, test } from 'node:test';
import pg from 'pg';
import { assertError } from '../../harness/assert-error.ts';
import { type Gateway, startGateway } from '../../harness/gateway.ts';
import type { TcpProxy } from '../../harness/tcp-proxy.ts';
import { startTcpProxy } from '../../harness/tcp-proxy.ts';
import {
  call,
  createTenant,
  freshRecipient,
  pause,
  resume,
  send,
  sendsTo,
  sendTemplate,
  type Tenant,
  templateTo,
  until,
  untilStatus,
} from '../../harness/tenant.ts';
import { inboundText, messagesChange, nowSeconds, payloadOf, postWebhook } from '../../harness/upstream-webhook.ts';

/** Starts a gateway that reaches its database through a proxy. */
async function startBehindProxy(): Promise<{ gateway: Gateway; proxy: TcpProxy }> {
  const { promise, resolve } = Promise.withResolvers<TcpProxy>();
  const gateway = await startGateway({
    async reachDatabase(connectionString) {
      const url = new URL(connectionString);
      const proxy = await startTcpProxy({ host: url.hostname, port: Number(url.port) });
      resolve(proxy);
      url.hostname = '127.0.0.1';
      url.port = String(proxy.port);
      return url.href;
    },
  });
  return { gateway, proxy: await promise };
}

describe('while the database cannot be reached', () => {
  let gateway: Gateway;
  let tenant: Tenant;
  let proxy: TcpProxy;
  let storedId: string;
  before(async () => {
    ({ gateway, proxy } = await startBehindProxy());
    tenant = await createTenant(gateway);
    storedId = await sendTemplate(gateway, tenant, freshRecipient());
    await untilStatus(gateway, tenant, storedId, 'read');
    await proxy.cut();
  });
  after(async () => {
    await gateway.stop();
    await proxy.close();
  });

  it('reading a message: 500 FETCH_FAILED', async () => {
    assertError(await call(gateway, tenant, 'GET', `/v1/messages/${storedId}`), 500, 'FETCH_FAILED', 2);
  });

  it('a send: 503 UNAVAILABLE with Retry-After, without the cause', async () => {
    const answer = await send(gateway, tenant, templateTo(freshRecipient()));
    assertError(answer, 503, 'UNAVAILABLE', 2);
    assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
    assert.doesNotMatch(answer.text, /ECONN|127\.0\.0\.1|postgres|sql/i);
  });

  it('an unknown key: not called wrong', async () => {
    const answer = await send(
      gateway,
      { ...tenant, apiKey: tenant.apiKey.replace(/.$/, (end) => (end === '0' ? '1' : '0')) },
      templateTo('+15551230001'),
    );
    assert.ok([401, 503].includes(answer.status), answer.text);
  });

  it('a webhook: not answered 200, so that the upstream repeats it', async () => {
    const payload = payloadOf(tenant, messagesChange(tenant, { messages: [inboundText('12025550143', nowSeconds())] }));
    assert.equal((await postWebhook(gateway, payload)).status, 503);
  });

  it('the gateway: alive but not ready', async () => {
    assert.equal((await call(gateway, undefined, 'GET', '/healthz')).status, 200);
    const answer = await call(gateway, undefined, 'GET', '/readyz');
    assertError(answer, 503, 'UNAVAILABLE', 2);
    assert.ok(answer.headers.get('retry-after'));
  });

  it('after the outage: nothing was sent twice or lost, and everything works again', async () => {
    await proxy.mend();
    await until('it is ready', async () =>
      (await call(gateway, undefined, 'GET', '/readyz')).status === 200 ? true : undefined,
    );
    const to = freshRecipient();
    const id = await sendTemplate(gateway, tenant, to);
    await untilStatus(gateway, tenant, id, 'read');
    assert.equal(gateway.simulator.world.sends.total, 2);
    assert.equal((await call(gateway, tenant, 'GET', `/v1/messages/${storedId}`)).status, 200);
  });
});

describe('a gateway stopped while the database is unreachable', () => {
  it('ends in time, and closes its connections', async () => {
    const { gateway, proxy } = await startBehindProxy();
    await proxy.cut();
    await gateway.stop();
    await assert.rejects(gateway.app.db.query({ text: 'SELECT 1' }), /after calling end on the pool/);
    await proxy.close();
  });
});

test('a slow database: the node stays ready, and sends are accepted when it goes on', async (t) => {
  const { gateway, proxy } = await startBehindProxy();
  t.after(async () => {
    await proxy.mend();
    await gateway.stop();
    await proxy.close();
  });
  const tenant = await createTenant(gateway);
  await sendTemplate(gateway, tenant, freshRecipient());
  proxy.stall();
  const sent = sendTemplate(gateway, tenant, freshRecipient());
  for (let asked = 0; asked < 3; asked += 1) {
    assert.equal((await call(gateway, undefined, 'GET', '/readyz')).status, 200);
  }
  await proxy.mend();
  await untilStatus(gateway, tenant, await sent, 'read');
});

test('a locked queue: sends are 503; later, waiting and repeated ones are sent once each', async (t) => {
  const gateway = await startGateway();
  const client = new pg.Client({ connectionString: gateway.connectionString });
  await client.connect();
  t.after(async () => {
    await client.end();
    await gateway.stop();
  });
  const tenant = await createTenant(gateway);
  const [waiting, refused] = [freshRecipient(), freshRecipient()];
  await pause(gateway, tenant);
  const waitingId = await sendTemplate(gateway, tenant, waiting);
  await client.query('BEGIN');
  await client.query('LOCK TABLE send_queue IN ACCESS EXCLUSIVE MODE');
  await resume(gateway, tenant);
  const sendIt = () => send(gateway, tenant, templateTo(refused), { headers: { 'idempotency-key': 'locked' } });
  const answer = await sendIt();
  assertError(answer, 503, 'UNAVAILABLE', 2);
  assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
  await client.query('ROLLBACK');
  const again = await sendIt();
  assert.equal(again.status, 202, again.text);
  for (const id of [waitingId, again.json.messages[0].id]) await untilStatus(gateway, tenant, id, 'read');
  for (const to of [waiting, refused]) assert.equal(sendsTo(gateway, to).length, 1);
});

test('a silent database: metrics are shown without the queue', async (t) => {
  const { gateway, proxy } = await startBehindProxy();
  t.after(async () => {
    await proxy.mend();
    await gateway.stop();
    await proxy.close();
  });
  proxy.stall();
  const givenUp = gateway.app.db.query({ text: 'SELECT 1' }).then(
    () => 'answered',
    () => 'given up',
  );
  const shown = call(gateway, { apiKey: gateway.adminToken }, 'GET', '/metrics').then(({ text }) => text);
  assert.match(await Promise.race([givenUp, shown]), /^fairway_queue_messages Nan$/im);
});
