import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isUuid } from '../../../src/core/ids.ts';
import { useGateway, useTenant } from '../../harness/fixtures.ts';
import {
  call,
  freshRecipient,
  readMessage,
  send,
  sendTemplate,
  templateTo,
  textTo,
  untilStatus,
  writtenRecipient,
} from '../../harness/tenant.ts';

const CONTENTS = {
  text: { body: 'Your table is ready.' },
  image: { link: 'https://media.example.com/menu.jpg', caption: 'The menu' },
  video: { link: 'https://media.example.com/tour.mp4' },
  audio: { link: 'https://media.example.com/note.ogg' },
  document: { link: 'https://media.example.com/bill.pdf', filename: 'bill.pdf' },
  sticker: { link: 'https://media.example.com/wave.webp' },
  location: { latitude: 52.3731, longitude: 4.8922, name: 'Central Station' },
  contacts: [{ name: { formatted_name: 'Ada Example', first_name: 'Ada' }, phones: [{ phone: '+15550100199' }] }],
  interactive: {
    type: 'button',
    body: { text: 'Keep the table?' },
    action: { buttons: [{ type: 'reply', reply: { id: 'keep', title: 'Keep it' } }] },
  },
  reaction: { message_id: 'wamid.HBgLMTU1NTAxMDAxOTkVAgASGBQzQQ', emoji: '👍' },
} as const;

