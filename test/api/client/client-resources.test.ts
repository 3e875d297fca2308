import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FairwayAdmin } from '../../../clients/typescript/src/admin.ts';
import {
  AuthenticationError,
  Fairway,
  type FeedEvent,
  MessageFailedError,
  NotFoundError,
  type SendBody,
  verifyCloudApiWebhook,
  verifyWebhook,
  WaitTimeoutError,
  WebhookVerificationError,
} from '../../../clients/typescript/src/index.ts';
import { useGateway, useTenant } from '../../harness/fixtures.ts';
import { createTenant, freshRecipient, sendsTo, until } from '../../harness/tenant.ts';
import { startReceiver } from '../webhooks/receiver.ts';

function templateBody(to: string): SendBody {
  return { to, type: 'template', template: { name: 'spring_sale', language: { code: 'en_US' } } };
}

describe('the typed client', () => {
  const gateway = useGateway({ fetchAllowCidrs: ['127.0.0.0/8'] });
  const tenant = useTenant(gateway);
  const other = useTenant(gateway);
  const clientOf = ({ apiKey } = tenant) => new Fairway({ baseUrl: `${gateway.baseUrl}/`, apiKey });
  const adminClient = () => new FairwayAdmin({ baseUrl: gateway.baseUrl, adminToken: gateway.adminToken });

  for (const signing of ['hmac', 'ed25519'] as const) {
    it(`verifies deliveries signed with ${signing}, and refuses changed and old ones`, async () => {
      await using receiver = await startReceiver();
      const client = clientOf();
      const endpoint = await client.webhooks.create({ url: receiver.url, signing, events: ['message.sent'] });
      const secret = endpoint.public_key ?? endpoint.secret;
      const sent = await client.messages.send(tenant.phoneNumberId, templateBody(freshRecipient()));
      const { headers, body } = await until('the delivery', () => receiver.received[0]);
      assert.ok(secret !== undefined);
      const event = await verifyWebhook({ headers, body, secret });
      assert.equal(event.id, headers['webhook-id']);
      assert.ok(event.type === 'message.sent');
      assert.equal(event.data.id, sent.id);
      const bytes = new TextEncoder().encode(body);
      const asHeaders = new Headers(Object.entries(headers).map(([name, value]) => [name, String(value)]));
      assert.deepEqual(await verifyWebhook({ headers: asHeaders, body: bytes, secret: ['whsec_AAAA', secret] }), event);
      const refused = (change: object) =>
        assert.rejects(verifyWebhook({ headers, body, secret, ...change }), WebhookVerificationError);
      await refused({
        body: body.replace(
          sent.id,
          sent.id.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
        ),
      });
      await refused({
        secret: signing === 'hmac' ? `whsec_${btoa('another secret')}` : `whpk_${btoa('k'.repeat(32))}`,
      });
      await refused({ headers: { ...headers, 'webhook-timestamp': '1700000000' } });
      await refused({ headers: { ...headers, 'webhook-id': 'another' } });
      await refused({ headers: { ...headers, 'webhook-signature': 'v1,%%% v1a,%%% v2,AAAA' } });
      await refused({ headers: {} });
      await client.webhooks.delete(endpoint.id);
    });
  }

  it('verifies deliveries in the format cloud_api, also with the new secret of a rotation', async () => {
    await using receiver = await startReceiver();
    const client = clientOf();
    const events = ['message.sent' as const];
    const endpoint = await client.webhooks.create({ url: receiver.url, format: 'cloud_api', events });
    const rotated = await client.webhooks.rotateSecret(endpoint.id);
    await client.messages.send(tenant.phoneNumberId, templateBody(freshRecipient()));
    const { headers, body } = await until('the delivery', () => receiver.received[0]);
    for (const { secret = '' } of [endpoint, rotated]) {
      const payload = (await verifyCloudApiWebhook({ headers, body, secret })) as { object: string };
      assert.equal(payload.object, 'whatsapp_business_account');
    }
    for (const change of [{ secret: 'f'.repeat(64) }, { body: `${body} ` }, { headers: {} }]) {
      const delivery = { headers, body, secret: endpoint.secret ?? '', ...change };
      await assert.rejects(verifyCloudApiWebhook(delivery), WebhookVerificationError);
    }
    await client.webhooks.delete(endpoint.id);
  });

  it('manages endpoints: lists, changes, tests, shows deliveries, replays, deletes', async () => {
    await using receiver = await startReceiver();
    const client = clientOf();
    const ids: string[] = [];
    for (let count = 0; count < 3; count += 1) {
      ids.push((await client.webhooks.create({ url: receiver.url, events: ['message.read'] })).id);
    }
    const listed: string[] = [];
    for await (const { id } of client.webhooks.list({ limit: 1 })) listed.push(id);
    assert.deepEqual(listed.sort(), ids.sort());
    const [id = ''] = ids;
    assert.equal((await client.webhooks.update(id, { description: 'orders' })).description, 'orders');
    const { event_id } = await client.webhooks.test(id);
    await until('the test event', () => receiver.received.find((one) => one.id === event_id));
    await until('the attempt is listed', async () => (await client.webhooks.deliveries(id).first()).data[0]);
    assert.equal(await client.webhooks.replay(id, { event_id }), 1);
    await until('the replayed event', () => receiver.received.filter((one) => one.id === event_id)[1]);
    assert.equal((await client.webhooks.enable(id)).id, id);
    await assert.rejects(clientOf(other).webhooks.get(id), NotFoundError);
    for (const one of ids) await client.webhooks.delete(one);
    await assert.rejects(client.webhooks.get(id), NotFoundError);
  });

  it('follows the feed from a cursor, of its organization alone', async () => {
    const client = clientOf();
    const after = await client.events.now();
    await clientOf(other).messages.send(other.phoneNumberId, templateBody(freshRecipient()));
    const { id } = await client.messages.send(tenant.phoneNumberId, templateBody(freshRecipient()));
    const seen: FeedEvent<'message.queued' | 'message.read'>[] = [];
    for await (const event of client.events.follow({ after, types: ['message.queued', 'message.read'], limit: 1 })) {
      seen.push(event);
      if (event.type === 'message.read') break;
    }
    assert.deepEqual(
      seen.map((event) => [event.type, event.data.id]),
      [
        ['message.queued', id],
        ['message.read', id],
      ],
    );
    const abort = new AbortController();
    const rest = client.events.follow({ after: await client.events.now(), signal: abort.signal });
    const reading = rest.next();
    abort.abort(new Error('enough'));
    await assert.rejects(reading, /enough/);
  });

  it('waits for an event of a message, until its failure or the time limit', async () => {
    const client = clientOf();
    const after = await client.events.now();
    const { id } = await client.messages.send(tenant.phoneNumberId, templateBody(freshRecipient()));
    const event = await client.events.waitFor({ after, messageId: id, types: ['message.delivered'] });
    assert.deepEqual([event.type, event.data.id], ['message.delivered', id]);
    const to = freshRecipient();
    gateway.simulator.world.addFault({
      fault: { kind: 'fail', code: 131026, after: 'sent' },
      scope: { recipient: to.slice(1) },
    });
    const failing = await client.messages.send(tenant.phoneNumberId, templateBody(to));
    const awaited = { after, messageId: failing.id, types: ['message.read'] as const };
    await assert.rejects(
      client.events.waitFor(awaited),
      (error) => error instanceof MessageFailedError && error.errorCode === '131026',
    );
    const failure = await client.events.waitFor({ ...awaited, types: ['message.failed'] });
    assert.equal(failure.type, 'message.failed');
    await assert.rejects(client.events.waitFor({ types: ['account.updated'], timeoutMs: 100 }), WaitTimeoutError);
  });

  it('uploads a Blob, a File and a stream, and downloads and deletes the file', async () => {
    const client = clientOf();
    const { phoneNumber, phoneNumberId } = tenant;
    const blob = new Blob(['Thank you'], { type: 'text/plain' });
    const uploads = [
      { file: blob, filename: 'receipt.txt' },
      { file: new File([blob], 'receipt.txt', { type: 'text/plain' }) },
      { file: blob.stream(), filename: 'receipt.txt', type: 'text/plain' },
    ];
    for (const upload of uploads) {
      const { media_id, mime_type, bytes } = await client.media.upload({ phoneNumber, ...upload });
      assert.deepEqual([mime_type, bytes], ['text/plain', 9]);
      const file = await client.media.download(media_id, { phoneNumberId });
      assert.equal(await file.text(), 'Thank you');
      await assert.rejects(clientOf(other).media.download(media_id), NotFoundError);
      assert.deepEqual(await client.media.delete(media_id), { success: true });
    }
  });

  it('creates, lists, edits and deletes templates, and reads windows', async () => {
    const client = clientOf();
    const components = [{ type: 'BODY', text: 'Your order is ready.' }];
    const body = { name: 'order_ready', language: 'en_US', category: 'UTILITY' as const, components };
    const { id } = await client.templates.create(tenant.wabaId, body);
    const names: string[] = [];
    for await (const template of client.templates.list({ limit: 2 })) names.push(String(template.name));
    assert.ok(names.length > 4 && names.includes('order_ready'));
    await until('the review', async () => (await client.templates.get(id)).status === 'APPROVED' || undefined);
    await client.templates.edit(id, { components: [{ type: 'BODY', text: 'Your order waits.' }] });
    await assert.rejects(clientOf(other).templates.get(id), NotFoundError);
    await client.templates.delete(id);
    const to = freshRecipient();
    const optOut = await client.optOuts.add({ phone_number_id: tenant.phoneNumberId, person: to });
    assert.deepEqual((await client.optOuts.list({ person: to.slice(1) }).first()).data, [optOut]);
    await client.optOuts.remove(optOut.id);
    assert.deepEqual((await client.optOuts.list().first()).data, []);
    assert.equal((await client.messages.window(tenant.phoneNumberId, to)).open, false);
    const { wamid } = await gateway.simulator.world.inbound({ phoneNumberId: tenant.phoneNumberId, from: to });
    assert.equal((await client.messages.window(tenant.phoneNumberId, to)).open, true);
    const read = await client.messages.markAsRead(tenant.phoneNumberId, { message_id: wamid });
    assert.deepEqual(read, { success: true });
  });

  it('sends a marketing template to the edge of the marketing product', async () => {
    const own = await createTenant(gateway);
    const attributes = { marketing_messages_onboarding_status: 'ONBOARDED' };
    gateway.simulator.world.updateWaba(own.wabaId, { attributes });
    await adminClient().syncWaba(own.wabaId);
    const to = freshRecipient();
    const template = { name: 'spring_sale', language: { code: 'en_US' } };
    const body = { to, type: 'template' as const, template };
    const client = clientOf(own);
    const sent = await client.messages.sendMarketing(own.phoneNumberId, body, { idempotencyKey: `sale ${to}` });
    await client.messages.waitFor(sent.id, { timeoutMs: 60_000 });
    assert.deepEqual(
      sendsTo(gateway, to).map(({ road }) => road),
      ['marketing_messages'],
    );
  });

  it('exports and erases a person, and reads its own audit log and usage', async () => {
    const client = clientOf();
    const to = freshRecipient();
    await client.messages.waitFor((await client.messages.send(tenant.phoneNumberId, templateBody(to))).id);
    const person = await client.people.export(to);
    assert.deepEqual([person.phone_numbers, person.messages.length], [[to.slice(1)], 1]);
    const { id } = await client.people.erase(to);
    assert.equal((await client.people.waitFor(id, { timeoutMs: 120_000 })).messages, 1);
    await assert.rejects(clientOf(other).people.erasure(id), NotFoundError);
    const { data } = await client.audit.list({ operation: 'erasePerson' }).first();
    assert.equal(data[0]?.http_status, 202);
    assert.equal((await client.audit.verify()).intact, true);
    const { accepted, groups } = await client.usage({ group_by: 'number' });
    assert.ok(accepted > 0 && Array.isArray(groups));
    const stranger = await clientOf(other).usage();
    assert.ok(stranger.accepted < accepted);
  });

  it('runs the admin API: operators, the audit log, limits and new keys', async () => {
    const operator = adminClient();
    const ada = await operator.createOperator({ name: 'Ada', role: 'support' });
    const asAda = (token: string) => new FairwayAdmin({ baseUrl: gateway.baseUrl, adminToken: token });
    assert.deepEqual((await asAda(ada.token).whoAmI()).name, 'Ada');
    assert.equal((await operator.updateOperator(ada.id, { name: 'Ada L.' })).name, 'Ada L.');
    const { token } = await operator.rotateOperatorToken(ada.id);
    await assert.rejects(asAda(ada.token).whoAmI(), AuthenticationError);
    assert.equal((await operator.getOperator(ada.id)).role, 'support');
    assert.equal((await operator.listOperators({ limit: 1 }).first()).data[0]?.id, ada.id);
    await operator.revokeOperator(ada.id);
    await assert.rejects(asAda(token).whoAmI(), AuthenticationError);
    const { data } = await operator.listAudit({ object: ada.id }).first();
    assert.deepEqual(
      data.map(({ operation }) => operation),
      ['revokeOperator', 'rotateOperatorToken', 'updateOperator', 'createOperator'],
    );
    assert.equal((await operator.verifyAudit()).intact, true);
    const app = { app_id: '660099887766', name: 'Second', secrets: ['a-secret'], verify_token: 'a-long-verify-token' };
    assert.equal((await operator.createApp(app)).secrets, 1);
    assert.equal((await operator.updateApp(app.app_id, { name: 'Further' })).name, 'Further');
    assert.equal((await operator.getApp(app.app_id)).name, 'Further');
    await operator.deleteApp(app.app_id);
    assert.deepEqual((await operator.listApps()).data, []);
    const { id, key: old } = await operator.createApiKey(tenant.organizationId, { name: 'orders' });
    assert.deepEqual((await operator.updateApiKey(id, { scopes: ['messages:read'] })).scopes, ['messages:read']);
    const { key } = await operator.rotateApiKey(id, { overlap_seconds: 0 });
    await clientOf({ ...tenant, apiKey: key })
      .messages.list()
      .first();
    await assert.rejects(
      clientOf({ ...tenant, apiKey: String(old) })
        .messages.list()
        .first(),
      AuthenticationError,
    );
  });

  it('runs the admin API: tenants, keys, plans, usage, accounts and the queue', async () => {
    const operator = adminClient();
    const organization = await operator.createOrganization({ name: 'Harbour' });
    const listed: string[] = [];
    for await (const { id } of operator.listOrganizations({ limit: 2 })) listed.push(id);
    assert.ok(listed.includes(organization.id) && listed.includes(tenant.organizationId));
    assert.equal((await operator.updateOrganization(organization.id, { name: 'Port' })).name, 'Port');
    const { id, key } = await operator.createApiKey(organization.id, { name: 'orders' });
    const client = new Fairway({ baseUrl: gateway.baseUrl, apiKey: String(key) });
    assert.deepEqual((await client.messages.list().first()).data, []);
    assert.equal((await operator.listApiKeys(organization.id).first()).data.length, 1);
    await operator.disableApiKey(id);
    await assert.rejects(client.messages.list().first(), AuthenticationError);
    const plan = await operator.getPlan(tenant.organizationId);
    assert.equal(plan.active, true);
    await operator.setPlan(organization.id, { active: false });
    assert.equal((await operator.getUsage(organization.id)).accepted, 0);
    assert.equal((await operator.getUsageDays(organization.id, { group_by: 'country' })).days.at(-1)?.accepted, 0);
    assert.equal((await operator.listWabas(tenant.organizationId).first()).data[0]?.waba_id, tenant.wabaId);
    await operator.syncWaba(tenant.wabaId);
    const { marketing_messages: use } = await operator.updateWaba(tenant.wabaId, { marketing_messages: 'off' });
    assert.equal(use.in_force, 'off');
    await operator.updateNumber(tenant.phoneNumberId, { paused: false });
    assert.ok(Array.isArray((await operator.getQueue({ organization_id: tenant.organizationId })).numbers));
    assert.deepEqual((await operator.getNextMessages({ limit: 5 })).nodes, []);
    assert.equal((await operator.getOverview()).minutes.length, 60);
    await operator.closeOrganization(organization.id);
    await assert.rejects(client.usage(), AuthenticationError);
    const wrong = new FairwayAdmin({ baseUrl: gateway.baseUrl, adminToken: tenant.apiKey });
    await assert.rejects(wrong.getQueue(), AuthenticationError);
  });
});
