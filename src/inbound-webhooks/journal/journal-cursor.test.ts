import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { decodeJournalCursor, encodeJournalCursor } from './journal-cursor.ts';

describe('journal cursors', () => {
  it('encoded place → decoded unchanged; no cursor → the beginning', () => {
    assert.deepEqual(decodeJournalCursor(undefined), { xid: '0', id: 0 });
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }), fc.integer({ min: 0, max: 10 ** 15 - 1 }), (xid, id) => {
        const place = { xid: String(xid), id };
        assert.deepEqual(decodeJournalCursor(encodeJournalCursor(place)), place);
      }),
    );
  });

  it('any other text → refused', () => {
    const invalid = { code: 'VALIDATION_ERROR' };
    fc.assert(fc.property(fc.string(), (text) => assert.throws(() => decodeJournalCursor(text), invalid)));
    for (const text of ['1', '1.', '.1', '1.1.1', '-1.1', '1.1 ', 'x.1', '1.1; DROP']) {
      assert.throws(() => decodeJournalCursor(Buffer.from(text).toString('base64url')), invalid, text);
    }
  });
});
