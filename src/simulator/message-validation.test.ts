import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GraphError } from './graph-errors.ts';
import type { JsonObject } from './json-object.ts';
import { type MessageContext, type ValidMessage, validateMessage } from './message-validation.ts';
import type { PhoneNumber, Template } from './records.ts';

const number: PhoneNumber = {
  id: 'n',
  wabaId: 'w',
  displayPhoneNumber: '+1 555 078 3881',
  verifiedName: 'Shop',
  status: 'CONNECTED',
  platformType: 'CLOUD_API',
  qualityRating: 'GREEN',
  throughputLevel: 'STANDARD',
  isOnBizApp: false,
  messagesPerSecond: null,
  countryDialCode: null,
  attributes: {},
};

const stored = (name: string, components: JsonObject[], changes: Partial<Template> = {}): Template => ({
  id: name,
  wabaId: 'w',
  name,
  language: 'en',
  category: 'UTILITY',
  status: 'APPROVED',
  components,
  parameterFormat: 'POSITIONAL',
  qualityScore: 'GREEN',
  rejectedReason: 'NONE',
  attributes: {},
  ...changes,
});

const templates = [
  stored('plain', [{ type: 'BODY', text: 'Hello.' }]),
  stored('two', [{ type: 'BODY', text: 'Hello {{1}}, order {{2}} is here.' }]),
  stored('named', [{ type: 'BODY', text: 'Hello {{first_name}}.' }], { parameterFormat: 'NAMED' }),
  stored('rich', [
    { type: 'HEADER', format: 'IMAGE' },
    { type: 'BODY', text: 'Hello {{1}}, welcome.' },
    {
      type: 'BUTTONS',
      buttons: [
        { type: 'URL', text: 'Track', url: 'https://example.com/{{1}}' },
        { type: 'QUICK_REPLY', text: 'Stop' },
      ],
    },
  ]),
  stored('otp', [{ type: 'BODY' }, { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'COPY_CODE' }] }], {
    category: 'AUTHENTICATION',
  }),
  stored('carousel', [
    { type: 'BODY', text: 'Offers.' },
    {
      type: 'CAROUSEL',
      cards: [1, 2].map(() => ({
        components: [
          { type: 'HEADER', format: 'IMAGE' },
          { type: 'BUTTONS', buttons: [{ type: 'QUICK_REPLY', text: 'This' }] },
        ],
      })),
    },
  ]),
  stored('offer', [
    { type: 'BODY', text: 'Buy.' },
    { type: 'LIMITED_TIME_OFFER', limited_time_offer: { text: 'Soon', has_expiration: true } },
  ]),
  stored('paused', [{ type: 'BODY', text: 'Hello.' }], { status: 'PAUSED' }),
  stored('disabled', [{ type: 'BODY', text: 'Hello.' }], { status: 'DISABLED' }),
  stored('pending', [{ type: 'BODY', text: 'Hello.' }], { status: 'PENDING' }),
];

const context: MessageContext = {
  number,
  phoneNumberId: 'n',
  directSendEnabled: false,
  findMedia: (id) =>
    new Map([
      ['photo', { mimeType: 'image/png', phoneNumberId: 'n' }],
      ['webp', { mimeType: 'image/webp', phoneNumberId: 'n' }],
      ['foreign', { mimeType: 'image/png', phoneNumberId: 'other' }],
    ]).get(id),
  findTemplate: (name, language) => templates.find((known) => known.name === name && known.language === language),
};

function validate(message: JsonObject, changes: Partial<MessageContext> = {}): ValidMessage {
  return validateMessage({ messaging_product: 'whatsapp', to: '+16505551234', ...message }, { ...context, ...changes });
}

/** The code a message is refused with, `later <code>` when it fails after acceptance, or `ok`. */
function verdict(message: JsonObject, changes?: Partial<MessageContext>): number | string {
  try {
    const { laterFailure } = validate(message, changes);
    return laterFailure === null ? 'ok' : `later ${laterFailure.code}`;
  } catch (error) {
    if (error instanceof GraphError) return error.code;
    throw error;
  }
}

function check(cases: [number | string, JsonObject][]): void {
  for (const [expected, message] of cases)
    assert.equal(verdict(message), expected, JSON.stringify(message).slice(0, 200));
}

const link = 'https://example.com/file';

