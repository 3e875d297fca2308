import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inOrder, isMembers, parseExact } from './exact-json.ts';

describe('exact JSON', () => {
  it('a long whole number → the same digits', () => {
    const text = '{"flow_id":12345678901234567890,"n":1.5,"t":"12345678901234567890"}';
    assert.equal(JSON.stringify(parseExact(text)), text);
    assert.equal(
      JSON.stringify(inOrder(parseExact('[{"b":12345678901234567890,"a":1}]'), [])),
      '[{"a":1,"b":12345678901234567890}]',
    );
    assert.equal(isMembers(parseExact('12345678901234567890')), false);
  });

  it('inOrder: any order of members → one, at every depth', () => {
    const ordered = inOrder({ z: [{ text: 'x', type: 'BODY' }], a: 1, type: 't' }, ['type', 'text']);
    assert.equal(JSON.stringify(ordered), '{"type":"t","a":1,"z":[{"type":"BODY","text":"x"}]}');
  });
});
