import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, it } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { describeCommand } from '../harness/cli.ts';
import { createRestartableGateway } from '../harness/restartable-gateway.ts';
import { createTenant, freshRecipient, sendTemplate, until } from '../harness/tenant.ts';

interface Received {
  headers: IncomingHttpHeaders;
  body: string;
}

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

describeCommand('listen', (suite) => {
  const received: Received[] = [];
  /** Answers to the next requests; 200 after them. */
  let answers: number[] = [];
  let url: string;
  const receiver = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text;
    });
    request.once('end', () => {
      received.push({ headers: request.headers, body });
      response.writeHead(answers.shift() ?? 200).end();
    });
  });
  before(async () => {
    await new Promise<void>((listening) => receiver.listen(0, '127.0.0.1', listening));
    url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/webhooks`;
  });
  after(() => receiver.close());
  beforeEach(() => {
    received.length = 0;
  });

  it('events → delivered with a signature by the given secret, and listed', async () => {
    const env = { FAIRWAY_WEBHOOK_SECRET: SECRET };
    const listen = suite.start(['--forward-to', url, '--type', 'message.sent,message.delivered'], { env });
    await listen.until(/Ctrl-C ends/);
    const id = await sendTemplate(suite.gateway, suite.tenant, freshRecipient());
    for (const type of ['sent', 'delivered']) await listen.until(new RegExp(`200 .*message\\.${type}`));
    listen.interrupt();
    const { code, stderr } = await listen.ended;
    assert.equal(code, 130);
    assert.doesNotMatch(stderr, /whsec_/);
    const events = received.map(({ headers, body }) =>
      new Webhook(SECRET).verify(body, headers as Record<string, string>),
    ) as { type: string; data: { id: string } }[];
    assert.deepEqual(events.map(({ type, data }) => [type, data.id]).sort(), [
      ['message.delivered', id],
      ['message.sent', id],
    ]);
  });

  it('--format cloud_api → the body that an endpoint of this format gets, signed like it', async () => {
    const env = { FAIRWAY_WEBHOOK_SECRET: 'app secret' };
    const form = ['--format', 'cloud_api', '--message-ids', 'gateway', '--phone-numbers', 'e164'];
    const listen = suite.start(['--forward-to', url, ...form], { env });
    await listen.until(/Ctrl-C ends/);
    const to = freshRecipient();
    const id = await sendTemplate(suite.gateway, suite.tenant, to);
    await suite.gateway.simulator.world.inbound({
      ...{ phoneNumberId: suite.tenant.phoneNumberId, from: to, type: 'text', content: { body: 'Grüße 😀' } },
    });
    for (const type of ['received', 'sent', 'delivered', 'read'])
      await listen.until(new RegExp(`200 .*message\\.${type}`));
    listen.interrupt();
    assert.equal((await listen.ended).code, 130);
    for (const { headers, body } of received) {
      const signature = createHmac('sha256', 'app secret').update(body).digest('hex');
      assert.equal(headers['x-hub-signature-256'], `sha256=${signature}`);
      assert.match(body, /^\{"object":"whatsapp_business_account","entry":\[[\x20-\x7e]*$/);
    }
    const values = received.map(({ body }) => JSON.parse(body).entry[0].changes[0].value);
    const statuses = values.flatMap(({ statuses = [] }) => statuses);
    assert.deepEqual(statuses.map(({ id, status }) => [id, status]).sort(), [
      [id, 'delivered'],
      [id, 'read'],
      [id, 'sent'],
    ]);
    const [message] = values.flatMap(({ messages = [] }) => messages);
    assert.deepEqual([message.from, message.text.body], [to, 'Grüße 😀']);
  });

  it('a receiver that fails → the event again, signed with the printed secret', async () => {
    answers = [500];
    const terminal = { columns: 40, rows: 10 };
    const listen = suite.start(['--forward-to', url, '--type', 'message.queued'], { terminal });
    await listen.until(/Ctrl-C ends/);
    await sendTemplate(suite.gateway, suite.tenant, freshRecipient());
    await listen.until(/500.*again soon[\s\S]*200.*message\.queued/);
    listen.interrupt();
    const { code, stdout } = await listen.ended;
    assert.equal(code, 130);
    const [secret = ''] = /whsec_\S+/.exec(stdout) ?? [];
    assert.equal(received.length, 2);
    for (const { headers, body } of received) new Webhook(secret).verify(body, headers as Record<string, string>);
    assert.equal(received[0]?.headers['webhook-id'], received[1]?.headers['webhook-id']);
  });

  it('a gateway that is killed and started again → every event once', async () => {
    const restartable = await createRestartableGateway();
    try {
      const first = await restartable.start();
      const tenant = await createTenant(first);
      const env = { FAIRWAY_URL: first.baseUrl, FAIRWAY_API_KEY: tenant.apiKey };
      const listen = suite.start(['--forward-to', url, '--type', 'message.queued'], { env });
      await listen.until(/Ctrl-C ends/);
      const ids = [await sendTemplate(first, tenant, freshRecipient())];
      await until('the first event', () => (received.length === 1 ? true : undefined));
      first.kill('SIGKILL');
      await first.ended;
      await listen.until(/Trying again/);
      const second = await restartable.start();
      for (let sends = 0; sends < 3; sends += 1) ids.push(await sendTemplate(second, tenant, freshRecipient()));
      await until('the other events', () => (received.length >= ids.length ? true : undefined));
      listen.interrupt();
      assert.equal((await listen.ended).code, 130);
      assert.deepEqual(received.map(({ body }) => JSON.parse(body).data.id).sort(), ids.sort());
    } finally {
      await restartable.close();
    }
  });

  it('a URL that is none, or a secret that is none → exit code 2', async () => {
    assert.equal((await suite.run(['--forward-to', 'localhost:3000'])).code, 2);
    const env = { FAIRWAY_WEBHOOK_SECRET: 'secret' };
    assert.equal((await suite.run(['--forward-to', url], { env })).code, 2);
    const standard = await suite.run(['--forward-to', url, '--phone-numbers', 'e164']);
    assert.equal(standard.code, 3);
  });
});
