import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { safeJson, safeText } from './safe-text.ts';

const HOSTILE = '\u001b]0;title\u0007 \u009b31m \u202e\r\n\u007f';

describe('text for a terminal', () => {
  it('control characters → shown as escapes', () => {
    assert.equal(safeText(HOSTILE), '\\u001b]0;title\\u0007 \\u009b31m \\u202e\\u000d\\u000a\\u007f');
    assert.equal(safeText('Grüße 👋 שלום'), 'Grüße 👋 שלום');
  });

  it('JSON → no control characters, the same value', () => {
    const json = safeJson({ text: HOSTILE });
    assert.doesNotMatch(json, /[\p{Cc}\u202e]/u);
    assert.deepEqual(JSON.parse(json), { text: HOSTILE });
  });
});
