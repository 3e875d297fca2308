import { test } from 'node:test';
import { check, link } from '../../../test/support/message-samples.ts';
import type { JsonObject } from '../graph/json-object.ts';

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

test('other interactive kinds: checked too', () => {
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