describe('a send that is accepted', () => {
  const gateway = useGateway();
  const tenant = useTenant(gateway);

  const bodyUpstream = async (to: string) => {
    const record = await gateway.simulator.world.sends.waitFor((sent) => sent.waId === to.replace(/\D/g, ''));
    return String(record.body);
  };

  it('answers 202 with the queued envelope of api-rules#sending and nothing else', async () => {
    const to = freshRecipient();
    const answer = await send(gateway, tenant, templateTo(to));
    assert.equal(answer.status, 202, answer.text);
    assert.match(answer.headers.get('content-type') ?? '', /^application\/json/);
    assert.ok(answer.headers.get('x-request-id'));
    const id = answer.json.messages[0].id;
    assert.ok(isUuid(id));
    assert.equal(id[14], '7', 'a UUIDv7');
    assert.deepEqual(answer.json, {
      messaging_product: 'whatsapp',
      contacts: [{ input: to, wa_id: to.slice(1) }],
      messages: [{ id, message_status: 'queued' }],
    });
  });

  for (const [type, contents] of Object.entries(CONTENTS)) {
    it(`accepts a ${type} into an open window and sends it`, async () => {
      const to = await writtenRecipient(gateway, tenant);
      const answer = await send(gateway, tenant, { messaging_product: 'whatsapp', to, type, [type]: contents });
      assert.equal(answer.status, 202, answer.text);
      const record = await gateway.simulator.world.sends.waitFor((sent) => sent.waId === to.slice(1));
      assert.equal(record.type, type);
      assert.equal(record.outcome.kind, 'accepted', JSON.stringify(record.outcome));
      const message = await readMessage(gateway, tenant, answer.json.messages[0].id);
      assert.equal(message.message_type, type);
      assert.deepEqual(message.content, { to, [type]: contents });
    });
  }

  for (const [spelling, digits] of [
    ['+1 (202) 555-0143', '12025550143'],
    ['+49 30.901820', '4930901820'],
    ['+1234567', '1234567'],
    ['+123456789012345', '123456789012345'],
    ['+ 44 20 7946 0958', '442079460958'],
  ] as const) {
    it(`shows "${spelling}" as sent and as digits, and forwards it as sent`, async () => {
      const answer = await send(gateway, tenant, templateTo(spelling));
      assert.equal(answer.status, 202, answer.text);
      assert.deepEqual(answer.json.contacts, [{ input: spelling, wa_id: digits }]);
      assert.equal(JSON.parse(await bodyUpstream(spelling)).to, spelling);
      assert.equal((await readMessage(gateway, tenant, answer.json.messages[0].id)).recipient_phone, digits);
    });
  }

  it('inserts messaging_product if it is missing, before everything else', async () => {
    const to = freshRecipient();
    const { messaging_product: _, ...body } = templateTo(to);
    const text = JSON.stringify(body);
    assert.equal((await send(gateway, tenant, text)).status, 202);
    assert.equal(await bodyUpstream(to), `{"messaging_product":"whatsapp",${text.slice(1)}`);
  });

  it('accepts recipient_type "individual" and forwards it', async () => {
    const to = freshRecipient();
    assert.equal((await send(gateway, tenant, { ...templateTo(to), recipient_type: 'individual' })).status, 202);
    assert.equal(JSON.parse(await bodyUpstream(to)).recipient_type, 'individual');
  });

  it('forwards a reply context and biz_opaque_callback_data', async () => {
    const to = await writtenRecipient(gateway, tenant);
    const extra = {
      context: { message_id: 'wamid.HBgLMTIwMjU1NTAxNDMVAgASGBQz' },
      biz_opaque_callback_data: 'order 7',
    };
    assert.equal((await send(gateway, tenant, { ...textTo(to), ...extra })).status, 202);
    assert.deepEqual(JSON.parse(await bodyUpstream(to)), { ...textTo(to), ...extra });
  });

  it('treats null members as absent, as serializers write them, and forwards them', async () => {
    const to = freshRecipient();
    const unset = { recipient_type: null, context: null, biz_opaque_callback_data: null, image: null };
    const answer = await send(gateway, tenant, { ...templateTo(to), ...unset });
    assert.equal(answer.status, 202, answer.text);
    assert.deepEqual(JSON.parse(await bodyUpstream(to)), { ...templateTo(to), ...unset });
  });

  it('forwards unknown fields', async () => {
    const to = freshRecipient();
    const extra = { ttl_seconds: 90, some_new_field: { deep: [1, 2, { x: null }] } };
    assert.equal((await send(gateway, tenant, { ...templateTo(to), ...extra })).status, 202);
    assert.deepEqual(JSON.parse(await bodyUpstream(to)), { ...templateTo(to), ...extra });
  });

  it('adds the language of a template that has only one, and shows it', async () => {
    const to = freshRecipient();
    const text = `{"messaging_product":"whatsapp","to":"${to}","type":"template","template": { "name":"spring_sale" }}`;
    const answer = await send(gateway, tenant, text);
    assert.equal(answer.status, 202, answer.text);
    assert.equal(await bodyUpstream(to), text.replace('"template": {', '"template": {"language":{"code":"en_US"},'));
    assert.equal((await readMessage(gateway, tenant, answer.json.messages[0].id)).content.language, 'en_US');
  });

  it('selects the given language among several of a name', async () => {
    const to = freshRecipient();
    const body = templateTo(to, 'greeting', { language: { code: 'de' } });
    const id = (await send(gateway, tenant, body)).json.messages[0].id;
    assert.equal((await readMessage(gateway, tenant, id)).content.language, 'de');
    assert.equal((await untilStatus(gateway, tenant, id, 'sent', 'delivered', 'read')).template_name, 'greeting');
  });

  it('accepts a language given as a plain string', async () => {
    const answer = await send(gateway, tenant, templateTo(freshRecipient(), 'greeting', { language: 'de' }));
    assert.equal(answer.status, 202, answer.text);
  });

  it('sends a template made elsewhere at its first use', async () => {
    const to = freshRecipient();
    gateway.simulator.world.addTemplate(tenant.wabaId, { name: 'made_elsewhere', language: 'en_US' });
    const answer = await send(gateway, tenant, templateTo(to, 'made_elsewhere'));
    assert.equal(answer.status, 202, answer.text);
    await bodyUpstream(to);
  });

  for (const prefix of ['/v1', '/v24.0', '/v19.0', '/v3', '']) {
    it(`serves the path under ${prefix || 'no version'}`, async () => {
      const answer = await call(gateway, tenant, 'POST', `${prefix}/${tenant.phoneNumberId}/messages`, {
        body: templateTo(freshRecipient()),
      });
      assert.equal(answer.status, 202, answer.text);
    });
  }

  it('treats a path with a trailing slash like the one without', async () => {
    const path = `/v24.0/${tenant.phoneNumberId}/messages/?sync=false`;
    const answer = await call(gateway, tenant, 'POST', path, { body: templateTo(freshRecipient()) });
    assert.equal(answer.status, 202, answer.text);
  });

  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/json; charset=latin1',
    'nonsense',
  ]) {
    it(`reads the body as JSON under Content-Type "${type}"`, async () => {
      const answer = await send(gateway, tenant, templateTo(freshRecipient()), { headers: { 'content-type': type } });
      assert.equal(answer.status, 202, answer.text);
    });
  }

  for (const query of ['?sync=false', '?sync=0', '?unheard_of=1', '?access_token=x&appsecret_proof=y']) {
    it(`queues under the query "${query}"`, async () => {
      const answer = await send(gateway, tenant, templateTo(freshRecipient()), { query });
      assert.equal(answer.status, 202, answer.text);
      assert.equal(answer.json.messages[0].message_status, 'queued');
    });
  }

  it('gives every message its own id and keeps messages to one person in one conversation', async () => {
    const [first, second] = [freshRecipient(), freshRecipient()];
    const ids = await Promise.all([first, first, second].map((to) => sendTemplate(gateway, tenant, to)));
    assert.equal(new Set(ids).size, 3);
    const [a, b, c] = await Promise.all(ids.map((id) => readMessage(gateway, tenant, id)));
    assert.equal(a.conversation_id, b.conversation_id);
    assert.notEqual(a.conversation_id, c.conversation_id);
  });

  it('keeps both spellings of one person in one conversation, and shows each as dialled', async () => {
    const [long, short] = ['5511900000001', '551100000001'];
    const ids = await Promise.all([long, short].map((digits) => sendTemplate(gateway, tenant, `+${digits}`)));
    const [a, b] = await Promise.all(ids.map((id) => readMessage(gateway, tenant, id)));
    assert.equal(a.conversation_id, b.conversation_id);
    assert.deepEqual([a.recipient_phone, b.recipient_phone], [long, short]);
  });
});
