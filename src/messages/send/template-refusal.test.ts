import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chooseTemplate, type TemplateVersion } from '../../templates/index.ts';
import { templateRefusal } from './template-refusal.ts';

const english: TemplateVersion = {
  language: 'en_US',
  status: 'APPROVED',
  category: 'UTILITY',
  ttlSeconds: null,
  isMarketingRefused: false,
};
const german: TemplateVersion = { ...english, language: 'de' };

function refusalOf(versions: TemplateVersion[], language?: string) {
  const choice = chooseTemplate(versions, language);
  assert.ok(choice.kind !== 'chosen');
  const { code, message, details } = templateRefusal({ name: 'greeting', language }, choice);
  return { code, message, details };
}

describe('refusal of a template', () => {
  it('unknown template → TEMPLATE_NOT_FOUND with its name', () => {
    assert.deepEqual(refusalOf([]), {
      code: 'TEMPLATE_NOT_FOUND',
      message: 'There is no template "greeting" on this number\'s business account.',
      details: {},
    });
  });

  it('no language named → TEMPLATE_LANGUAGE_REQUIRED with the available ones', () => {
    const { code, details } = refusalOf([english, german]);
    assert.equal(code, 'TEMPLATE_LANGUAGE_REQUIRED');
    assert.deepEqual(details, { available_languages: ['de', 'en_US'] });
  });

  it('unknown language → TEMPLATE_LANGUAGE_NOT_FOUND with the available ones', () => {
    const { code, message, details } = refusalOf([english, german], 'fr');
    assert.equal(code, 'TEMPLATE_LANGUAGE_NOT_FOUND');
    assert.match(message, /"fr"/);
    assert.deepEqual(details, { available_languages: ['de', 'en_US'] });
  });

  it('not approved → TEMPLATE_NOT_APPROVED with its status', () => {
    const { code, message } = refusalOf([{ ...english, status: 'PAUSED' }]);
    assert.equal(code, 'TEMPLATE_NOT_APPROVED');
    assert.match(message, /PAUSED/);
  });
});
