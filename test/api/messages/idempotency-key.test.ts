import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertError } from '../../harness/assert-error.ts';
import { createFastClock } from '../../harness/fast-clock.ts';
import { useGateway, useTenant } from '../../harness/fixtures.ts';
import { exchangeRaw, parseRaw } from '../../harness/raw-http.ts';
import {
  type Answer,
  admin,
  call,
  createTenant,
  freshRecipient,
  issueKey,
  pause,
  resume,
  send,
  sendsTo,
  type Tenant,
  templateTo,
  textTo,
  until,
  untilStatus,
  writtenRecipient,
} from '../../harness/tenant.ts';

const idOf = (answer: Answer) => answer.json.messages[0].id as string;
const isReplay = (answer: Answer) => answer.headers.get('idempotent-replayed') === 'true';

describe('an Idempotency-Key', () => {
  const gateway = useGateway();
  const tenant = useTenant(gateway);

  const sendWith = (key: string, body: unknown, options: { query?: string; sender?: Tenant } = {}) =>
    send(gateway, options.sender ?? tenant, body, {
      headers: { 'idempotency-key': key },
      ...(options.query !== undefined && { query: options.query }),
    });

  it('answers a retry with the original message, 202 and Idempotent-Replayed; sends once', async () => {
    const to = freshRecipient();
    const first = await sendWith('order-1', templateTo(to));
    assert.equal(isReplay(first), false);
    await untilStatus(gateway, tenant, idOf(first), 'read');
    const again = await sendWith('order-1', templateTo(to));
    assert.equal(again.status, 202);
    assert.equal(again.text, first.text);
    assert.equal(isReplay(again), true);
    assert.equal(sendsTo(gateway, to).length, 1);
  });

  it('compares bodies as JSON: white space, key order and escapes make no difference', async () => {
    const to = freshRecipient();
    const first = await sendWith(
      'order-2',
      `{"to":"${to}","type":"template","template":{"name":"spring_sale","x":"é"}}`,
    );
    assert.equal(first.status, 202, first.text);
    const again = await sendWith(
      'order-2',
      `\n{ "template":{"x":"\\u00e9", "name":"spring_sale"},"type":"template",\t"to":"${to}" }`,
    );
    assert.equal(idOf(again), idOf(first));
    assert.equal(isReplay(again), true);
  });

  it('refuses another body with 422 IDEMPOTENCY_KEY_REUSED and sends nothing', async () => {
    const to = freshRecipient();
    const body = { ...templateTo(to), n: 1 };
    await sendWith('order-3', body);
    for (const other of [
      { ...body, n: 2 },
      { ...body, n: '1' },
      { ...body, extra: null },
      templateTo(freshRecipient()),
    ]) {
      const answer = await sendWith('order-3', other);
      assertError(answer, 422, 'IDEMPOTENCY_KEY_REUSED');
      assert.equal(isReplay(answer), false);
    }
    assert.equal(idOf(await sendWith('order-3', body)), idOf(await sendWith('order-3', body)));
    await gateway.simulator.world.sends.waitFor((sent) => sent.waId === to.slice(1));
    assert.equal(sendsTo(gateway, to).length, 1);
  });

  it('distinguishes numbers that JavaScript does not', async () => {
    const to = freshRecipient();
    const text = (n: string) => JSON.stringify(templateTo(to)).replace('{', `{"n":${n},`);
    assert.equal((await sendWith('order-4', text('12345678901234567890'))).status, 202);
    assertError(await sendWith('order-4', text('12345678901234567891')), 422, 'IDEMPOTENCY_KEY_REUSED');
  });

  it('belongs to one organization and one sending number', async () => {
    const other = await createTenant(gateway);
    const body = templateTo(freshRecipient());
    const [mine, theirs] = await Promise.all([sendWith('shared', body), sendWith('shared', body, { sender: other })]);
    assert.equal(mine.status, 202);
    assert.equal(theirs.status, 202);
    assert.notEqual(idOf(mine), idOf(theirs));
    assert.equal(isReplay(mine) || isReplay(theirs), false);

    gateway.simulator.world.addNumber(tenant.wabaId, {
      id: `${tenant.phoneNumberId}9`,
      displayPhoneNumber: '+15557770001',
    });
    await admin(gateway, 'POST', `/wabas/${tenant.wabaId}/sync`);
    const second = { ...tenant, phoneNumberId: `${tenant.phoneNumberId}9` };
    const elsewhere = await sendWith('shared', body, { sender: second });
    assert.equal(elsewhere.status, 202, elsewhere.text);
    assert.notEqual(idOf(elsewhere), idOf(mine));
  });

  it('is the same for all keys of an organization', async () => {
    const { key } = await issueKey(gateway, tenant);
    const body = templateTo(freshRecipient());
    const first = await sendWith('one-for-all', body);
    const again = await sendWith('one-for-all', body, { sender: { ...tenant, apiKey: key } });
    assert.equal(idOf(again), idOf(first));
  });

  it('may be quoted: the quotes are not part of it', async () => {
    const body = templateTo(freshRecipient());
    const first = await sendWith('"8e03978e-40d5-43e8-bc93-6894a57f9324"', body);
    const again = await sendWith('8e03978e-40d5-43e8-bc93-6894a57f9324', body);
    assert.equal(idOf(again), idOf(first));
    assert.equal(isReplay(again), true);
  });

  it('distinguishes case and inner spaces', async () => {
    const body = templateTo(freshRecipient());
    const ids = [];
    for (const key of ['Key 1', 'key 1', 'key  1', 'key1', '"']) ids.push(idOf(await sendWith(key, body)));
    assert.equal(new Set(ids).size, 5);
  });

  it('may have 1 to 255 printable ASCII characters and no others', async () => {
    for (const key of ['k', 'k'.repeat(255), `"${'q'.repeat(255)}"`, '!~ {}']) {
      assert.equal((await sendWith(key, templateTo(freshRecipient()))).status, 202, key);
    }
    for (const key of ['', '""', 'k'.repeat(256), `"${'q'.repeat(256)}"`, 'a\tb', 'ÿ', 'caf\u00e9']) {
      assertError(await sendWith(key, templateTo(freshRecipient())), 400, 'VALIDATION_ERROR', 100);
    }
  });

  it('is not used up by a request that is refused', async () => {
    const to = freshRecipient();
    assertError(await sendWith('later', textTo(to)), 403, 'OUTSIDE_24H_WINDOW');
    assertError(await sendWith('later', { to, type: 'poll' }), 400, 'VALIDATION_ERROR');
    assertError(await sendWith('later', templateTo(to, 'in_review')), 403, 'TEMPLATE_NOT_APPROVED');
    assertError(await sendWith('later', templateTo(to), { query: '?sync=x' }), 400, 'VALIDATION_ERROR');
    const answer = await sendWith('later', templateTo(to));
    assert.equal(answer.status, 202, answer.text);
    assert.equal(isReplay(answer), false);
  });

  it('still answers after the window, the template or the plan has ended', async () => {
    const to = await writtenRecipient(gateway, tenant);
    const early = await sendWith('window', textTo(to));
    const approved = await sendWith('template', templateTo(to, 'greeting'));
    await gateway.app.db.query({ text: "UPDATE conversation SET last_inbound_at = now() - interval '2 days'" });
    await gateway.app.db.query({ text: "UPDATE template SET status = 'PAUSED' WHERE name = 'greeting'" });
    await admin(gateway, 'PUT', `/organizations/${tenant.organizationId}/plan`, { active: false });
    await until('the plan has ended', async () =>
      (await send(gateway, tenant, templateTo(to))).status === 403 ? true : undefined,
    );
    for (const [key, body, original] of [
      ['window', textTo(to), early],
      ['template', templateTo(to, 'greeting'), approved],
    ] as const) {
      const again = await sendWith(key, body);
      assert.equal(again.text, original.text);
      assert.equal(isReplay(again), true);
    }
    assertError(await sendWith('window', textTo(to, 'another text')), 422, 'IDEMPOTENCY_KEY_REUSED');
    assertError(await sendWith('fresh', textTo(to)), 403, 'PLAN_INACTIVE');
    await admin(gateway, 'PUT', `/organizations/${tenant.organizationId}/plan`, { active: true });
    await until('the plan is active', async () =>
      (await send(gateway, tenant, templateTo(to))).status === 202 ? true : undefined,
    );
  });

  it('still answers if the template is gone and the platform is unreachable', async () => {
    const to = freshRecipient();
    const other = await createTenant(gateway);
    const body = templateTo(to);
    const original = await sendWith('gone', body, { sender: other });
    const templates = `/v1/${other.wabaId}/message_templates?name=${body.template.name}`;
    assert.equal((await call(gateway, other, 'DELETE', templates)).status, 200);
    const scope = { endpoint: 'templates', wabaId: other.wabaId } as const;
    gateway.simulator.world.addFault({ fault: { kind: 'error', code: 2 }, scope });
    const again = await sendWith('gone', body, { sender: other });
    assert.equal(again.text, original.text);
    assert.equal(isReplay(again), true);
    assertError(await sendWith('fresh', body, { sender: other }), 503, 'UNAVAILABLE');
  });

  it('does not apply to mark-as-read', async () => {
    const { wamid } = await gateway.simulator.world.inbound({
      phoneNumberId: tenant.phoneNumberId,
      from: freshRecipient(),
    });
    for (let round = 0; round < 2; round += 1) {
      const answer = await sendWith('receipt', { status: 'read', message_id: wamid });
      assert.equal(answer.status, 200, answer.text);
      assert.equal(isReplay(answer), false);
    }
  });

  it('makes one message of many concurrent callers', async () => {
    const to = freshRecipient();
    const answers = await Promise.all(Array.from({ length: 50 }, () => sendWith('race', templateTo(to))));
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([202]));
    assert.equal(new Set(answers.map(idOf)).size, 1);
    assert.equal(answers.filter((answer) => !isReplay(answer)).length, 1, 'exactly one was the original');
    await untilStatus(gateway, tenant, idOf(answers[0]!), 'read');
    assert.equal(sendsTo(gateway, to).length, 1);
  });

  it('one body wins if several race for it', async () => {
    const recipients = Array.from({ length: 20 }, freshRecipient);
    const answers = await Promise.all(recipients.map((to) => sendWith('bodies', templateTo(to))));
    const accepted = answers.filter(({ status }) => status === 202);
    assert.equal(accepted.length, 1);
    for (const answer of answers) if (answer.status !== 202) assertError(answer, 422, 'IDEMPOTENCY_KEY_REUSED');
    await untilStatus(gateway, tenant, idOf(accepted[0]!), 'read');
    assert.equal(recipients.flatMap((to) => sendsTo(gateway, to)).length, 1);
  });

  it('makes 100 messages of 1,000 concurrent sends under 100 keys', async () => {
    const sender = await createTenant(gateway, { number: { throughputLevel: 'HIGH' } });
    const recipients = Array.from({ length: 100 }, freshRecipient);
    // Raw sockets: a client that takes seconds for that many requests would be cut off as slow.
    const sendRaw = async (index: number) => {
      const key = index % 100;
      const body = JSON.stringify(templateTo(recipients[key]!));
      const headers = [
        'host: gateway',
        `authorization: Bearer ${sender.apiKey}`,
        `idempotency-key: thousand-${key}`,
        'connection: close',
        `content-length: ${Buffer.byteLength(body)}`,
      ];
      const path = `/v1/${sender.phoneNumberId}/messages`;
      const request = [`POST ${path} HTTP/1.1`, ...headers, '', body].join('\r\n');
      return { key, answer: parseRaw(await exchangeRaw(gateway, request)) };
    };
    const answers = await Promise.all(Array.from({ length: 1000 }, (_, index) => sendRaw(index)));
    const idsOfKey = new Map<number, Set<string>>();
    for (const { key, answer } of answers) {
      assert.equal(answer.status, 202, answer.body);
      idsOfKey.set(key, (idsOfKey.get(key) ?? new Set()).add(JSON.parse(answer.body).messages[0].id));
    }
    assert.equal(idsOfKey.size, 100);
    for (const ids of idsOfKey.values()) assert.equal(ids.size, 1);
    const originals = answers.filter(({ answer }) => !answer.headers.has('idempotent-replayed'));
    assert.equal(originals.length, 100);
    await until('100 messages went upstream', () =>
      recipients.every((to) => sendsTo(gateway, to).length > 0) ? true : undefined,
    );
    assert.deepEqual(
      recipients.map((to) => sendsTo(gateway, to).length),
      recipients.map(() => 1),
    );
    const usage = await admin<{ accepted: number }>(gateway, 'GET', `/organizations/${sender.organizationId}/usage`);
    assert.equal(usage.accepted, 100);
  });
});

