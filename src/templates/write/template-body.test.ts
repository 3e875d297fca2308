import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { outgoingTemplate, readTemplateBody, readTemplateEdit } from './template-body.ts';

const read = (text: string) => readTemplateBody(Buffer.from(text));
const template = (components: unknown, extra: Record<string, unknown> = {}) =>
  JSON.stringify({ name: 'hello_1', language: 'en', category: 'UTILITY', components, ...extra });
const header = (...handles: unknown[]) => ({ type: 'HEADER', format: 'IMAGE', example: { header_handle: handles } });

test('no samples or named examples → body forwarded byte for byte', () => {
  const text =
    ' {"name":"a", "language":"pt_BR","category":"MARKETING","n":1.0,"components":[{"type":"X","y":1e400}] } ';
  assert.equal(outgoingTemplate(read(text), new Map()), text);
});

test('sample URLs at any place → only their string tokens replaced', () => {
  const text = template([
    header('https://a.example/1.jpg', '4::kept'),
    {
      type: 'CAROUSEL',
      cards: [
        { components: [header('https://a.example/2.jpg')] },
        { components: [header('https:\u002f\u002fa.example/1.jpg')] },
      ],
    },
    { type: 'NEW_KIND', nested: { deep: [header('https://a.example/1.jpg')] } },
  ]);
  const body = read(text);
  const handles = new Map([
    ['https://a.example/1.jpg', '4::"one"\n'],
    ['https://a.example/2.jpg', '4::two'],
  ]);
  assert.deepEqual(
    outgoingTemplate(body, handles),
    text
      .replaceAll('"https://a.example/1.jpg"', JSON.stringify('4::"one"\n'))
      .replace('"https://a.example/2.jpg"', '"4::two"'),
  );
});

test('escaped URL → replaced as one token', () => {
  const text =
    '{"name":"a","language":"en","category":"UTILITY","components":[{"example":{"header_handle":["https:\\/\\/a.example\\/\\u0031"]}}]}';
  const body = read(text);
  assert.deepEqual(
    body.samples.map(({ value }) => value),
    ['https://a.example/1'],
  );
  assert.equal(
    outgoingTemplate(body, new Map([['https://a.example/1', '4::h']])),
    text.replace(/\["https.*?"\]/, '["4::h"]'),
  );
});

test('handles, other header_handle members, samples outside components → unchanged', () => {
  const text = template([header('4::aW1n:x', 'h', ''), { type: 'X', header_handle: ['https://a.example/no'] }], {
    example: { header_handle: ['https://a.example/no'] },
  });
  assert.deepEqual(read(text).samples, []);
});

test('named examples at any place → NAMED inferred and added', () => {
  const named = { example: { body_text_named_params: [{ param_name: 'x', example: 'y' }] } };
  for (const components of [
    [{ type: 'BODY', text: 'Hi {{1}} there', ...named }],
    [{ type: 'HEADER', format: 'TEXT', text: 'Hi', example: { header_text_named_params: [] } }],
    [{ type: 'CAROUSEL', cards: [{ components: [{ type: 'BODY', text: 'x', ...named }] }] }],
  ]) {
    const text = template(components);
    const body = read(text);
    assert.equal(body.parameterFormat, 'NAMED');
    assert.equal(outgoingTemplate(body, new Map()), `{"parameter_format":"NAMED",${text.slice(1)}`);
  }
});

test('given format → neither changed nor added again', () => {
  for (const format of ['NAMED', 'POSITIONAL']) {
    const text = template([{ type: 'BODY', text: 'Hi {{1}}', example: { body_text_named_params: [] } }], {
      parameter_format: format,
    });
    const body = read(text);
    assert.equal(body.parameterFormat, format);
    assert.equal(outgoingTemplate(body, new Map()), text);
  }
});

test('no named examples → placeholders decide the format, nothing added', () => {
  const cases: [format: string, components: unknown[]][] = [
    ['POSITIONAL', [{ type: 'BODY', text: 'No variables.' }]],
    ['POSITIONAL', [{ type: 'BODY', text: 'Hi {{1}}, {{ 2 }}' }]],
    ['NAMED', [{ type: 'BODY', text: 'Hi {{ first_name }}' }]],
    [
      'NAMED',
      [
        { type: 'HEADER', format: 'TEXT', text: '{{shop}}' },
        { type: 'BODY', text: 'Hi' },
      ],
    ],
    ['NAMED', [{ type: 'BUTTONS', buttons: [{ type: 'URL', text: 'Go', url: 'https://x.example/{{code}}' }] }]],
    ['NAMED', [{ type: 'CAROUSEL', cards: [{ components: [{ type: 'BODY', text: 'Hi {{name}}' }] }] }]],
    [
      'NAMED',
      [
        { type: 'BODY', text: 'Hi {{name}}' },
        { type: 'BUTTONS', buttons: [{ type: 'URL', url: 'https://x/{{1}}' }] },
      ],
    ],
    ['POSITIONAL', [{ type: 'BODY', text: 'Curly {{}} {x} {{ 1 }}' }]],
  ];
  for (const [format, components] of cases) {
    const text = template(components);
    const body = read(text);
    assert.equal(body.parameterFormat, format, text);
    assert.equal(outgoingTemplate(body, new Map()), text);
  }
});

test('repeated key on a level with samples → refused', () => {
  const twice =
    '{"name":"a","language":"en","category":"UTILITY","components":[{"example":{"header_handle":["4::a"],"header_handle":["https://x"]}}]}';
  assert.throws(() => read(twice), { code: 'VALIDATION_ERROR' });
});

test('edit: any field → accepted; no field → refused', () => {
  assert.throws(() => readTemplateEdit(Buffer.from('{}')), { code: 'VALIDATION_ERROR' });
  assert.throws(() => readTemplateEdit(Buffer.from('{"components":[]}')), { code: 'VALIDATION_ERROR' });
  assert.throws(() => readTemplateEdit(Buffer.from('{"category":7}')), { code: 'VALIDATION_ERROR' });
  const edit = readTemplateEdit(Buffer.from('{"message_send_ttl_seconds":60,"x":1}'));
  assert.equal(outgoingTemplate(edit, new Map()), '{"message_send_ttl_seconds":60,"x":1}');
});

test('any components → parsed output equals the body with samples replaced', () => {
  const component = fc.letrec((tie) => ({
    node: fc.oneof(
      { maxDepth: 4 },
      fc.jsonValue({ maxDepth: 2 }),
      fc.record({
        type: fc.constantFrom('HEADER', 'CAROUSEL', 'constructor'),
        example: fc.record({
          header_handle: fc.array(fc.oneof(fc.webUrl(), fc.string(), fc.integer()), { maxLength: 3 }),
        }),
        cards: fc.array(tie('node'), { maxLength: 2 }),
      }),
    ),
  })).node;
  fc.assert(
    fc.property(fc.array(fc.record({ inner: component }), { minLength: 1, maxLength: 3 }), (components) => {
      const body = read(template(components));
      const handles = new Map(body.samples.map(({ value }, index) => [value, `4::${index}`]));
      const swapped = JSON.parse(outgoingTemplate(body, handles));
      const expected = JSON.parse(body.document.text);
      for (const { path, value } of body.samples) {
        const last = path.at(-1);
        const parent = path
          .slice(0, -1)
          .reduce((at: Record<string | number, unknown>, step) => at[step] as never, expected);
        if (last !== undefined) parent[last] = handles.get(value);
      }
      assert.deepEqual(swapped, expected);
    }),
    { numRuns: 100 },
  );
});
