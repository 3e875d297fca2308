import assert from 'node:assert/strict';
import { test } from 'node:test';
import { check, link, userId, validate, verdict } from '../../../test/support/message-samples.ts';

test('envelope: checked field by field', () => {
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
});

test('recipients: by phone, by user id, by both; unknown user ids → 131009', () => {
  const text = { type: 'text', text: { body: 'x' } };
  const kindOf = (names: { to?: unknown; recipient?: unknown }) => validate({ ...text, ...names }).recipient.kind;
  assert.equal(kindOf({ to: undefined, recipient: userId }), 'user_id');
  assert.equal(kindOf({ recipient: userId }), 'phone');
  assert.equal(kindOf({ to: userId }), 'lost');
  for (const recipient of ['US.13491208655302741918', 'Ada', '']) {
    assert.equal(verdict({ ...text, to: undefined, recipient }), 131009, recipient);
  }
});

test('authentication to a user id → 131062, as a template or a Direct Send', () => {
  const direct = { type: 'text', text: { body: 'x' }, category: 'authentication', to: undefined, recipient: userId };
  assert.equal(verdict(direct, { directSendEnabled: true }), 131062);
  assert.equal(verdict({ ...direct, category: 'utility' }, { directSendEnabled: true }), 'ok');
});

test('a Direct Send: ttl_seconds within the range of its category → taken, otherwise → 100', () => {
  const direct = (category: string, ttl_seconds: unknown) => () =>
    validate({ type: 'text', text: { body: 'hi' }, category, ttl_seconds }, { directSendEnabled: true });
  for (const [category, ttl] of [
    ['utility', 30],
    ['utility', 43_200],
    ['authentication', 900],
  ] as const) {
    assert.equal(direct(category, ttl)().isDirectSend, true);
  }
  for (const [category, ttl] of [
    ['utility', 29],
    ['utility', 43_201],
    ['authentication', 901],
    ['utility', '60'],
  ] as const) {
    assert.throws(direct(category, ttl), /ttl_seconds must be/);
  }
});

test('texts: limited in characters, not in UTF-16 units', () => {
  check([
    ['ok', { type: 'text', text: { body: 'x'.repeat(4096) } }],
    ['ok', { type: 'text', text: { body: '👍'.repeat(4096) } }],
    [131009, { type: 'text', text: { body: 'x'.repeat(4097) } }],
    [131008, { type: 'text', text: { body: '' } }],
    [131009, { type: 'text', text: { body: 7 } }],
  ]);
});

test('media: exactly one of id and link', () => {
  check([
    ['ok', { type: 'image', image: { link, caption: 'x'.repeat(1024) } }],
    ['ok', { type: 'image', image: { id: 'photo' } }],
    ['ok', { type: 'document', document: { link, filename: 'a.pdf', caption: 'x' } }],
    ['ok', { type: 'audio', audio: { link, voice: true } }],
    ['ok', { type: 'audio', audio: { id: 'ogg' } }],
    ['ok', { type: 'sticker', sticker: { id: 'webp' } }],
    [131009, { type: 'image', image: { id: 'photo', link } }],
    [131008, { type: 'image', image: {} }],
    [131009, { type: 'image', image: { link: 'ftp://example.com/a' } }],
    [131009, { type: 'image', image: { link, caption: 'x'.repeat(1025) } }],
    [131009, { type: 'audio', audio: { link, caption: 'x' } }],
    [100, { type: 'image', image: { id: 'unknown' } }],
    [100, { type: 'image', image: { id: 'foreign' } }],
    ['later 131053', { type: 'image', image: { id: 'webp' } }],
    ['later 131053', { type: 'audio', audio: { id: 'opus' } }],
    ['later 131053', { type: 'video', video: { link: 'https://host.invalid/a.mp4' } }],
  ]);
});

test('locations, contacts and reactions: required parts', () => {
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
