import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  ConnectionError,
  Fairway,
  MessageFailedError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  RejectedError,
  type SendBody,
  ServerError,
  TimeoutError,
  WaitTimeoutError,
} from '../../../clients/typescript/src/index.ts';
import { useGateway, useTenant } from '../../harness/fixtures.ts';
import { admin, createTenant, freshRecipient, pause, resume, sendsTo, textTo } from '../../harness/tenant.ts';
import { startFrontServer, type Treatment } from '../../support/client/front-server.ts';

function templateBody(to: string): SendBody {
  return { to, type: 'template', template: { name: 'spring_sale', language: { code: 'en_US' } } };
}

/** Returns a treatment that applies `first` to the first request, and forwards all others. */
const once = (first: Treatment) => (count: number) => (count === 1 ? first : 'forward');

describe('sends by the typed client', () => {
  const gateway = useGateway();
  const tenant = useTenant(gateway);
  const other = useTenant(gateway);
  const clientOf = ({ apiKey } = tenant, { baseUrl }: { baseUrl: string } = gateway, more = {}) =>
    new Fairway({ baseUrl, apiKey, ...more });

  it('are accepted with a key of their own, and waitFor follows them until read', async () => {
    const client = clientOf();
    const sent = await client.messages.send(tenant.phoneNumberId, templateBody(freshRecipient()));
    assert.equal(sent.status, 'queued');
    assert.match(sent.idempotencyKey, /^[0-9a-f-]{36}$/);
    const message = await client.messages.waitFor(sent.id, { status: 'read' });
    assert.equal(message.status, 'read');
    assert.equal(message.id, sent.id);
    assert.ok((await client.messages.timeline(sent.id)).data.length > 0);
    assert.equal(JSON.parse(await client.messages.body(sent.id)).type, 'template');
  });

  it('with sync: the answer has the id of the platform', async () => {
    const sent = await clientOf().messages.send(tenant.phoneNumberId, templateBody(freshRecipient()), { sync: true });
    assert.equal(sent.status, 'sent');
    assert.match(sent.wamid ?? '', /^wamid\./);
  });

  it('with the key of an earlier send: the same message', async () => {
    const client = clientOf();
    const body = templateBody(freshRecipient());
    const first = await client.messages.send(tenant.phoneNumberId, body, { idempotencyKey: 'order-1042' });
    const second = await client.messages.send(tenant.phoneNumberId, body, { idempotencyKey: 'order-1042' });
    assert.deepEqual([second.id, first.isReplayed, second.isReplayed], [first.id, false, true]);
    const changed = client.messages.send(tenant.phoneNumberId, templateBody(freshRecipient()), {
      idempotencyKey: 'order-1042',
    });
    await assert.rejects(changed, (error) => error instanceof RejectedError && error.code === 'IDEMPOTENCY_KEY_REUSED');
  });

  it('cut off after they were accepted: the repetition makes no second message', async () => {
    await using front = await startFrontServer(gateway, once('cut'));
    const to = freshRecipient();
    const sent = await clientOf(tenant, front).messages.send(tenant.phoneNumberId, templateBody(to));
    assert.equal(sent.isReplayed, true);
    assert.equal(front.seen.length, 2);
    assert.equal(front.seen[0]?.headers['idempotency-key'], front.seen[1]?.headers['idempotency-key']);
    await clientOf().messages.waitFor(sent.id, { status: 'sent' });
    assert.equal((await sendsTo(gateway, to)).length, 1);
    const listed = await clientOf()
      .messages.list({ recipient: to.slice(1) })
      .first();
    assert.equal(listed.data.length, 1);
  });

  it('cut off every time: the error has the key for a later repetition', async () => {
    await using front = await startFrontServer(gateway, () => 'cut');
    const body = templateBody(freshRecipient());
    const error: unknown = await clientOf(tenant, front, { retries: 0 })
      .messages.send(tenant.phoneNumberId, body)
      .catch((thrown: unknown) => thrown);
    assert.ok(error instanceof ConnectionError);
    const { idempotencyKey } = error;
    assert.ok(idempotencyKey);
    const again = await clientOf().messages.send(tenant.phoneNumberId, body, { idempotencyKey });
    assert.equal(again.isReplayed, true);
  });

  for (const [status, headers] of [
    [503, { 'retry-after': '1' }],
    [429, { 'retry-after': '1' }],
    [503, { 'retry-after': 'date' }],
  ] as const) {
    it(`answered ${status} with Retry-After (${headers['retry-after']}): repeated after that time`, async () => {
      const isDate = headers['retry-after'] === 'date';
      // A date has whole seconds, so two of them are at least one.
      const header = isDate ? new Date(Date.now() + 2000).toUTCString() : headers['retry-after'];
      await using front = await startFrontServer(gateway, once({ status, headers: { 'retry-after': header } }));
      const sent = await clientOf(tenant, front).messages.send(tenant.phoneNumberId, templateBody(freshRecipient()));
      assert.equal(sent.status, 'queued');
      const [first, second] = front.seen;
      assert.ok(first && second);
      const waitedMs = second.atMs - first.atMs;
      assert.ok(waitedMs >= (isDate ? 900 : 990), `waited ${waitedMs} ms`);
    });
  }

  it('answered with a Retry-After beyond the limit: refused at once with that time', async () => {
    const treatment = {
      status: 503,
      headers: { 'retry-after': '3600' },
      body: '{"message": "later", "code": "UNAVAILABLE"}',
    };
    await using front = await startFrontServer(gateway, () => treatment);
    const sending = clientOf(tenant, front).messages.send(tenant.phoneNumberId, templateBody(freshRecipient()));
    await assert.rejects(sending, (error) => {
      assert.ok(error instanceof ServerError);
      assert.deepEqual([error.code, error.retryAfterMs, error.status], ['UNAVAILABLE', 3_600_000, 503]);
      assert.ok(error.idempotencyKey);
      return true;
    });
    assert.equal(front.seen.length, 1);
  });

  it('answered by a proxy in HTML: an error with the status as its code', async () => {
    await using front = await startFrontServer(gateway, () => ({ status: 502, body: '<h1>Bad Gateway</h1>' }));
    const sending = clientOf(tenant, front, { retries: 0 }).messages.get('0199c0de-0000-7000-8000-000000000001');
    await assert.rejects(sending, (error) => error instanceof ServerError && error.code === 'HTTP_502');
  });

  it('limited by the plan: refused by the gateway itself, then accepted', async () => {
    const limited = await createTenant(gateway);
    await admin(gateway, 'PUT', `/organizations/${limited.organizationId}/plan`, { requests_per_second: 2 });
    const impatient = clientOf(limited, gateway, { retries: 0 });
    const asked = await Promise.allSettled(Array.from({ length: 12 }, () => impatient.messages.list().first()));
    const refused = asked.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
    assert.ok(refused.length > 0 && refused.every((error) => error instanceof RateLimitError));
    const sent = await clientOf(limited).messages.send(limited.phoneNumberId, templateBody(freshRecipient()));
    assert.equal(sent.status, 'queued');
  });

  it('refused: a class for each kind, with code, address and request id', async () => {
    const client = clientOf();
    const text = client.messages.send(tenant.phoneNumberId, textTo(freshRecipient()) as unknown as SendBody);
    await assert.rejects(text, (error) => {
      assert.ok(error instanceof PermissionError);
      assert.equal(error.code, 'OUTSIDE_24H_WINDOW');
      assert.match(error.docUrl ?? '', /#OUTSIDE_24H_WINDOW$/);
      assert.ok(error.requestId);
      return true;
    });
    const absent = client.messages.get('0199c0de-0000-7000-8000-000000000001');
    await assert.rejects(absent, NotFoundError);
  });

  it('for another organization: neither found nor listed, and its number sends nothing', async () => {
    const sent = await clientOf().messages.send(tenant.phoneNumberId, templateBody(freshRecipient()));
    const stranger = clientOf(other);
    await assert.rejects(stranger.messages.get(sent.id), NotFoundError);
    await assert.rejects(stranger.messages.waitFor(sent.id), NotFoundError);
    await assert.rejects(stranger.messages.send(tenant.phoneNumberId, templateBody(freshRecipient())), NotFoundError);
    for await (const message of stranger.messages.list()) assert.notEqual(message.id, sent.id);
  });

  it('over a held connection: end by the time limit, or by the signal with its reason', async () => {
    await using front = await startFrontServer(gateway, () => 'hold');
    const client = clientOf(tenant, front, { retries: 0 });
    const body = templateBody(freshRecipient());
    const limited = client.messages.send(tenant.phoneNumberId, body, { timeoutMs: 50 });
    await assert.rejects(limited, (error) => error instanceof TimeoutError && error.idempotencyKey !== undefined);
    const reason = new Error('no longer needed');
    const abort = new AbortController();
    const aborted = client.messages.send(tenant.phoneNumberId, body, { signal: abort.signal });
    abort.abort(reason);
    await assert.rejects(aborted, (error) => error === reason);
  });

  it('failing later: waitFor ends with the reason, unless the failure was awaited', async () => {
    const to = freshRecipient();
    gateway.simulator.world.addFault({
      fault: { kind: 'fail', code: 131026, after: 'sent' },
      scope: { recipient: to.slice(1) },
    });
    const client = clientOf();
    const { id } = await client.messages.send(tenant.phoneNumberId, templateBody(to));
    await assert.rejects(client.messages.waitFor(id, { status: 'delivered' }), (error) => {
      assert.ok(error instanceof MessageFailedError);
      assert.deepEqual([error.messageId, error.errorCode], [id, '131026']);
      assert.ok(error.errorMessage);
      return true;
    });
    assert.equal((await client.messages.waitFor(id, { status: 'failed' })).status, 'failed');
  });

  it('still waiting: waitFor ends after its time, and with CANCELLED once cancelled', async () => {
    const waiting = await createTenant(gateway);
    await pause(gateway, waiting);
    const client = clientOf(waiting);
    const { id } = await client.messages.send(waiting.phoneNumberId, templateBody(freshRecipient()));
    await assert.rejects(client.messages.waitFor(id, { timeoutMs: 300 }), WaitTimeoutError);
    assert.equal(await client.messages.cancelAll({ template: 'spring_sale' }), 1);
    const wait = client.messages.waitFor(id);
    await assert.rejects(wait, (error) => error instanceof MessageFailedError && error.errorCode === 'CANCELLED');
    await resume(gateway, waiting);
  });

  it('listed in pages of two: five messages over three pages, each once', async () => {
    const to = freshRecipient();
    const client = clientOf();
    const ids: string[] = [];
    for (let count = 0; count < 5; count += 1) {
      ids.push((await client.messages.send(tenant.phoneNumberId, templateBody(to))).id);
    }
    const list = client.messages.list({ recipient: to.slice(1), limit: 2 });
    const sizes: number[] = [];
    for await (const { data } of list.pages()) sizes.push(data.length);
    assert.deepEqual(sizes, [2, 2, 1]);
    const listed: string[] = [];
    for await (const { id } of list) listed.push(id);
    assert.deepEqual(listed.sort(), ids.sort());
  });
});