test('the envelope is checked field by field', () => {
  const text = { type: 'text', text: { body: 'x' } };
  check([
    ['ok', text],
    ['ok', { text: { body: 'x' } }],
    ['ok', { ...text, unknown_field: 1 }],
    [100, { ...text, messaging_product: undefined }],
    [100, { ...text, messaging_product: 'telegram' }],
    [100, { ...text, recipient_type: 'group' }],
    [100, { ...text, to: undefined }],
    [131009, { ...text, to: '+12' }],
    [131021, { ...text, to: '+15550783881' }],
    [100, { type: 'carrier_pigeon' }],
    [131008, { type: 'text' }],
    ['ok', { ...text, context: { message_id: 'wamid.x' } }],
    [131008, { ...text, context: {} }],
    ['ok', { ...text, biz_opaque_callback_data: 'x'.repeat(512) }],
    [100, { ...text, biz_opaque_callback_data: 'x'.repeat(513) }],
    [100, { ...text, category: 'utility' }],
    [100, { ...text, ttl_seconds: 60 }],
  ]);
  assert.equal(validate({ ...text, category: 'utility' }, { directSendEnabled: true }).isDirectSend, true);
  const scoped = validate({ ...text, to: undefined, recipient: 'US.13491208655302741918' });
  assert.deepEqual(scoped.recipient, {
    input: 'US.13491208655302741918',
    waId: null,
    userId: 'US.13491208655302741918',
  });
});

test('texts are limited in characters, not in UTF-16 units', () => {
  check([
    ['ok', { type: 'text', text: { body: 'x'.repeat(4096) } }],
    ['ok', { type: 'text', text: { body: '👍'.repeat(4096) } }],
    [131009, { type: 'text', text: { body: 'x'.repeat(4097) } }],
    [131008, { type: 'text', text: { body: '' } }],
    [131009, { type: 'text', text: { body: 7 } }],
  ]);
});

test('media is named by exactly one of id and link', () => {
  check([
    ['ok', { type: 'image', image: { link, caption: 'x'.repeat(1024) } }],
    ['ok', { type: 'image', image: { id: 'photo' } }],
    ['ok', { type: 'document', document: { link, filename: 'a.pdf', caption: 'x' } }],
    ['ok', { type: 'audio', audio: { link, voice: true } }],
    ['ok', { type: 'sticker', sticker: { id: 'webp' } }],
    [131009, { type: 'image', image: { id: 'photo', link } }],
    [131008, { type: 'image', image: {} }],
    [131009, { type: 'image', image: { link: 'ftp://example.com/a' } }],
    [131009, { type: 'image', image: { link, caption: 'x'.repeat(1025) } }],
    [131009, { type: 'audio', audio: { link, caption: 'x' } }],
    [100, { type: 'image', image: { id: 'unknown' } }],
    [100, { type: 'image', image: { id: 'foreign' } }],
    ['later 131053', { type: 'image', image: { id: 'webp' } }],
    ['later 131053', { type: 'video', video: { link: 'https://host.invalid/a.mp4' } }],
  ]);
});

test('locations, contacts and reactions have their required parts', () => {
  check([
    ['ok', { type: 'location', location: { latitude: '52.37', longitude: 4.89, name: 'x' } }],
    [131008, { type: 'location', location: { latitude: 1 } }],
    [131009, { type: 'location', location: { latitude: 91, longitude: 0 } }],
    ['ok', { type: 'contacts', contacts: [{ name: { formatted_name: 'Ada' }, birthday: '1815-12-10' }] }],
    [131009, { type: 'contacts', contacts: [] }],
    [131008, { type: 'contacts', contacts: [{ name: {} }] }],
    [131009, { type: 'contacts', contacts: Array.from({ length: 258 }, () => ({ name: { formatted_name: 'x' } })) }],
    [131009, { type: 'contacts', contacts: [{ name: { formatted_name: 'Ada' }, birthday: '10.12.1815' }] }],
    ['ok', { type: 'reaction', reaction: { message_id: 'wamid.x', emoji: '👩‍👩‍👧' } }],
    ['ok', { type: 'reaction', reaction: { message_id: 'wamid.x', emoji: '' } }],
    [131009, { type: 'reaction', reaction: { message_id: 'wamid.x', emoji: '👍👍' } }],
    [131008, { type: 'reaction', reaction: { emoji: '👍' } }],
    [131009, { type: 'reaction', reaction: { message_id: 'x', emoji: '👍' }, context: { message_id: 'y' } }],
  ]);
});

const interactive = (content: JsonObject): JsonObject => ({
  type: 'interactive',
  interactive: { body: { text: 'Choose' }, ...content },
});
const reply = (id: string, title = `Button ${id}`) => ({ type: 'reply', reply: { id, title } });
const rows = (count: number, prefix = 'r') =>
  Array.from({ length: count }, (_, index) => ({ id: `${prefix}${index}`, title: `Row ${index}` }));

