import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { untilSettled } from '../../harness/events.ts';
import { useGateway, useTenant } from '../../harness/fixtures.ts';
import {
  admin,
  call,
  createTenant,
  freshRecipient,
  readMessage,
  send,
  sendNow,
  until,
  untilStatus,
} from '../../harness/tenant.ts';
import {
  freshWamid,
  inboundText,
  messagesChange,
  nowSeconds,
  payloadOf,
  postChange,
  postWebhook,
  statusOf,
} from '../../harness/upstream-webhook.ts';

type Word = 'sent' | 'delivered' | 'read' | 'failed';
const WORDS: readonly Word[] = ['sent', 'delivered', 'read', 'failed'];
const ERRORS = [
  { code: 131026, title: 'Undeliverable', message: 'Undeliverable', error_data: { details: 'No such user' } },
];

function permutations<T>(list: readonly T[]): T[][] {
  if (list.length <= 1) return [[...list]];
  return list.flatMap((first, index) => permutations(list.toSpliced(index, 1)).map((rest) => [first, ...rest]));
}

describe('statuses of a webhook', () => {
  /** Unix seconds after every message here was sent. */
  const at = nowSeconds() + 60;
  const atOf: Record<Word, number> = { sent: at, delivered: at + 1, read: at + 2, failed: at + 3 };
  const gateway = useGateway({ postsOwnWebhooks: true, simulator: { limits: 'off' } });
  const tenant = useTenant(gateway, { number: { throughputLevel: 'HIGH' } });
  const other = useTenant(gateway);

  const sentMessage = async (sender = tenant, name = 'spring_sale') => {
    const to = freshRecipient();
    return { ...(await sendNow(gateway, sender, to, name)), to };
  };
  const status = (wamid: string, word: Word, extra: Record<string, unknown> = {}) =>
    statusOf(wamid, word, atOf[word], { ...(word === 'failed' && { errors: ERRORS }), ...extra });
  const tell = (statuses: unknown[], receiver = tenant) => postChange(gateway, receiver, { statuses });
  const iso = (seconds: number) => new Date(seconds * 1000).toISOString();
  const historyOf = async (id: string) => {
    const [row] = await gateway.app.db.query<{ history: { told: number }[] | null }>({
      text: 'SELECT history FROM message WHERE id = $1',
      values: [id],
    });
    return row?.history ?? [];
  };

  for (const order of permutations(WORDS)) {
    const failedFirst = order.indexOf('failed') < Math.min(order.indexOf('delivered'), order.indexOf('read'));
    it(`in the order ${order.join(', ')}: end as ${failedFirst ? 'failed' : 'read'}`, async () => {
      const { id, wamid } = await sentMessage();
      for (const word of order) await tell([status(wamid, word)]);
      const message = await readMessage(gateway, tenant, id);
      if (failedFirst) {
        assert.partialDeepStrictEqual(message, {
          status: 'failed',
          error_code: '131026',
          error_message: 'No such user',
          delivered_at: null,
          read_at: null,
        });
      } else {
        assert.partialDeepStrictEqual(message, {
          status: 'read',
          delivered_at: iso(atOf.delivered),
          read_at: iso(atOf.read),
        });
        assert.equal('error_code' in message, false);
      }
      const history = await historyOf(id);
      assert.ok(history.length > 0, 'what contradicts the result is kept');
      for (const word of order) await tell([status(wamid, word)]);
      assert.deepEqual(await readMessage(gateway, tenant, id), message, 'telling it again changes nothing');
      assert.deepEqual(await historyOf(id), history, 'nor is it kept twice');
    });
  }

  it('in one payload in any order: same end; a delivered message did not fail', async () => {
    for (const order of permutations(WORDS)) {
      const { id, wamid } = await sentMessage();
      await tell(order.map((word) => status(wamid, word)));
      const message = await readMessage(gateway, tenant, id);
      assert.equal(message.status, 'read', order.join());
      assert.equal(message.delivered_at, iso(atOf.delivered));
      await tell(order.map((word) => status(wamid, word)));
      await tell(order.map((word) => status(wamid, word, { note: 'told again' })));
      assert.equal((await historyOf(id)).length, 1, 'what contradicts is kept once');
    }
  });

  for (const order of permutations<Word>(['sent', 'delivered', 'read'])) {
    it(`in the order ${order.join(', ')}: end as read with every time`, async () => {
      const { id, wamid } = await sentMessage();
      for (const word of order) await tell([status(wamid, word)]);
      assert.partialDeepStrictEqual(await readMessage(gateway, tenant, id), {
        status: 'read',
        delivered_at: iso(atOf.delivered),
        read_at: iso(atOf.read),
      });
      assert.deepEqual(await historyOf(id), []);
    });
  }

  it('"read" alone: implies the delivery; an earlier delivery reported later corrects it', async () => {
    const { id, wamid } = await sentMessage();
    await tell([status(wamid, 'read')]);
    assert.equal((await readMessage(gateway, tenant, id)).delivered_at, iso(atOf.read));
    await tell([status(wamid, 'delivered')]);
    assert.equal((await readMessage(gateway, tenant, id)).delivered_at, iso(atOf.delivered));
  });

  it('repeated: change nothing, and count once', async () => {
    const receiver = await createTenant(gateway);
    const { id, wamid } = await sentMessage(receiver);
    await tell([status(wamid, 'sent'), status(wamid, 'delivered')], receiver);
    const before = await readMessage(gateway, receiver, id);
    for (let round = 1; round <= 3; round += 1) {
      await tell([statusOf(wamid, 'delivered', atOf.delivered + round), status(wamid, 'sent')], receiver);
    }
    assert.deepEqual(await readMessage(gateway, receiver, id), before);
    const usage = await admin(gateway, 'GET', `/organizations/${receiver.organizationId}/usage`);
    assert.partialDeepStrictEqual(usage, { accepted: 1, sent: 1, delivered: 1, failed: 0 });
  });

  it('keep each time at its earliest', async () => {
    const { id, wamid } = await sentMessage();
    for (const seconds of [at + 9, at + 4, at + 7]) await tell([statusOf(wamid, 'delivered', seconds)]);
    assert.equal((await readMessage(gateway, tenant, id)).delivered_at, iso(at + 4));
    await tell([statusOf(wamid, 'sent', at - 3_600)]);
    assert.equal((await readMessage(gateway, tenant, id)).sent_at, iso(at - 3_600));
  });

  it('"played": the voice message was read', async () => {
    const { id, wamid } = await sentMessage();
    await tell([statusOf(wamid, 'played', at)]);
    assert.equal((await readMessage(gateway, tenant, id)).status, 'read');
  });

  it("override category and pricing; the month's usage follows", async () => {
    const receiver = await createTenant(gateway);
    const { id, wamid } = await sentMessage(receiver, 'greeting');
    const usage = () => admin(gateway, 'GET', `/organizations/${receiver.organizationId}/usage`);
    assert.partialDeepStrictEqual(await usage(), { by_category: { utility: 1 }, by_pricing: {} });
    const pricing = { billable: true, pricing_model: 'PMP', type: 'regular', category: 'marketing' };
    await tell([status(wamid, 'sent', { pricing })], receiver);
    assert.partialDeepStrictEqual(await readMessage(gateway, receiver, id), {
      conversation_category: 'marketing',
      pricing_type: 'regular',
    });
    const after = await admin<Record<'by_category' | 'by_pricing', Record<string, number>> & { delivered: number }>(
      gateway,
      'GET',
      `/organizations/${receiver.organizationId}/usage`,
    );
    assert.equal(after.delivered, 0);
    assert.deepEqual(after.by_category, { marketing: 1 });
    assert.deepEqual(after.by_pricing, { regular: 1 });
    await tell([status(wamid, 'delivered')], receiver);
    assert.equal(
      (await readMessage(gateway, receiver, id)).conversation_category,
      'marketing',
      'a status without pricing changes none',
    );
    await tell([status(wamid, 'read', { pricing: { ...pricing, type: 'free_customer_service' } })], receiver);
    assert.equal((await readMessage(gateway, receiver, id)).pricing_type, 'free_customer_service');
    assert.partialDeepStrictEqual(await usage(), { by_pricing: { free_customer_service: 1 } });
  });

  it('several entries and changes in a payload: all applied, together with its messages', async () => {
    const [a, b, c] = [await sentMessage(), await sentMessage(other), await sentMessage()];
    const from = freshRecipient().slice(1);
    const payload = {
      object: 'whatsapp_business_account',
      entry: [
        {
          id: tenant.wabaId,
          changes: [
            messagesChange(tenant, { statuses: [status(a.wamid, 'delivered'), status(a.wamid, 'sent')] }),
            messagesChange(tenant, { statuses: [status(c.wamid, 'failed')], messages: [inboundText(from, at - 60)] }),
          ],
        },
        { id: other.wabaId, changes: [messagesChange(other, { statuses: [status(b.wamid, 'read')] })] },
      ],
    };
    assert.equal((await postWebhook(gateway, payload)).status, 200);
    assert.equal((await readMessage(gateway, tenant, a.id)).status, 'delivered');
    assert.equal((await readMessage(gateway, other, b.id)).status, 'read');
    assert.equal((await readMessage(gateway, tenant, c.id)).status, 'failed');
    const text = { to: `+${from}`, type: 'text', text: { body: 'Yes' } };
    assert.equal((await send(gateway, tenant, text)).status, 202);
  });

  it('are applied beside unreadable ones', async () => {
    const { id, wamid } = await sentMessage();
    const junk = [
      null,
      7,
      'sent',
      [],
      {},
      { id: wamid },
      { id: wamid, status: 'delivered' },
      { id: wamid, status: 'delivered', timestamp: 'soon' },
      { id: wamid, status: 'delivered', timestamp: '99999999999999' },
      { id: wamid, status: 'teleported', timestamp: String(at) },
      { id: 7, status: 'read', timestamp: String(at) },
      { id: '', status: 'read', timestamp: String(at) },
      { ...status(freshWamid(), 'failed'), errors: 'many' },
      { ...status(freshWamid(), 'sent'), pricing: [], conversation: 7, recipient_id: { a: 1 } },
    ];
    await tell([...junk, status(wamid, 'delivered'), ...junk]);
    assert.equal((await readMessage(gateway, tenant, id)).status, 'delivered');
  });

  it('are applied beside one that cannot be stored', async () => {
    const [bad, good] = [await sentMessage(), await sentMessage()];
    // Longer than an index entry may be, and not compressible.
    const category = Array.from({ length: 4000 }, (_, index) =>
      String.fromCodePoint(0x4e00 + ((index * 7919) % 20_000)),
    ).join('');
    await tell([
      status(bad.wamid, 'delivered', { pricing: { category, type: 'regular' } }),
      status(good.wamid, 'delivered'),
    ]);
    await untilStatus(gateway, tenant, good.id, 'delivered');
    await until('the payload is marked with what failed', async () => {
      const rows = await gateway.app.db.query({
        text: 'SELECT 1 FROM upstream_journal WHERE NOT pending AND failure IS NOT NULL AND position($1 IN payload) > 0',
        values: [Buffer.from(bad.wamid)],
      });
      return rows.length > 0 ? true : undefined;
    });
  });

  for (const [what, errors, code, message] of [
    ['none at all', undefined, '131000', 'The upstream platform gave no reason.'],
    ['an empty list', [], '131000', 'The upstream platform gave no reason.'],
    ['a code alone', [{ code: 131026 }], '131026', 'The upstream platform gave no reason.'],
    ['a code that is none', [{ code: {}, title: 'Undeliverable' }], '131000', 'Undeliverable'],
  ] as const) {
    it(`a failure with ${what}: the message still gets a code and a text`, async () => {
      const { id, wamid } = await sentMessage();
      await tell([status(wamid, 'failed', { errors })]);
      const failed = await readMessage(gateway, tenant, id);
      assert.partialDeepStrictEqual(failed, { status: 'failed', error_code: code, error_message: message });
    });
  }

  it('survive a NUL in any text', async () => {
    const { id, wamid } = await sentMessage();
    const errors = [{ code: 131026, message: 'a\u0000b', error_data: { details: 'No\u0000user' } }];
    await tell([
      status(wamid, 'failed', {
        errors,
        biz_opaque_callback_data: 'x\u0000',
        pricing: { category: 'u\u0000', type: '\u0000' },
      }),
    ]);
    assert.equal((await readMessage(gateway, tenant, id)).status, 'failed');
  });

  it('a foreign number or a foreign wamid: change nothing', async () => {
    const { id, wamid } = await sentMessage();
    await tell([status(wamid, 'read')], other);
    const unknown = { ...tenant, phoneNumberId: '899999999999999', wabaId: '799999999999999' };
    await tell([status(wamid, 'read')], unknown);
    assert.equal((await readMessage(gateway, tenant, id)).status, 'sent');
    const told = [unknown, tenant].map((owner) => messagesChange(owner, { statuses: [status(wamid, 'delivered')] }));
    assert.equal((await postWebhook(gateway, payloadOf(tenant, ...told))).status, 200);
    assert.equal((await readMessage(gateway, tenant, id)).status, 'delivered');
  });

  it("a person's own message: change, report and count nothing", async () => {
    const person = await createTenant(gateway);
    const message = inboundText(freshRecipient().slice(1), at);
    const inbound = payloadOf(person, messagesChange(person, { messages: [message] }));
    assert.equal((await postWebhook(gateway, inbound)).status, 200);
    const usage = () => admin(gateway, 'GET', `/organizations/${person.organizationId}/usage`);
    const look = async () => {
      // Events are readable up to the oldest open transaction.
      await untilSettled(gateway.app.db);
      return {
        list: (await call(gateway, person, 'GET', '/v1/messages')).json.data,
        events: (await call(gateway, person, 'GET', '/v1/events')).json.data,
        usage: await usage(),
      };
    };
    const before = await look();
    await tell(
      WORDS.map((word) => status(String(message.id), word, { pricing: { category: 'utility', type: 'regular' } })),
      person,
    );
    assert.deepEqual(await look(), before);
    assert.deepEqual([before.list.length, before.list[0].status, before.events.length], [1, 'received', 1]);
  });

  it('are stored as received, unknown fields included', async () => {
    const { wamid } = await sentMessage();
    const text = JSON.stringify(
      payloadOf(
        tenant,
        messagesChange(tenant, { statuses: [status(wamid, 'sent', { brand_new: { n: 1 } })], another: [1] }),
      ),
    ).replace('"n":1', '"n" : 12345678901234567890');
    assert.equal((await postWebhook(gateway, text)).status, 200);
    const rows = await gateway.app.db.query<{ payload: Buffer }>({
      text: 'SELECT payload FROM upstream_journal WHERE position($1 IN payload) > 0',
      values: [Buffer.from(wamid)],
    });
    assert.deepEqual(
      rows.map((row) => row.payload.toString()),
      [text],
    );
  });
});
