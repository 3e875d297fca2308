import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readFields } from './read-fields.ts';

const ALLOWED = ['id', 'name', 'status', 'analytics', 'health_status', 'whatsapp_business_account'];

describe('the parameter fields', () => {
  for (const [given, passed] of [
    ['name,status', 'name,status'],
    [' name , status ', 'name,status'],
    [
      'analytics.start(1).end(2).granularity(DAY).country_codes(["US","BR"]),name',
      'analytics.start(1).end(2).granularity(DAY).country_codes(["US","BR"]),name',
    ],
    ['health_status{entities{errors}}', 'health_status{entities{errors}}'],
    ['whatsapp_business_account', 'whatsapp_business_account'],
    // Braces behind a member that leads to another object would show what belongs to somebody else.
    ['whatsapp_business_account{owner_business{owned_whatsapp_business_accounts}}', 'id'],
    ['owner_business_info,name', 'name'],
    ['name{owner}', 'id'],
    ['analytics.start(1){owner_business(x)}', 'id'],
    ['analytics.start(phone(1))', 'id'],
    ['', 'id'],
    ['name),owner_business(', 'id'],
    ['name}{status', 'id'],
    ['NAME,ｎame', 'id'],
  ] as const) {
    it(`${given || 'nothing'} → ${passed}`.slice(0, 90), () => assert.equal(readFields(given, ALLOWED), passed));
  }
});
