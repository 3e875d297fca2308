import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatTraceparent, parseTraceparent } from './traceparent.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

test('traceparent: valid header → read and written back unchanged', () => {
  for (const flags of ['00', '01']) {
    const header = `00-${TRACE}-${SPAN}-${flags}`;
    const context = parseTraceparent(header);
    assert.ok(context);
    assert.equal(context.isRemote, true);
    assert.equal(formatTraceparent(context), header);
  }
});

test('traceparent: later version → known part read, written as version 00', () => {
  const context = parseTraceparent(`cc-${TRACE}-${SPAN}-03-what-the-future-will-bring`);
  assert.ok(context);
  assert.equal(formatTraceparent(context), `00-${TRACE}-${SPAN}-01`);
});

const WRONG = {
  'another shape': 'trace me',
  'an empty header': '',
  'the version that must not be used': `ff-${TRACE}-${SPAN}-01`,
  'more than version 00 has': `00-${TRACE}-${SPAN}-01-more`,
  capitals: `00-${TRACE.toUpperCase()}-${SPAN}-01`,
  'a trace of zeros': `00-${'0'.repeat(32)}-${SPAN}-01`,
  'a span of zeros': `00-${TRACE}-${'0'.repeat(16)}-01`,
  'two headers joined': `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`,
};

for (const [what, header] of Object.entries(WRONG)) {
  test(`traceparent: ${what} → undefined`, () => {
    assert.equal(parseTraceparent(header), undefined);
  });
}