test('reply buttons: one to three, unique, titles up to 20', () => {
  const buttons = (...list: JsonObject[]) => interactive({ type: 'button', action: { buttons: list } });
  check([
    ['ok', buttons(reply('a'), reply('b'), reply('c'))],
    [131009, buttons()],
    [131009, buttons(reply('a'), reply('b'), reply('c'), reply('d'))],
    [131009, buttons(reply('a', 'x'.repeat(21)))],
    [131009, buttons(reply('a'.repeat(257)))],
    [131009, buttons(reply('a', 'Same'), reply('b', 'Same'))],
    [131009, buttons(reply('a', 'One'), reply('a', 'Two'))],
    [131008, buttons({ type: 'reply', reply: { id: 'a' } })],
    [131008, { type: 'interactive', interactive: { type: 'button', action: { buttons: [reply('a')] } } }],
    [131009, { ...interactive({ type: 'teleport', action: {} }) }],
  ]);
});

test('lists: up to ten rows in all, titles when there are several sections, text headers only', () => {
  const list = (sections: JsonObject[], more: JsonObject = {}) =>
    interactive({ type: 'list', action: { button: 'Open', sections }, ...more });
  check([
    ['ok', list([{ rows: rows(10) }])],
    ['ok', list([{ rows: rows(1) }], { header: { type: 'text', text: 'Menu' }, footer: { text: 'x'.repeat(60) } })],
    [
      131009,
      list([
        { title: 'A', rows: rows(6) },
        { title: 'B', rows: rows(5, 's') },
      ]),
    ],
    [131008, list([{ title: 'A', rows: rows(1) }, { rows: rows(1, 's') }])],
    [131009, list([{ rows: [{ id: 'a', title: 'x'.repeat(25) }] }])],
    [131009, list([{ rows: [{ id: 'a', title: 'x', description: 'x'.repeat(73) }] }])],
    [131009, list([{ rows: [...rows(1), ...rows(1)] }])],
    [131009, list([{ rows: rows(1) }], { header: { type: 'image', image: { link } } })],
    [131009, list([{ rows: rows(1) }], { footer: { text: 'x'.repeat(61) } })],
    [131009, list([])],
  ]);
});

test('the other interactive kinds are checked too', () => {
  const cta = { name: 'cta_url', parameters: { display_text: 'Shop', url: link } };
  const flow = { flow_message_version: '3', flow_id: '1', flow_cta: 'Go' };
  const card = (index: number, more: JsonObject = {}) => ({
    card_index: index,
    type: 'cta_url',
    header: { type: 'image', image: { link } },
    action: cta,
    ...more,
  });
  const carousel = (...cards: JsonObject[]) => interactive({ type: 'carousel', action: { cards } });
  const product = { catalog_id: 'c', product_retailer_id: 'p' };
  const products = (count: number) => Array.from({ length: count }, () => ({ product_retailer_id: 'p' }));
  const header = { type: 'text', text: 'Products' };
  check([
    ['ok', interactive({ type: 'cta_url', action: cta })],
    ['later 131053', interactive({ type: 'cta_url', header: { type: 'image', image: { id: 'webp' } }, action: cta })],
    [131009, interactive({ type: 'cta_url', action: { ...cta, parameters: { display_text: 'Shop', url: 'nope' } } })],
    ['ok', interactive({ type: 'flow', action: { name: 'flow', parameters: flow } })],
    [131009, interactive({ type: 'flow', action: { name: 'flow', parameters: { ...flow, flow_name: 'x' } } })],
    [
      131009,
      interactive({ type: 'flow', action: { name: 'flow', parameters: { ...flow, flow_message_version: '2' } } }),
    ],
    ['ok', { type: 'interactive', interactive: { type: 'product', action: product } }],
    [131009, interactive({ type: 'product', header, action: product })],
    [
      'ok',
      interactive({
        type: 'product_list',
        header,
        action: { catalog_id: 'c', sections: [{ product_items: products(30) }] },
      }),
    ],
    [
      131008,
      interactive({ type: 'product_list', action: { catalog_id: 'c', sections: [{ product_items: products(1) }] } }),
    ],
    ['ok', interactive({ type: 'catalog_message', action: { name: 'catalog_message' } })],
    ['ok', interactive({ type: 'location_request_message', action: { name: 'send_location' } })],
    [131009, interactive({ type: 'location_request_message', action: { name: 'send' } })],
    [
      'ok',
      interactive({ type: 'address_message', action: { name: 'address_message', parameters: { country: 'IN' } } }),
    ],
    ['ok', interactive({ type: 'call_permission_request', action: { name: 'call_permission_request' } })],
    ['ok', interactive({ type: 'voice_call', action: { name: 'voice_call', parameters: { ttl_minutes: 60 } } })],
    [131009, interactive({ type: 'voice_call', action: { name: 'voice_call', parameters: { ttl_minutes: 0 } } })],
    ['ok', interactive({ type: 'request_contact_info', action: { name: 'request_contact_info' } })],
    ['ok', carousel(card(0), card(1))],
    [131009, carousel(card(0))],
    [131009, carousel(card(0), card(0))],
    [131009, carousel(card(0), card(1, { type: 'product', header: undefined, action: product }))],
    [131009, carousel(card(0, { body: { text: 'x'.repeat(161) } }), card(1))],
  ]);
});

