import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { decodeCursor, encodeCursor, FIRST_POSITION } from './event-cursor.ts';
import { eventId, parseEventId } from './event-id.ts';

const positions = fc.record(
  {
    xid: fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }).map(String),
    subjectId: fc.uuid(),
    sequence: fc.integer({ min: 0, max: 32_767 }),
    atSeconds: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  },
  { noNullPrototype: true },
);

describe('event cursors', () => {
  it('encode and decode → the same position', () => {
    assert.deepEqual(decodeCursor(encodeCursor(FIRST_POSITION)), FIRST_POSITION);
    fc.assert(fc.property(positions, (position) => assert.deepEqual(decodeCursor(encodeCursor(position)), position)));
  });

  it('encoded cursor → URL-safe', () => {
    fc.assert(fc.property(positions, (position) => assert.match(encodeCursor(position), /^[\w-]{47}$/)));
  });

  it('character changed, lost or added, or other text → refused', () => {
    const invalid = { code: 'VALIDATION_ERROR' };
    const characters = fc.constantFrom(...'ABCxyz019-_.=');
    fc.assert(
      fc.property(positions, fc.nat(46), characters, (position, place, character) => {
        const cursor = encodeCursor(position);
        fc.pre(cursor[place] !== character);
        assert.throws(() => decodeCursor(cursor.slice(0, place) + character + cursor.slice(place + 1)), invalid);
        assert.throws(() => decodeCursor(cursor.slice(0, place)), invalid);
        assert.throws(() => decodeCursor(cursor + character), invalid);
      }),
    );
    fc.assert(fc.property(fc.string(), (text) => assert.throws(() => decodeCursor(text), invalid)));
    const madeUp = encodeCursor({ ...FIRST_POSITION, sequence: 32_768 });
    assert.throws(() => decodeCursor(madeUp), invalid, 'a sequence that no event can have');
  });
});

describe('event ids', () => {
  it('event key → id without dots that parses back', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.integer({ min: 1, max: 32_767 }), (subjectId, sequence) => {
        const id = eventId({ subjectId, sequence });
        assert.match(id, /^evt_[0-9a-f]{36}$/);
        assert.deepEqual(parseEventId(id), { subjectId, sequence });
      }),
    );
  });

  it('other text → undefined', () => {
    for (const text of [
      '',
      'evt_',
      'evt_x',
      `evt_${'0'.repeat(35)}`,
      `evt_${'0'.repeat(37)}`,
      `EVT_${'0'.repeat(36)}`,
      `evt_${'f'.repeat(36)}`,
    ]) {
      assert.equal(parseEventId(text), undefined, text);
    }
  });
});
