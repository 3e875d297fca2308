import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fillTemplate, type Template } from './fill-template.ts';

const BASE: Template = {
  id: '1',
  waba_id: '2',
  name: 'order_update',
  language: 'en_US',
  category: 'UTILITY',
  status: 'APPROVED',
  parameter_format: 'POSITIONAL',
  components: [],
};

describe('filling a template', () => {
  it('positions out of order → parameters in the order of their numbers', () => {
    const template = { ...BASE, components: [{ type: 'BODY', text: '{{2}} for {{1}}' }] };
    const { components, preview, problems } = fillTemplate(template, { body_parameters: { '1': 'Ann', '2': 'Tea' } });
    assert.deepEqual(components, [
      {
        type: 'body',
        parameters: [
          { type: 'text', text: 'Ann' },
          { type: 'text', text: 'Tea' },
        ],
      },
    ]);
    assert.deepEqual([preview.body, problems], ['Tea for Ann', []]);
  });

  it('named variables → parameters with names; a value is never filled in again', () => {
    const template = {
      ...BASE,
      parameter_format: 'NAMED',
      components: [{ type: 'BODY', text: 'Hi {{name}}, {{item}}' }],
    };
    const { components, preview } = fillTemplate(template, { body_parameters: { name: '{{item}}', item: '$&' } });
    assert.equal(preview.body, 'Hi {{item}}, $&');
    assert.deepEqual(components[0]?.parameters, [
      { type: 'text', parameter_name: 'name', text: '{{item}}' },
      { type: 'text', parameter_name: 'item', text: '$&' },
    ]);
  });

  it('a media header → its media, or a problem', () => {
    const template = { ...BASE, components: [{ type: 'HEADER', format: 'IMAGE' }] };
    assert.equal(fillTemplate(template, {}).problems.length, 1);
    assert.equal(fillTemplate(template, { header_media: { id: '1', link: 'https://a.example' } }).problems.length, 1);
    const { components, problems } = fillTemplate(template, { header_media: { id: '77' } });
    assert.deepEqual(problems, []);
    assert.deepEqual(components, [{ type: 'header', parameters: [{ type: 'image', image: { id: '77' } }] }]);
  });

  it('a code button of an authentication template → the code in body and button', () => {
    const buttons = [{ type: 'OTP' }];
    const template = {
      ...BASE,
      category: 'AUTHENTICATION',
      components: [{ type: 'BODY' }, { type: 'BUTTONS', buttons }],
    };
    assert.equal(fillTemplate(template, {}).problems.length, 2);
    const given = { body_parameters: { '1': '4711' }, button_parameters: { '0': '4711' } };
    const { components, problems } = fillTemplate(template, given);
    assert.deepEqual(problems, []);
    assert.deepEqual(components.at(-1), {
      type: 'button',
      sub_type: 'url',
      index: '0',
      parameters: [{ type: 'text', text: '4711' }],
    });
  });

  it('a kind of component that the tool does not know → a problem', () => {
    const template = { ...BASE, components: [{ type: 'CAROUSEL' }] };
    assert.match(fillTemplate(template, {}).problems.join(), /CAROUSEL/);
  });
});
