import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { assertError } from '../../harness/assert-error.ts';
import { useGateway, useTenant } from '../../harness/fixtures.ts';
import { freshRecipient, send, templateTo, textTo } from '../../harness/tenant.ts';

const TO = '+15551230001';
const TYPES_WITH_OBJECTS = [
  'text',
  'template',
  'image',
  'video',
  'audio',
  'document',
  'sticker',
  'location',
  'interactive',
  'reaction',
];

/** Bodies that api-rules#errors refuses, with a word that the message must contain so that the caller finds the fault. */
const REFUSED: Record<string, { body: unknown; names: RegExp }> = {
  'without "to"': { body: { type: 'text', text: { body: 'x' } }, names: /"to"/ },
  'without "type"': { body: { to: TO, text: { body: 'x' } }, names: /"type"/ },
  'with an unsupported type': { body: { to: TO, type: 'poll', poll: {} }, names: /"type"/ },
  'with a type in another case': { body: { to: TO, type: 'Text', Text: { body: 'x' } }, names: /"type"/ },
  'with a type that is no string': { body: { to: TO, type: ['text'], text: { body: 'x' } }, names: /"type"/ },
  'with the name of an inherited property as type': { body: { to: TO, type: 'constructor' }, names: /"type"/ },
  'with type null': { body: { to: TO, type: null }, names: /"type"/ },
  'to a group': { body: { ...textTo(TO), recipient_type: 'group' }, names: /group/i },
  'with an unknown recipient_type': {
    body: { ...textTo(TO), recipient_type: 'INDIVIDUAL' },
    names: /"recipient_type"/,
  },
  'for another product': { body: { ...textTo(TO), messaging_product: 'WhatsApp' }, names: /"messaging_product"/ },
  'with messaging_product null': { body: { ...textTo(TO), messaging_product: null }, names: /"messaging_product"/ },
  'with an empty text': { body: textTo(TO, ''), names: /"text.body"/ },
  'with a text that is no string': { body: { ...textTo(TO), text: { body: 7 } }, names: /"text.body"/ },
  'without a text body': { body: { ...textTo(TO), text: {} }, names: /"text.body"/ },
  'with contacts that are an object': { body: { to: TO, type: 'contacts', contacts: {} }, names: /"contacts"/ },
  'with no contact in contacts': { body: { to: TO, type: 'contacts', contacts: [] }, names: /"contacts"/ },
  'with a context that is no object': { body: { ...textTo(TO), context: 'wamid.x' }, names: /"context"/ },
  'with a template without a name': { body: templateTo(TO, ''), names: /"template.name"/ },
  'with a template name that is no string': {
    body: { to: TO, type: 'template', template: { name: { toString: 'x' } } },
    names: /"template.name"/,
  },
  'with an empty language': { body: templateTo(TO, 'greeting', { language: '' }), names: /"template.language"/ },
  'with a language without code': { body: templateTo(TO, 'greeting', { language: {} }), names: /"template.language"/ },
  'with a language null': { body: templateTo(TO, 'greeting', { language: null }), names: /"template.language"/ },
  'with a language that is a list': {
    body: templateTo(TO, 'greeting', { language: ['de'] }),
    names: /"template.language"/,
  },
  'with a status other than read and no type': { body: { status: 'delivered', message_id: 'x' }, names: /"status"/ },
  'mark-as-read without message_id': { body: { status: 'read' }, names: /"message_id"/ },
  'mark-as-read with an empty message_id': { body: { status: 'read', message_id: '' }, names: /"message_id"/ },
  'mark-as-read for another product': {
    body: { status: 'read', message_id: 'x', messaging_product: 'sms' },
    names: /"messaging_product"/,
  },
};

const BAD_RECIPIENTS = [
  '',
  '+',
  '15551230001',
  ' +15551230001',
  '+15551230001 ',
  '++15551230001',
  '+05551230001',
  '+123456',
  '+1234567890123456',
  '+1555123000a',
  '+1555/1230001',
  '+1555\u00a01230001',
  '+١٥٥٥١٢٣٠٠٠١',
  '0015551230001',
  '+1555123\n0001',
  'whatsapp:+15551230001',
  15551230001,
  null,
  ['+15551230001'],
  { number: '+15551230001' },
  true,
];

