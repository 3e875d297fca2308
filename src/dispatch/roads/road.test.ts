import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type AccountUse, type DatedFacts, roadOf, roadSince } from './road.ts';
import { templateIn } from './template-in-body.ts';

const MARKETING = { category: 'MARKETING', isMarketingRefused: false };
const READY: AccountUse = { setting: 'auto', isReady: true };

describe('the road of a template', () => {
  const cases: [
    what: string,
    account: AccountUse,
    version: typeof MARKETING | undefined,
    isStrict: boolean,
    road: string,
  ][] = [
    ['auto, ready', READY, MARKETING, false, 'marketing_messages'],
    ['auto, not ready', { setting: 'auto', isReady: false }, MARKETING, false, 'messages'],
    ['on, not ready', { setting: 'on', isReady: false }, MARKETING, false, 'marketing_messages'],
    ['off, ready', { setting: 'off', isReady: true }, MARKETING, true, 'messages'],
    ['another category', READY, { ...MARKETING, category: 'UTILITY' }, false, 'messages'],
    ['unknown version', READY, undefined, false, 'messages'],
    ['refused under auto', READY, { ...MARKETING, isMarketingRefused: true }, false, 'messages'],
    ['refused, strict body', READY, { ...MARKETING, isMarketingRefused: true }, true, 'marketing_messages'],
    [
      'refused under on',
      { setting: 'on', isReady: true },
      { ...MARKETING, isMarketingRefused: true },
      false,
      'marketing_messages',
    ],
  ];
  for (const [what, account, version, isStrict, road] of cases)
    it(`${what} → /${road}`, () => assert.equal(roadOf(account, version, isStrict), road));
});

describe('the road after an attempt of unknown outcome', () => {
  const ATTEMPT_MS = 1_000_000;
  const facts = (accountAtMs: number | null, versionAtMs: number | null): DatedFacts => ({
    account: { ...READY, changedAtMs: accountAtMs },
    version: { ...MARKETING, changedAtMs: versionAtMs },
  });
  const since = (dated: DatedFacts) => roadSince(dated, ATTEMPT_MS, false);

  it('no fact changed since, or within the minute before → the road of the attempt', () => {
    assert.equal(since(facts(null, null)), 'marketing_messages');
    assert.equal(since(facts(ATTEMPT_MS - 60_000, ATTEMPT_MS - 60_000)), 'marketing_messages');
  });

  it('a fact changed since, or within the minute before → uncertain', () => {
    for (const atMs of [ATTEMPT_MS - 59_999, ATTEMPT_MS, ATTEMPT_MS + 5_000]) {
      assert.equal(since(facts(atMs, null)), 'uncertain');
      assert.equal(since(facts(null, atMs)), 'uncertain');
    }
  });

  it('account that was off, or template of another category, all the time → /messages', () => {
    const { account, version } = facts(ATTEMPT_MS, ATTEMPT_MS);
    const off = { account: { ...READY, isReady: false, changedAtMs: null }, version };
    const utility = { account, version: { ...MARKETING, category: 'UTILITY', changedAtMs: null } };
    assert.deepEqual([since(off), since(utility)], ['messages', 'messages']);
  });

  it('version gone → uncertain', () => assert.equal(since({ ...facts(null, null), version: undefined }), 'uncertain'));
});

describe('the template in a body', () => {
  const body = (more: object) =>
    JSON.stringify({ type: 'template', template: { name: 'sale', language: { code: 'en' } }, ...more });

  it('template → its name, language and policy', () => {
    assert.deepEqual(templateIn(body({})), { name: 'sale', language: 'en', isStrict: false });
    assert.deepEqual(templateIn(body({ product_policy: 'STRICT' })), { name: 'sale', language: 'en', isStrict: true });
    assert.deepEqual(templateIn(body({ template: { name: 'sale', language: 'de' } })), {
      ...{ name: 'sale', language: 'de', isStrict: false },
    });
  });

  it('another type → none', () => {
    assert.equal(templateIn('{"type":"text","text":{"body":"the \\"template\\""}}'), undefined);
    assert.equal(templateIn('{"type":"text","text":{"body":"x"},"template":{"name":"sale"}}'), undefined);
  });
});
