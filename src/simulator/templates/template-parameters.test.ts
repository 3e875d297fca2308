import assert from 'node:assert/strict';
import { test } from 'node:test';
import { check, link, userId, verdict } from '../../../test/support/message-samples.ts';
import type { JsonObject } from '../graph/json-object.ts';

const send = (name: string, components?: JsonObject[], language = 'en'): JsonObject => ({
  type: 'template',
  template: { name, language: { code: language }, ...(components === undefined ? {} : { components }) },
});
const values = (...texts: string[]) => ({ type: 'BODY', parameters: texts.map((text) => ({ type: 'text', text })) });

test('template: found by name and language, must be approved', () => {
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

test('template parameters: must match in number, kind and form', () => {
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
  const recipient = { to: undefined, recipient: userId };
  assert.equal(verdict({ ...send('otp', [values('482913'), url]), ...recipient }), 131062);
});

test('carousel cards and offers: filled in as created', () => {
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
