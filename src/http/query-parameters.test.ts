import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fieldNames, readInteger, readList, readMatching, readText, readTime } from './query-parameters.ts';

const refusal = (pattern: RegExp) => ({ code: 'VALIDATION_ERROR', message: pattern });

describe('query parameters', () => {
  it('empty → absent; given twice where one is allowed → refused', () => {
    assert.equal(readText({ a: '' }, 'a'), undefined);
    assert.equal(readText({ a: 'x' }, 'a'), 'x');
    assert.throws(() => readText({ a: ['x', 'y'] }, 'a'), refusal(/"a" may be given once/));
  });

  it('whole number within its bounds → read; anything else → refused', () => {
    const bounds = { min: 1, max: 200, fallback: 50 };
    assert.equal(readInteger({}, 'limit', bounds), 50);
    assert.equal(readInteger({ limit: '200' }, 'limit', bounds), 200);
    for (const limit of ['0', '201', '-1', '1.5', '1e2', 'ten', ' 5', '99999999999']) {
      assert.throws(() => readInteger({ limit }, 'limit', bounds), refusal(/from 1 to 200/), limit);
    }
  });

  it('time with an offset → read, even if its plus sign became a space', () => {
    const expected = Date.UTC(2026, 10, 2, 10, 0, 0);
    for (const from of [
      '2026-11-02T10:00:00Z',
      '2026-11-02T10:00Z',
      '2026-11-02T12:00:00+02:00',
      '2026-11-02T12:00:00 02:00',
    ]) {
      assert.equal(readTime({ from }, 'from'), expected, from);
    }
    for (const from of [
      'yesterday',
      '2026-11-02',
      '2026-11-02T10:00:00',
      '2026-13-02T10:00:00Z',
      '2026-11-31T10:00:00Z',
      '2027-02-29T10:00:00Z',
      '1762077600',
    ]) {
      assert.throws(() => readTime({ from }, 'from'), refusal(/must be a time/), from);
    }
  });

  it('commas or repeated names → one list', () => {
    assert.deepEqual(readList({ type: 'a,b' }, 'type'), ['a', 'b']);
    assert.deepEqual(readList({ type: ['a', 'b,c'] }, 'type'), ['a', 'b', 'c']);
    assert.equal(readList({ type: ',' }, 'type'), undefined);
  });

  it('nested fields → only their top level is named', () => {
    const nested = ['a, b{c,d}', 'a,b{c,d{e,f{g}}}', 'a.limit(5){c},b.as(x)'];
    for (const fields of nested) assert.deepEqual(fieldNames(fields), ['a', 'b'], fields);
    assert.deepEqual(fieldNames('a{b{c}},d,e'), ['a', 'd', 'e']);
    assert.deepEqual(fieldNames('a.limit(\n1),b.\n'), ['a', 'b'], 'line breaks inside');
  });

  it('value does not match → refused with the expected kind', () => {
    assert.throws(() => readMatching({ to: 'x' }, 'to', /^\d+$/, 'digits'), refusal(/"to" must be digits/));
    assert.equal(readMatching({ to: '12' }, 'to', /^\d+$/, 'digits'), '12');
  });
});