const BAD_TEXTS: Record<string, string | Uint8Array> = {
  'an empty body': '',
  'white space': ' \n\t ',
  'text that is no JSON': 'to=%2B15551230001&type=text',
  'a truncated object': `{"to":"${TO}","type":"text"`,
  'a trailing comma': `{"to":"${TO}",}`,
  'single quotes': `{'to':'${TO}'}`,
  'a comment': `{/* x */"to":"${TO}"}`,
  'two documents': '{}{}',
  'a byte order mark': `\ufeff${JSON.stringify(textTo(TO))}`,
  'an array': JSON.stringify([textTo(TO)]),
  'a string': '"hello"',
  'a number': '1',
  null: 'null',
  NaN: `{"to":NaN}`,
  'a raw control character': `{"to":"${TO}","type":"text","text":{"body":"a\u0000b"}}`,
  'invalid UTF-8': Buffer.concat([
    Buffer.from(`{"to":"${TO}","type":"text","text":{"body":"`),
    Buffer.from([0xc3, 0x28]),
    Buffer.from('"}}'),
  ]),
  'UTF-16': Buffer.from(JSON.stringify(textTo(TO)), 'utf16le'),
  'nesting beyond 64 levels': `{"to":"${TO}","type":"text","text":{"body":"x"},"x":${'['.repeat(64)}${']'.repeat(64)}}`,
  'nesting 100,000 deep': `{"x":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
  'a key twice in the root': `{"to":"${TO}","to":"+15551230002","type":"text","text":{"body":"x"}}`,
  'a key twice, once escaped': `{"to":"${TO}","t\\u006f":"+15551230002","type":"text","text":{"body":"x"}}`,
  'a key twice in the text': `{"to":"${TO}","type":"text","text":{"body":"x","body":"y"}}`,
  'a key twice in the template': `{"to":"${TO}","type":"template","template":{"name":"greeting","name":"spring_sale"}}`,
  'a key twice in the language': `{"to":"${TO}","type":"template","template":{"name":"greeting","language":{"code":"de","code":"en_US"}}}`,
  'a key twice in what a medium is': `{"to":"${TO}","type":"image","image":{"id":"1","id":"2"}}`,
};

describe('a send that is refused with 400', () => {
  const gateway = useGateway();
  const tenant = useTenant(gateway);
  after(() => assert.equal(gateway.simulator.world.sends.total, 0, 'nothing of all this went upstream'));

  for (const [name, { body, names }] of Object.entries(REFUSED)) {
    it(`is refused ${name}`, async () => {
      const answer = await send(gateway, tenant, body);
      assertError(answer, 400, 'VALIDATION_ERROR', 100);
      assert.match(answer.json.message, names);
    });
  }

  for (const type of TYPES_WITH_OBJECTS) {
    for (const contents of [undefined, null, 'x', 7, true, [], [{}]]) {
      it(`refuses ${JSON.stringify(contents) ?? 'nothing'} as the object of type ${type}`, async () => {
        const answer = await send(gateway, tenant, { to: TO, type, [type]: contents });
        assertError(answer, 400, 'VALIDATION_ERROR', 100);
        assert.match(answer.json.message, new RegExp(`"${type}`));
      });
    }
  }

  for (const to of BAD_RECIPIENTS) {
    it(`refuses ${JSON.stringify(to)} as recipient`, async () => {
      const answer = await send(gateway, tenant, { ...templateTo(TO), to });
      assertError(answer, 400, 'VALIDATION_ERROR', 100);
      assert.match(answer.json.message, /"to"/);
    });
  }

  for (const [name, text] of Object.entries(BAD_TEXTS)) {
    it(`refuses ${name} as body`, async () => {
      assertError(await send(gateway, tenant, text), 400, 'VALIDATION_ERROR', 100);
    });
  }

  for (const query of ['?sync=yes', '?sync=', '?sync=TRUE', '?sync=2', '?sync', '?sync=true&sync=true']) {
    it(`refuses the query "${query}"`, async () => {
      assertError(await send(gateway, tenant, templateTo(TO), { query }), 400, 'VALIDATION_ERROR', 100);
    });
  }

  it('names the spelling of sync, because some clients write True', async () => {
    const answer = await send(gateway, tenant, templateTo(TO), { query: '?sync=True' });
    assertError(answer, 400, 'VALIDATION_ERROR', 100);
    assert.match(answer.json.message, /"sync" must be true or false, in small letters/);
  });

  it('lists the languages of a template with several if none is given', async () => {
    const { template, ...rest } = templateTo(freshRecipient(), 'greeting');
    const answer = await send(gateway, tenant, { ...rest, template: { name: template.name } });
    assertError(answer, 400, 'TEMPLATE_LANGUAGE_REQUIRED', 132001);
    assert.deepEqual(answer.json.available_languages.toSorted(), ['de', 'en_US']);
  });

  for (const [contentType, body] of [
    ['application/x-www-form-urlencoded', `messaging_product=whatsapp&to=%2B15551230001&type=text&text={"body":"x"}`],
    [
      'multipart/form-data; boundary=x',
      '--x\r\ncontent-disposition: form-data; name="to"\r\n\r\n+15551230001\r\n--x--\r\n',
    ],
  ] as const) {
    it(`a form in ${contentType}: named as a form`, async () => {
      const answer = await send(gateway, tenant, body, { headers: { 'content-type': contentType } });
      assertError(answer, 400, 'VALIDATION_ERROR', 100);
      assert.match(answer.json.message, /is a form; a JSON object is expected/);
    });
  }

  for (const [kind, body] of [
    ['a list of messages', [textTo(TO), textTo(TO)]],
    ['a message that was made JSON twice', JSON.stringify(textTo(TO))],
  ] as const) {
    it(`${kind}: refused as not an object, even if curl calls it a form`, async () => {
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      const answer = await send(gateway, tenant, JSON.stringify(body), { headers });
      assertError(answer, 400, 'VALIDATION_ERROR', 100);
      assert.equal(answer.json.message, 'The body must be a JSON object.');
    });
  }

  it('a compressed body: named as compressed', async () => {
    const body = gzipSync(JSON.stringify(textTo(TO)));
    const answer = await send(gateway, tenant, body, { headers: { 'content-encoding': 'gzip' } });
    assertError(answer, 400, 'VALIDATION_ERROR', 100);
    assert.match(answer.json.message, /is compressed; a JSON object is expected/);
  });

  it('does not quote an unreadable body', async () => {
    const answer = await send(gateway, tenant, '{"to":"+15551230001","secret":hunter2}');
    assertError(answer, 400, 'VALIDATION_ERROR');
    assert.ok(!answer.text.includes('hunter2'));
  });
});
