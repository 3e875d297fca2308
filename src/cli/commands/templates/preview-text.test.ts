import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { previewOf } from './preview-text.ts';

const NONE = { header: undefined, body: new Map<string, string>(), buttons: new Map<string, string>() };

describe('preview of a template', () => {
  const template = {
    category: 'MARKETING',
    components: [
      { type: 'HEADER', format: 'TEXT', text: 'Order {{1}}', example: { header_text: ['A-1'] } },
      {
        type: 'BODY',
        text: 'Hi {{name}}, it is {{state}}.',
        example: { body_text_named_params: [{ param_name: 'name', example: 'Ann' }] },
      },
      { type: 'FOOTER', text: 'Bye' },
      {
        type: 'BUTTONS',
        buttons: [
          { type: 'URL', text: 'Track', url: 'https://x.example/{{1}}', example: ['https://x.example/7'] },
          { type: 'QUICK_REPLY', text: 'Stop' },
        ],
      },
    ],
  };

  it('no values → the examples, and the variables that have none', () => {
    const { header, body, footer, buttons, missing } = previewOf(template, NONE);
    assert.deepEqual([header, body, footer], ['Order A-1', 'Hi Ann, it is {{state}}.', 'Bye']);
    assert.deepEqual(buttons, [
      { text: 'Track', detail: 'https://x.example/7' },
      { text: 'Stop', detail: null },
    ]);
    assert.deepEqual(missing, ['body {{state}}']);
  });

  it('values → in their places; one without a variable → unused', () => {
    const values = {
      header: 'B-2',
      body: new Map([
        ['name', '$& {{state}}'],
        ['state', 'here'],
        ['more', 'x'],
      ]),
      buttons: new Map([
        ['0', '$1'],
        ['1', 'x'],
        ['5', 'x'],
      ]),
    };
    const { header, body, buttons, missing, unused } = previewOf(template, values);
    assert.deepEqual([header, body, missing], ['Order B-2', 'Hi $& {{state}}, it is here.', []]);
    assert.equal(buttons[0]?.detail, 'https://x.example/$1');
    assert.deepEqual(unused, ['body "more"', 'button 1', 'button 5']);
  });

  it('a carousel, a code, and other components → shown or named', () => {
    const carousel = {
      type: 'CAROUSEL',
      cards: [
        {
          components: [
            { type: 'HEADER', format: 'IMAGE' },
            { type: 'BODY', text: 'One' },
          ],
        },
      ],
    };
    const { cards, others, header } = previewOf(
      { category: 'MARKETING', components: [carousel, { type: 'CATALOG' }] },
      NONE,
    );
    assert.deepEqual(
      cards.map(({ header: head, body }) => [head, body]),
      [['[image]', 'One']],
    );
    assert.deepEqual([others, header], [['CATALOG'], null]);
    const code = {
      category: 'AUTHENTICATION',
      components: [{ type: 'BODY' }, { type: 'BUTTONS', buttons: [{ type: 'OTP' }] }],
    };
    assert.equal(
      previewOf(code, { ...NONE, body: new Map([['1', '482913']]) }).body,
      '482913 is your verification code.',
    );
  });
});
