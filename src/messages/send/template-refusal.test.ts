import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chooseTemplate, type TemplateVersion } from '../../templates/index.ts';
import { templateRefusal } from './template-refusal.ts';

const english: TemplateVersion = { language: 'en_US', status: 'APPROVED', category: 'UTILITY', ttlSeconds: null };
const german: TemplateVersion = { ...english, language: 'de' };

function refusalOf(versions: TemplateVersion[], language?: string) {
  const choice = chooseTemplate(versions, language);
  assert.ok(choice.kind !== 'chosen');
  const { code, message, details } = templateRefusal({ name: 'greeting', language }, choice);
  return { code, message, details };
}

describe('what is said of a template that cannot be sent', () => {
  it('names a template nobody has', () => {
    assert.deepEqual(refusalOf([]), {
      code: 'TEMPLATE_NOT_FOUND',
      message: 'There is no template "greeting" on this number\'s business account.',
      details: {},
    });
  });

  it('asks for a language and lists those there are', () => {
    const { code, details } = refusalOf([english, german]);
    assert.equal(code, 'TEMPLATE_LANGUAGE_REQUIRED');
    assert.deepEqual(details, { available_languages: ['de', 'en_US'] });
  });

  it('lists the languages instead of one the template has not', () => {
    const { code, message, details } = refusalOf([english, german], 'fr');
    assert.equal(code, 'TEMPLATE_LANGUAGE_NOT_FOUND');
    assert.match(message, /"fr"/);
    assert.deepEqual(details, { available_languages: ['de', 'en_US'] });
  });

  it('tells where the review of a template stands', () => {
    const { code, message } = refusalOf([{ ...english, status: 'PAUSED' }]);
    assert.equal(code, 'TEMPLATE_NOT_APPROVED');
    assert.match(message, /PAUSED/);
  });
});
