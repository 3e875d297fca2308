import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { changesOf } from './template-changes.ts';
import { fileTextOf, type TemplateContent, withSamplesOf } from './template-file.ts';

const CONTENT: TemplateContent = {
  components: [
    { text: 'Hello {{1}}', type: 'BODY', example: { body_text: [['Ann']] } },
    { type: 'HEADER', format: 'IMAGE', example: { header_handle: ['https://cdn/1'] } },
  ],
  sub_category: 'CUSTOM',
  category: 'UTILITY',
  language: 'en_US',
  name: 'hello',
};

describe('templates as files', () => {
  it('another order of members → the same text', () => {
    const text = fileTextOf(CONTENT);
    const turned = Object.fromEntries(Object.entries(CONTENT).reverse()) as TemplateContent;
    assert.equal(fileTextOf(turned), text);
    assert.deepEqual(Object.keys(JSON.parse(text)), ['name', 'language', 'category', 'sub_category', 'components']);
    assert.ok(text.endsWith('}\n'));
  });

  it('another sample, case, order, or a missing member → no change', () => {
    const { sub_category: _, ...rest } = CONTENT;
    const file: TemplateContent = {
      ...rest,
      category: 'utility',
      components: [
        { type: 'body', example: { body_text: [['Ann']] }, text: 'Hello {{1}}' },
        { type: 'HEADER', format: 'image', example: { header_handle: ['samples/own.jpg'] } },
      ],
    };
    assert.deepEqual(changesOf(CONTENT, file), []);
  });

  it('another text, a missing and a further component → their paths', () => {
    const file = { ...CONTENT, components: [{ ...(CONTENT.components[0] as object), text: 'Hi {{1}}' }] };
    assert.deepEqual(
      changesOf(CONTENT, file).map(({ path, to }) => [path, to]),
      [
        ['components[0].text', '"Hi {{1}}"'],
        ['components[1]', undefined],
      ],
    );
    const more = { ...CONTENT, components: [...CONTENT.components, { type: 'FOOTER', text: 'Bye' }] };
    assert.deepEqual(
      changesOf(CONTENT, more).map(({ path, from }) => [path, from]),
      [['components[2]', undefined]],
    );
  });

  it('withSamplesOf → the samples of the file in the same places only', () => {
    const own = [{}, { example: { header_handle: ['mine'] } }];
    assert.deepEqual(withSamplesOf(CONTENT.components, own), [
      CONTENT.components[0],
      { type: 'HEADER', format: 'IMAGE', example: { header_handle: ['mine'] } },
    ]);
  });
});