describe('a replay with sync=true', () => {
  const gateway = useGateway();
  const tenant = useTenant(gateway);

  const sendWith = (key: string, body: unknown, query: string) =>
    send(gateway, tenant, body, { headers: { 'idempotency-key': key }, query });

  it('answers 200 and the wamid of a message sent meanwhile, and 202 again without sync', async () => {
    const body = templateTo(freshRecipient());
    const first = await sendWith('a', body, '');
    const message = await untilStatus(gateway, tenant, idOf(first), 'sent', 'delivered', 'read');
    const again = await sendWith('a', body, '?sync=true');
    assert.equal(again.status, 200, again.text);
    assert.deepEqual(again.json.messages, [{ id: idOf(first), message_status: 'sent', wamid: message.message_id }]);
    assert.equal(isReplay(again), true);
    assert.equal((await sendWith('a', body, '')).text, first.text);
  });

  it('answers 422 with the same error as for the first caller', async () => {
    const to = freshRecipient();
    gateway.simulator.world.addFault({
      fault: { kind: 'error', code: 131009, details: 'No such colour' },
      scope: { recipient: to.slice(1) },
    });
    const [first, again] = [
      await sendWith('b', templateTo(to), '?sync=true'),
      await sendWith('b', templateTo(to), '?sync=true'),
    ];
    for (const answer of [first, again]) {
      assertError(answer, 422, 'SEND_FAILED', 131009);
      assert.equal(answer.json.provider_error.error_user_msg, 'No such colour');
    }
    assert.deepEqual([isReplay(first), isReplay(again)], [false, true]);
    assert.equal(sendsTo(gateway, to).length, 1);
  });

  it('answers 200 and the first wamid if the message failed after it was accepted upstream', async () => {
    const to = freshRecipient();
    gateway.simulator.world.addFault({ fault: { kind: 'fail', code: 131026 }, scope: { recipient: to.slice(1) } });
    const first = await sendWith('d', templateTo(to), '?sync=true');
    assert.equal(first.status, 200, first.text);
    await untilStatus(gateway, tenant, idOf(first), 'failed');
    const again = await sendWith('d', templateTo(to), '?sync=true');
    assert.equal(again.status, 200, again.text);
    assert.equal(again.text, first.text);
    assert.equal(isReplay(again), true);
  });
});

