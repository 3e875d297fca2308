import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Event, MessageFacts } from '../event.ts';
import { FIRST_POSITION } from '../event-cursor.ts';
import { renderEvent } from './render-event.ts';
import { renderUpstreamPayload } from './render-upstream-payload.ts';

const AT = Date.UTC(2026, 10, 2, 10, 0, 2);

function event(type: Event['type'], extra: Partial<Event> = {}): Event {
  return {
    id: `evt_${'0'.repeat(36)}`,
    organizationId: '0199c0de-0000-7000-8000-000000000009',
    type,
    sequence: 3,
    occurredAtMs: AT,
    wabaId: '700000000000001',
    number: {
      numberId: 1,
      phoneNumberId: '800000000000001',
      accountId: '0199c0de-0000-7000-8000-000000000001',
      phoneNumber: '15550001111',
    },
    message: null,
    detail: null,
    upstreamField: null,
    upstreamValue: null,
    position: FIRST_POSITION,
    ...extra,
  };
}

function message(extra: Partial<MessageFacts> = {}): MessageFacts {
  return {
    messageId: '0199c0de-7a3b-7c1d-9e5f-2b8a4d6c1e30',
    direction: 'outbound',
    origin: 'api',
    groupId: null,
    messageType: 'text',
    contact: '15551230001',
    person: null,
    userId: null,
    templateName: null,
    templateLanguage: null,
    callbackData: null,
    wamid: 'wamid.A',
    upstreamStatus: null,
    category: 'service',
    pricingType: null,
    errorCode: null,
    errorMessage: null,
    inboundMessage: null,
    ...extra,
  };
}

const valueIn = (told: Event) => JSON.parse(renderUpstreamPayload(told) ?? 'null')?.entry[0].changes[0].value;

describe('the payload of an event', () => {
  it('same event → same text, with callback data as given', () => {
    const callbackData = '{"a":1.0, "ü":"\\u00fc"}\n';
    const told = event('message.sent', { message: message({ callbackData }) });
    assert.equal(renderEvent(told), renderEvent(structuredClone(told)));
    const payload = JSON.parse(renderEvent(told));
    assert.equal(payload.data.biz_opaque_callback_data, callbackData);
    assert.deepEqual(Object.keys(payload), ['type', 'timestamp', 'data']);
    assert.equal(payload.timestamp, '2026-11-02T10:00:02.000Z');
  });

  it('absent fields → left out; error codes only in failures', () => {
    const sent = JSON.parse(renderEvent(event('message.sent', { message: message({ errorCode: '1' }) }))).data;
    for (const name of ['template_name', 'biz_opaque_callback_data', 'error_code', 'message', 'contact']) {
      assert.ok(!(name in sent), name);
    }
    const failed = JSON.parse(renderEvent(event('message.failed', { message: message({ errorCode: '131026' }) }))).data;
    assert.equal(failed.error_code, '131026');
    assert.equal(failed.error_message, null);
  });

  it('upstream values → exact text, to the last digit', () => {
    const inboundMessage = '{ "id":"wamid.B", "order":{"price":1.10,"n":12345678901234567890} }';
    const contact = '{"profile":{"name":"\\u0041da"}}';
    const told = event('message.received', {
      message: message({ direction: 'inbound', inboundMessage }),
      upstreamField: 'messages',
      upstreamValue: `{"contacts":[${contact}]}`,
    });
    assert.ok(renderEvent(told).includes(`"message":${inboundMessage}`));
    assert.ok(renderEvent(told).includes(`"contact":${contact}`));
    assert.ok(renderUpstreamPayload(told)?.includes(`"messages":[${inboundMessage}]`));
    const bare = renderUpstreamPayload({ ...told, upstreamValue: '{ }' }) ?? '';
    assert.deepEqual(JSON.parse(bare).entry[0].changes[0].value.messages, [JSON.parse(inboundMessage)]);
    const other = event('upstream.other', {
      number: null,
      detail: '{}',
      upstreamField: 'new',
      upstreamValue: '{ "n":1.0 }',
    });
    assert.ok(renderEvent(other).includes('"field":"new","value":{ "n":1.0 }'));
  });

  it('event not about a message → its detail with account and number', () => {
    const told = event('number.updated', {
      detail: '{"event":"THROUGHPUT_UPGRADE"}',
      upstreamField: 'f',
      upstreamValue: '{}',
    });
    assert.deepEqual(JSON.parse(renderEvent(told)).data, {
      waba_id: '700000000000001',
      phone_number_id: '800000000000001',
      event: 'THROUGHPUT_UPGRADE',
    });
    const bare = event('webhook.test', { wabaId: null, number: null, detail: '{}' });
    assert.deepEqual(JSON.parse(renderEvent(bare)).data, {});
  });
});

