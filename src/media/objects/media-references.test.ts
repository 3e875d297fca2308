import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listMediaIds } from './media-references.ts';

test('media ids: media message → the id in its own object', () => {
  for (const type of ['image', 'video', 'audio', 'document', 'sticker']) {
    assert.deepEqual(listMediaIds(type, { type, [type]: { id: '123' } }), ['123']);
    assert.deepEqual(listMediaIds(type, { type, [type]: { id: 1037543291543636 } }), ['1037543291543636']);
    assert.deepEqual(listMediaIds(type, { type, [type]: { link: 'https://example.com/a.png' } }), []);
  }
});

test('media ids: template → ids in parameters of its components and cards', () => {
  const header = (kind: string, id: string) => ({ type: 'header', parameters: [{ type: kind, [kind]: { id } }] });
  const body = { type: 'body', parameters: [{ type: 'text', text: '7' }] };
  const carousel = {
    type: 'carousel',
    cards: [
      { card_index: 0, components: [header('image', '1'), body] },
      { card_index: 1, components: [header('video', '2'), header('image', '1')] },
    ],
  };
  const template = { name: 'x', components: [header('document', '3'), body, carousel] };
  assert.deepEqual(listMediaIds('template', { template }), ['3', '1', '2']);
  assert.deepEqual(listMediaIds('template', { template: { name: 'x' } }), []);
});

test('media ids: interactive message → ids in its header and those of its cards', () => {
  const interactive = {
    type: 'carousel',
    header: { type: 'image', image: { id: '1' } },
    action: { cards: [{ header: { type: 'video', video: { id: '2' } } }, { header: { type: 'text', text: 'x' } }] },
  };
  assert.deepEqual(listMediaIds('interactive', { interactive }), ['1', '2']);
});

test('media ids: other types, other places or impossible ids → none', () => {
  assert.deepEqual(listMediaIds('text', { text: { body: 'x' }, image: { id: '1' } }), []);
  assert.deepEqual(listMediaIds('location', { location: { id: '1' } }), []);
  for (const id of ['', ' ', '1\u0000', '\ud800', 'x'.repeat(65), 1.5, 1e300, null, true, {}, ['1'], undefined]) {
    assert.deepEqual(listMediaIds('image', { image: { id } }), [], JSON.stringify(id));
  }
  for (const template of [null, [], 'x', { components: 'x' }, { components: [null, 1, { parameters: {} }] }]) {
    assert.deepEqual(listMediaIds('template', { template }), []);
  }
});
