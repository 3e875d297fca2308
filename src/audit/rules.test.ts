import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { auditRuleOf } from './rules.ts';

describe('audit rules', () => {
  it('a new changing route without a rule → refused when it is registered', () => {
    assert.throws(() => auditRuleOf({ name: 'POST /v1/novelties', module: 'novelties' }), /no audit rule for POST/);
    assert.throws(() => auditRuleOf({ name: 'PUT /v1/:noveltyId/x', module: 'edges' }), /no audit rule for PUT/);
  });

  it('a route that reads, a send, an upload: no rule needed', () => {
    for (const name of ['GET /v1/novelties', 'POST /v1/:phoneNumberId/messages', 'POST /v1/media/upload']) {
      assert.equal(auditRuleOf({ name, module: 'novelties' }), undefined);
    }
  });
});