describe("an event in the upstream's own shape", () => {
  it('status → word for word in the common frame', () => {
    const upstreamValue =
      '{"contacts":[{"wa_id":"15551230001"}],"statuses":[{"id":"wamid.A","status":"delivered","n":1.0}]}';
    const told = event('message.delivered', { message: message(), upstreamField: 'messages', upstreamValue });
    const text = renderUpstreamPayload(told) ?? '';
    assert.ok(text.includes(upstreamValue.slice(1, -1)), text);
    assert.deepEqual(valueIn(told).metadata, {
      display_phone_number: '15550001111',
      phone_number_id: '800000000000001',
    });
    assert.equal(JSON.parse(text).object, 'whatsapp_business_account');
    assert.equal(JSON.parse(text).entry[0].id, '700000000000001');
  });

  it('gateway ids requested → id from the answer to the send', () => {
    const upstreamValue = '{"statuses":[{ "id" : "wamid.A","status":"delivered","n":1.0}]}';
    const told = event('message.delivered', { message: message(), upstreamField: 'messages', upstreamValue });
    const { messageId } = message();
    const renamed = `[{"wamid":"wamid.A", "id" : "${messageId}","status":"delivered","n":1.0}]`;
    assert.ok(renderUpstreamPayload(told, 'gateway')?.includes(renamed));
    for (const wamid of ['wamid.A', null]) {
      const text = renderUpstreamPayload(event('message.sent', { message: message({ wamid }) }), 'gateway') ?? '';
      const [status] = JSON.parse(text).entry[0].changes[0].value.statuses;
      assert.deepEqual([status.id, status.wamid ?? null], [messageId, wamid]);
    }
  });

  it('fact from the answer to a send → rendered in webhook shape', () => {
    const sent = valueIn(event('message.sent', { message: message({ callbackData: 'x' }) }));
    assert.deepEqual(sent.statuses, [
      {
        id: 'wamid.A',
        status: 'sent',
        timestamp: String(AT / 1000),
        recipient_id: '15551230001',
        biz_opaque_callback_data: 'x',
      },
    ]);
    const expired = message({ wamid: null, errorCode: 'EXPIRED', errorMessage: 'Too late.' });
    const [failed] = valueIn(event('message.failed', { message: expired })).statuses;
    assert.equal(failed.id, expired.messageId);
    assert.equal(failed.errors[0].code, 131000);
    assert.equal(failed.errors[0].error_data.details, 'Too late.');
  });

  it('template change found by a reading → rendered in webhook shape', () => {
    const changeOf = (type: Event['type'], members: Record<string, unknown>) => {
      const detail = JSON.stringify({
        template_id: '12345678901234567890',
        name: 'sale',
        language: 'en_US',
        ...members,
      });
      const text = renderUpstreamPayload(event(type, { number: null, detail })) ?? '';
      assert.ok(text.includes('"message_template_id":12345678901234567890,'), text);
      const [{ id, time, changes }] = JSON.parse(text).entry;
      assert.deepEqual([id, time], ['700000000000001', AT / 1000]);
      const { message_template_id, message_template_name, message_template_language, ...value } = changes[0].value;
      assert.deepEqual([message_template_name, message_template_language], ['sale', 'en-US']);
      return [changes[0].field, value];
    };
    const paused = { status: 'PAUSED', previous_status: 'APPROVED', reason: null };
    assert.deepEqual(changeOf('template.status_updated', paused), [
      'message_template_status_update',
      { event: 'PAUSED', reason: null },
    ]);
    const moved = { category: 'MARKETING', previous_category: 'UTILITY' };
    assert.deepEqual(changeOf('template.category_updated', moved), [
      'template_category_update',
      { previous_category: 'UTILITY', new_category: 'MARKETING' },
    ]);
    const rated = { quality_score: 'YELLOW', previous_quality_score: null };
    assert.deepEqual(changeOf('template.quality_updated', rated), [
      'message_template_quality_update',
      { previous_quality_score: 'UNKNOWN', new_quality_score: 'YELLOW' },
    ]);
  });

  it('no upstream webhook for the event → undefined', () => {
    assert.equal(renderUpstreamPayload(event('message.queued', { message: message({ wamid: null }) })), undefined);
    assert.equal(
      renderUpstreamPayload(event('webhook.disabled', { wabaId: null, number: null, detail: '{}' })),
      undefined,
    );
  });

  it('account event → its own field, with its time', () => {
    const told = event('account.updated', {
      number: null,
      detail: '{}',
      upstreamField: 'account_update',
      upstreamValue: '{"event":"X"}',
    });
    const [entry] = JSON.parse(renderUpstreamPayload(told) ?? '').entry;
    assert.deepEqual(entry, {
      id: '700000000000001',
      time: AT / 1000,
      changes: [{ value: { event: 'X' }, field: 'account_update' }],
    });
  });
});
