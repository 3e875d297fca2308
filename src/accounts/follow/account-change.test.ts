import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { ACCOUNT_FIELDS, judgeAccountChange } from './account-change.ts';

const NOW = Date.UTC(2026, 10, 2);
const inAnHour = NOW / 1000 + 3_600;
const judge = (field: string, value: Record<string, unknown>) => judgeAccountChange(field, value, NOW);
const restriction = (...types: string[]) =>
  judge('account_update', {
    event: 'ACCOUNT_RESTRICTION',
    restriction_info: types.map((restriction_type, index) => ({ restriction_type, expiration: inAnHour + index })),
  });

describe('changes of accounts and numbers', () => {
  it('throughput upgrade → level set on the number with these digits', () => {
    const verdict = judge('phone_number_quality_update', {
      display_phone_number: '+1 (555) 078-3881',
      event: 'THROUGHPUT_UPGRADE',
      current_limit: 'TIER_UNLIMITED',
    });
    assert.equal(verdict?.about, 'number');
    assert.equal(verdict?.phoneNumber, '15550783881');
    assert.deepEqual(verdict?.update, { throughputLevel: 'HIGH', messagingLimit: 'TIER_UNLIMITED' });
    assert.equal(verdict?.parking, undefined);
  });

  it('name decision: approved → name set and number unparked; else → neither', () => {
    const named = (decision: string) => {
      const value = { display_phone_number: '1', decision, requested_verified_name: 'Shop' };
      const { update, parking } = judge('phone_number_name_update', value) ?? {};
      return [update, parking];
    };
    assert.deepEqual(named('APPROVED'), [{ verifiedName: 'Shop' }, { kind: 'unpark', codes: ['131037'] }]);
    for (const decision of ['REJECTED', 'PENDING', 'DEFERRED', 'NEWWORD'])
      assert.deepEqual(named(decision), [{}, undefined], decision);
  });

  it('ban or deletion → parked; reinstatement → unparked', () => {
    const ban = (waba_ban_state: string) =>
      judge('account_update', { event: 'DISABLED_UPDATE', ban_info: { waba_ban_state } });
    assert.equal(ban('DISABLE')?.parking?.kind, 'park');
    assert.equal(ban('SCHEDULE_FOR_DISABLE')?.parking, undefined);
    const reinstated = ban('REINSTATE')?.parking;
    assert.ok(
      reinstated?.kind === 'unpark' &&
        reinstated.codes.includes('ACCOUNT_DISABLED') &&
        reinstated.codes.includes('131031'),
    );
    assert.equal(judge('account_update', { event: 'ACCOUNT_DELETED' })?.parking?.kind, 'park');
  });

  it('restriction of replies → parked until its end; other restrictions → not parked', () => {
    assert.equal(
      restriction('RESTRICTED_BIZ_INITIATED_MESSAGING', 'RESTRICTED_ADD_PHONE_NUMBER_ACTION')?.parking,
      undefined,
    );
    const parking = restriction(
      'RESTRICTED_BIZ_INITIATED_MESSAGING',
      'RESTRICTED_CUSTOMER_INITIATED_MESSAGING',
    )?.parking;
    assert.ok(parking?.kind === 'park');
    assert.equal(parking.untilMs, (inAnHour + 1) * 1000);
    const past = { restriction_type: 'RESTRICTED_CUSTOMER_INITIATED_MESSAGING', expiration: NOW / 1000 - 1 };
    const endless = { restriction_type: 'RESTRICTED_CUSTOMER_INITIATED_MESSAGING' };
    const of = (info: unknown) =>
      judge('account_update', { event: 'ACCOUNT_RESTRICTION', restriction_info: [info] })?.parking;
    assert.equal(of(past), undefined);
    for (const expiration of [undefined, 'never', 8_640_000_000_000_001, 1e308]) {
      const forGood = of({ ...endless, expiration });
      assert.ok(forGood?.kind === 'park' && forGood.untilMs === null, `${expiration}`);
    }
  });

  it('violation → not parked, it is a warning', () => {
    const verdict = judge('account_update', {
      event: 'ACCOUNT_VIOLATION',
      phone_number: '16505551111',
      violation_info: {},
    });
    assert.equal(verdict?.parking, undefined);
    assert.equal(verdict?.phoneNumber, '16505551111');
  });

  it('review: rejected → parked; approved → unparked', () => {
    assert.equal(judge('account_review_update', { decision: 'REJECTED' })?.parking?.kind, 'park');
    assert.equal(judge('account_review_update', { decision: 'PENDING' })?.parking, undefined);
    const approved = judge('account_review_update', { decision: 'APPROVED' })?.parking;
    assert.ok(approved?.kind === 'unpark' && !approved.codes.includes('131031'), 'nothing but its own parking ends');
  });

  it('limits: tier or number of people → both accepted', () => {
    const limit = (max: unknown) =>
      judge('business_capability_update', { max_daily_conversations_per_business: max })?.update;
    assert.deepEqual(limit(2000), { messagingLimit: '2000' });
    assert.deepEqual(limit('TIER_10K'), { messagingLimit: 'TIER_10K' });
    for (const odd of [null, {}, 1.5, 'tier 10k', undefined]) assert.deepEqual(limit(odd), {});
  });

  it('other field → undefined; any value → no error', () => {
    assert.equal(judge('message_template_status_update', { event: 'APPROVED' }), undefined);
    const words = fc.constantFrom(
      'event',
      'decision',
      'ban_info',
      'restriction_info',
      'phone_number',
      'DISABLED_UPDATE',
      'ACCOUNT_RESTRICTION',
    );
    const values = fc.dictionary(
      fc.oneof(words, fc.string()),
      fc.oneof(words, fc.anything({ withNullPrototype: true })),
    );
    fc.assert(
      fc.property(fc.constantFrom(...ACCOUNT_FIELDS), values, (field, value) => {
        const verdict = judge(field, value);
        assert.ok(verdict !== undefined);
        assert.doesNotThrow(() => JSON.stringify(verdict.detail));
      }),
    );
  });
});