const send = (name: string, components?: JsonObject[], language = 'en'): JsonObject => ({
  type: 'template',
  template: { name, language: { code: language }, ...(components === undefined ? {} : { components }) },
});
const values = (...texts: string[]) => ({ type: 'BODY', parameters: texts.map((text) => ({ type: 'text', text })) });

test('a template is looked up by name and language, and must be approved', () => {
  check([
    ['ok', send('plain')],
    [132001, send('plain', [], 'de')],
    [132001, send('nobody')],
    [132001, send('pending')],
    [132015, send('paused')],
    [132016, send('disabled')],
    [131008, { type: 'template', template: { name: 'plain' } }],
    [131008, { type: 'template', template: { language: { code: 'en' } } }],
    [131009, { type: 'template', template: { name: 'plain', language: { code: 'en' }, components: {} } }],
  ]);
});

test('template parameters must match in number, kind and form', () => {
  const image = { type: 'header', parameters: [{ type: 'image', image: { id: 'photo' } }] };
  const url = { type: 'button', sub_type: 'URL', index: '0', parameters: [{ type: 'text', text: 'abc' }] };
  const quick = { type: 'button', sub_type: 'quick_reply', index: 1, parameters: [{ type: 'payload', payload: 'S' }] };
  check([
    ['ok', send('two', [values('a', 'b')])],
    [132000, send('two', [values('a')])],
    [132000, send('two')],
    [132000, send('plain', [values('a')])],
    [131008, send('two', [values('a', '')])],
    [132018, send('two', [values('a', 'b\nc')])],
    [132018, send('two', [values('a', 'b     c')])],
    [132005, send('two', [values('a', 'x'.repeat(1024))])],
    ['ok', send('named', [{ type: 'body', parameters: [{ type: 'text', parameter_name: 'first_name', text: 'A' }] }])],
    [132012, send('named', [values('A')])],
    ['ok', send('rich', [image, values('A'), url, quick])],
    ['ok', send('rich', [image, values('A'), url])],
    [131008, send('rich', [image, values('A')])],
    [132000, send('rich', [values('A'), url])],
    [132012, send('rich', [{ type: 'header', parameters: [{ type: 'text', text: 'x' }] }, values('A'), url])],
    [132012, send('rich', [image, values('A'), { ...url, index: '7' }])],
    [132012, send('rich', [image, values('A'), { ...url, sub_type: 'quick_reply' }])],
    [132012, send('plain', [url])],
    ['ok', send('otp', [values('482913'), { ...url, parameters: [{ type: 'text', text: '482913' }] }])],
    [131008, send('otp', [values('482913')])],
    [132012, send('otp', [values('1234567890123456'), url])],
  ]);
  const recipient = { to: undefined, recipient: 'US.1' };
  assert.equal(verdict({ ...send('otp', [values('482913'), url]), ...recipient }), 131062);
});

test('carousel cards and offers are filled in as created', () => {
  const card = (index: number) => ({
    card_index: index,
    components: [{ type: 'header', parameters: [{ type: 'image', image: { link } }] }],
  });
  const offer = { type: 'limited_time_offer', limited_time_offer: { expiration_time_ms: 1_900_000_000_000 } };
  check([
    ['ok', send('carousel', [{ type: 'carousel', cards: [card(0), card(1)] }])],
    [132000, send('carousel', [{ type: 'carousel', cards: [card(0)] }])],
    [132000, send('carousel')],
    ['ok', send('offer', [{ type: 'limited_time_offer', parameters: [offer] }])],
    [132012, send('offer')],
  ]);
});
