import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { useGateway, useTenant } from '../../harness/fixtures.ts';
import { encodeMultipart } from '../../harness/multipart.ts';
import {
  type Answer,
  admin,
  call,
  createTenant,
  freshRecipient,
  pause,
  resume,
  send,
  sendsTo,
  textTo,
  untilStatus,
} from '../../harness/tenant.ts';
import { SAMPLES } from '../../support/media-samples.ts';

describe('sends that name media', () => {
  /** The tenant's second number. */
  let secondNumberId: string;
  const gateway = useGateway();
  const tenant = useTenant(gateway);
  const other = useTenant(gateway);
  before(async () => {
    secondNumberId = `${tenant.phoneNumberId}9`;
    gateway.simulator.world.addNumber(tenant.wabaId, { id: secondNumberId, displayPhoneNumber: '+1 555 010 0199' });
    await admin(gateway, 'POST', `/wabas/${tenant.wabaId}/sync`);
  });

  async function upload(phoneNumberId = tenant.phoneNumberId, as = tenant): Promise<string> {
    const form = encodeMultipart([
      { name: 'file', value: SAMPLES['image/png'], fileName: 'a.png', contentType: 'image/png' },
    ]);
    const answer = await call(gateway, as, 'POST', `/v1/${phoneNumberId}/media`, form);
    assert.equal(answer.status, 200, answer.text);
    return answer.json.id;
  }

  const expire = (id: string) =>
    gateway.app.db.query({
      text: `UPDATE media SET expires_at = now() - interval '1 second' WHERE media_id = $1`,
      values: [id],
    });

  const image = (id: string, to = freshRecipient()) => ({ to, type: 'image', image: { id } });
  const header = (id: string) => ({ type: 'header', parameters: [{ type: 'image', image: { id } }] });
  const template = (components: unknown[], name = 'spring_sale') => ({
    to: freshRecipient(),
    type: 'template',
    template: { name, language: { code: 'en_US' }, components },
  });

  function refused(answer: Answer, reason: RegExp): void {
    assert.deepEqual([answer.status, answer.json.code], [400, 'VALIDATION_ERROR'], answer.text);
    assert.match(answer.json.message, reason);
  }

  it('are refused if a known id belongs to another number, wherever the id occurs', async () => {
    const id = await upload(secondNumberId);
    for (const body of [
      image(id),
      { to: freshRecipient(), type: 'document', document: { id, filename: 'a.pdf' } },
      template([header(id)]),
      template([{ type: 'carousel', cards: [{ card_index: 0, components: [header(id)] }] }]),
      {
        to: freshRecipient(),
        type: 'interactive',
        interactive: { type: 'button', header: { type: 'image', image: { id } } },
      },
    ]) {
      refused(await send(gateway, tenant, body), /belongs to another number/);
    }
  });

  it('are refused if a known id has expired', async () => {
    const id = await upload();
    await expire(id);
    refused(await send(gateway, tenant, image(id)), /expired at .*upload the file again/);
    refused(await send(gateway, tenant, template([header(id)])), /expired/);
  });

  it('are accepted with an id of their own number, or with an unknown id', async () => {
    const to = freshRecipient();
    await gateway.simulator.world.inbound({ phoneNumberId: tenant.phoneNumberId, from: to.slice(1) });
    const own = await send(gateway, tenant, image(await upload(), to), { query: '?sync=true' });
    assert.equal(own.status, 200, own.text);
    assert.equal((await send(gateway, tenant, image('123456789', to))).status, 202);
  });

  it("do not use other organizations' media", async () => {
    const id = await upload(other.phoneNumberId, other);
    const answer = await send(gateway, tenant, template([header(id)]));
    assert.equal(answer.status, 202, answer.text);
  });

  it('are refused for media after an unknown number, and before all else', async () => {
    const id = await upload(secondNumberId);
    refused(await send(gateway, tenant, template([header(id)], 'no_such_template')), /another number/);
    refused(await send(gateway, tenant, image(id)), /another number/);
    const absent = await call(gateway, tenant, 'POST', '/v1/1234567890/messages', { body: image(id) });
    assert.deepEqual([absent.status, absent.json.code], [404, 'ACCOUNT_NOT_FOUND']);

    const unregistered = await createTenant(gateway, { number: { status: 'DISCONNECTED' } });
    const expired = await upload(unregistered.phoneNumberId, unregistered);
    await expire(expired);
    refused(await send(gateway, unregistered, image(expired)), /expired/);
    assert.equal((await send(gateway, unregistered, image('1'))).json.code, 'ACCOUNT_NOT_REGISTERED');
  });

  it("with media gone at dispatch: fail once in the platform's words, delay no others", async () => {
    const sender = await createTenant(gateway);
    const to = freshRecipient();
    await gateway.simulator.world.inbound({ phoneNumberId: sender.phoneNumberId, from: to.slice(1) });
    const id = await upload(sender.phoneNumberId, sender);
    await pause(gateway, sender);
    const bodies = [image(id, to), image('', to), image('7'.repeat(5000), to), textTo(to)];
    const messageIds = [];
    for (const body of bodies) messageIds.push((await send(gateway, sender, body)).json.messages[0].id);
    assert.equal((await call(gateway, sender, 'DELETE', `/v1/${id}`)).status, 200);
    await resume(gateway, sender);
    const [deleted, ...others] = await Promise.all(
      messageIds.map((messageId) => untilStatus(gateway, sender, messageId, 'failed', 'read')),
    );
    assert.equal(deleted.error_code, '100');
    assert.match(deleted.error_message, new RegExp(`Object with ID '${id}' does not exist`));
    assert.deepEqual(
      others.map(({ status }) => status),
      ['failed', 'failed', 'read'],
    );
    assert.equal(sendsTo(gateway, to).length, bodies.length);
  });

  it('repeated under an Idempotency-Key: get their message although the media has expired', async () => {
    const to = freshRecipient();
    await gateway.simulator.world.inbound({ phoneNumberId: tenant.phoneNumberId, from: to.slice(1) });
    const id = await upload();
    const headers = { 'idempotency-key': 'media-1' };
    const first = await send(gateway, tenant, image(id, to), { headers });
    assert.equal(first.status, 202, first.text);
    await expire(id);
    const again = await send(gateway, tenant, image(id, to), { headers });
    assert.equal(again.status, 202, again.text);
    assert.equal(again.json.messages[0].id, first.json.messages[0].id);
    refused(await send(gateway, tenant, image(id, to)), /expired/);
  });
});