describe('a replay with sync=true of a waiting message', () => {
  const clock = createFastClock(20);
  const gateway = useGateway({ clock });
  const tenant = useTenant(gateway);

  const sendWith = (key: string, body: unknown, query: string) =>
    send(gateway, tenant, body, { headers: { 'idempotency-key': key }, query });

  it('waits ten seconds and answers 202; a caller waiting at the send gets 200', async () => {
    await pause(gateway, tenant);
    const body = templateTo(freshRecipient());
    const first = await until('a message waits', async () => {
      const answer = await sendWith(crypto.randomUUID(), templateTo(freshRecipient()), '?sync=true');
      return answer.status === 202 ? answer : undefined;
    });
    assert.equal(first.json.messages[0].message_status, 'queued');
    const askedAtMs = clock.monotonicMs();
    const waited = await Promise.all([sendWith('c', body, '?sync=true'), sendWith('c', body, '?sync=true')]);
    assert.ok(clock.monotonicMs() - askedAtMs >= 10_000);
    for (const answer of waited) assert.equal(answer.status, 202, answer.text);
    assert.equal(idOf(waited[0]!), idOf(waited[1]!));

    await resume(gateway, tenant);
    const answer = await until('the message is sent', async () => {
      const found = await sendWith('c', body, '?sync=true');
      return found.status === 200 ? found : undefined;
    });
    assert.equal(idOf(answer), idOf(waited[0]!));
  });
});
